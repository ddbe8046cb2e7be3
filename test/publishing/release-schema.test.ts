import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { customOf } from "../../lab/publisher/offers.ts";
import { add, keysOf, makeSite, publishAll, surroundings } from "../../lab/publisher/site.ts";
import { updateKinds } from "../../src/contract/update-kinds.ts";
import { withdrawRelease } from "../../src/publishing/add.ts";
import { inspectRepository } from "../../src/publishing/inspect.ts";
import { readPublished } from "../../src/publishing/published.ts";
import { readRelease } from "../../src/releases/release.ts";
import * as format from "../../src/releases/release-format.ts";
import { longestVersion, versionPattern } from "../../src/releases/semver.ts";
import { caps } from "../../src/tuf/caps.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";
import { deviceOf } from "./clients.ts";

const docs = join(import.meta.dirname, "../../docs/updates");
const schema = JSON.parse(readFileSync(join(docs, "release.schema.json"), "utf8"));
const { custom } = schema.properties;
const page = readFileSync(join(docs, "publishing-format.md"), "utf8");
const isOfSchema = new Ajv2020({ allErrors: true }).compile(schema);

interface Target {
  path: string;
  length: unknown;
  hashes: unknown;
  custom: unknown;
}

/** Says why a device refuses a target in metadata that are good otherwise; null: it takes it. */
function refusal({ path, ...file }: Target): string | null {
  const common = { _type: "targets", spec_version: "1.0.31", version: 1, expires: "2027-01-01T00:00:00Z" };
  const signed = { ...common, targets: { [path]: file } };
  try {
    const bytes = Buffer.from(JSON.stringify({ signatures: [], signed }));
    const [read] = Object.values(readMetadata("targets", bytes, caps).signed.targets);
    assert.ok(read, "the target is read");
    const release = readRelease({ path, file: read, role: "rules" });
    return "reason" in release ? release.reason : null;
  } catch (error) {
    return String(error);
  }
}

describe("docs/updates/release.schema.json", () => {
  it("has the bounds that devices go by", () => {
    const { path, length } = schema.properties;
    const { steward, kind, arch, channel, notes, withdrawn, more_notes, waves } = custom.properties;
    const { steps } = waves.properties;
    const member = (name: string) => custom.properties[name];
    const { name, line, lines } = { name: format.namePattern.source, ...format.maximumNotes };
    const versions = ["version", "min_agent", "floor"].flatMap((one) => [
      [member(one).pattern, versionPattern.source],
      [member(one).maxLength, longestVersion],
    ]);
    for (const [said, is] of [
      [steward.const, format.customForm],
      [kind.enum, updateKinds],
      [arch.enum, format.architectures],
      [channel.pattern, format.channelPattern.source],
      [path.pattern, format.targetPathPattern.source],
      [notes.maxLength, format.maximumText],
      [withdrawn.maxLength, format.maximumText],
      [more_notes.maxItems, lines],
      [more_notes.items.maxLength, line],
      [steps.maxItems, format.maximumSteps],
      [length.maximum, caps.payloadBytes],
      [steps.items.properties.after_seconds.maximum, format.maximumWaveSeconds],
      [member("name").pattern, name],
      [member("product").pattern, name],
      ...versions,
    ])
      assert.deepEqual(said, is);
  });

  it("takes every release that add and publish make, withdrawn ones too", async (test) => {
    const site = await makeSite(test);
    const { workspace } = site;
    const keys = await keysOf(workspace);
    const waves = { start: "2026-11-20T12:00:00Z", steps: [{ percent: 100, after_seconds: 60 }] };
    const texts = { notes: "Grüße 🚪", more_notes: ["", "- **neu**"] };
    await add(site, { floor: "0.9.0", min_agent: "0.1.0", ...texts, urgent: true, waves });
    await add(site, { version: "1.1.0", security: true });
    const selection = { kind: "rules", name: "demo-rules", version: "1.1.0", channel: "stable" } as const;
    await withdrawRelease(workspace, { selection, reason: "breaks doors", keys });
    await add(site, { kind: "binary", name: "demo", arch: "arm64", version: "2.0.0-rc.1" });
    await publishAll(site);
    const { rules, binary } = await readPublished(workspace.metadata);
    const targets = { ...rules?.signed.targets, ...binary?.signed.targets };
    assert.equal(Object.keys(targets).length, 3);
    for (const [path, target] of Object.entries(targets)) {
      assert.ok(isOfSchema({ path, ...target }), JSON.stringify(isOfSchema.errors));
      assert.equal(refusal({ path, ...target, custom: target.custom }), null);
    }
  });

  const path = "stable/rules/base-1.0.0.tar.gz";
  const [sha256, sha512] = ["ab".repeat(32), "cd".repeat(64)];
  const cases: [name: string, isTaken: boolean, Partial<Target>][] = [
    ["SHA-256 alone, as python-tuf signs it", true, { hashes: { sha256 } }],
    ["SHA-512 alone", true, { hashes: { sha512 } }],
    ["both, and a hash that is not known", true, { hashes: { sha256, sha512, sha3: "00" } }],
    ["hashes that are not known alone", false, { hashes: { sha3: sha256 } }],
    ["a hash that does not hold", false, { hashes: { sha1: "ab".repeat(20) } }],
    ["no hashes", false, { hashes: {} }],
    ["a SHA-256 that is cut off", false, { hashes: { sha256: sha256.slice(2) } }],
    ["a good SHA-256 beside a SHA-512 that is cut off", false, { hashes: { sha256, sha512: "cd" } }],
    ["a hash in capitals", false, { hashes: { sha256: sha256.toUpperCase() } }],
    ["a hash that is no hex", false, { hashes: { sha256, blake2: "xyz" } }],
    ["an empty payload", false, { length: 0 }],
    ["4 GiB", true, { length: 4 * 1024 ** 3 }],
    ["a byte more than 4 GiB", false, { length: 4 * 1024 ** 3 + 1 }],
    ["half a byte", false, { length: 0.5 }],
    ["a path of two parts", false, { path: "rules/base-1.0.0.tar.gz" }],
    ["a path of four parts", false, { path: "stable/rules/x/base-1.0.0.tar.gz" }],
    ["a path whose file is hidden", false, { path: "stable/rules/.base" }],
    ["no custom", false, { custom: undefined }],
    ["custom of another tool", false, { custom: { colour: "blue" } }],
    ["custom of a later form", false, { custom: customOf({ steward: 2 }) }],
    ["notes with an escape sequence", false, { custom: customOf({ notes: "\u001b[2J" }) }],
    ["a mark of security in any form", true, { custom: customOf({ security: true }) }],
  ];
  for (const [name, isTaken, overrides] of cases) {
    it(`${isTaken ? "takes" : "refuses"} ${name}, and so does a device`, () => {
      const target = { path, length: 1_000, hashes: { sha256 }, custom: customOf(), ...overrides };
      const found = refusal(target);
      assert.equal(found === null, isTaken, String(found));
      assert.equal(isOfSchema(JSON.parse(JSON.stringify(target))), isTaken);
    });
  }
});

describe("docs/updates/publishing-format.md", () => {
  it("shows a target that devices take", () => {
    const [, text = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const target: Target = JSON.parse(text);
    assert.equal(refusal(target), null);
    assert.ok(isOfSchema(target), JSON.stringify(isOfSchema.errors));
  });

  it("explains each member of custom, and those alone", () => {
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \|( yes)? /gm)];
    const names = rows.map(([, name]) => name).sort();
    assert.deepEqual(names, Object.keys(custom.properties).sort());
    const required = rows.flatMap(([, name, must]) => (must === undefined ? [] : [name])).sort();
    assert.deepEqual(required, [...custom.required].sort());
  });

  it("names the limits that devices have", () => {
    const numbers = [caps.rootBytes, caps.timestampBytes, caps.snapshotBytes, caps.targetsBytes];
    for (const number of numbers) assert.ok(page.includes(number.toLocaleString("en-US")), String(number));
    const others = `${caps.delegatedRoles}\ndelegated roles, ${caps.delegationDepth} deep; ${caps.signatures} signatures`;
    assert.ok(page.includes(others), others);
  });
});

describe("a repository that python-tuf has published, by the program of that page", () => {
  const directory = join(import.meta.dirname, "../vectors/python-tuf");
  const then = { ...surroundings, now: () => new Date("2026-11-23T00:00:00Z") };

  it("is read by a device down to its release", async () => {
    const device = await deviceOf(directory);
    const refreshed = await device.refresh(directory, then.now());
    const [target, ...others] = await refreshed.list("stable", "rules");
    assert.ok(target, "a target");
    assert.deepEqual(others, []);
    const release = readRelease(target);
    assert.equal("id" in release && release.version, "1.0.0");
    assert.ok(isOfSchema({ path: target.path, ...target.file }), JSON.stringify(isOfSchema.errors));
  });

  it("has no problem that inspect would show", async () => {
    const { problems, targets } = await inspectRepository(directory, then);
    assert.deepEqual(problems, []);
    const paths = targets.map(({ path, is_missing }) => [path, is_missing]);
    assert.deepEqual(paths, [["stable/rules/base-1.0.0.tar.gz", false]]);
  });
});
