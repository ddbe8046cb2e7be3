import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  add,
  keysOf,
  makePayload,
  makeSite,
  publishAll,
  rulesEntry,
  type Site,
  surroundings,
} from "../../lab/publisher/site.ts";
import { addRelease, withdrawRelease } from "../../src/publishing/add.ts";
import { inspectRepository } from "../../src/publishing/inspect.ts";
import { readPublished } from "../../src/publishing/published.ts";
import type { ReleaseEntry } from "../../src/publishing/release-entry.ts";
import { readSteps } from "../../src/publishing/wave-plan.ts";
import { publishedSite } from "./fixture.ts";

const path = "stable/rules/demo-rules-1.0.0.tar.gz";

/** The drafts and the staged files: a refusal must not change them. */
function drafted({ workspace }: Site): string[] {
  const names = readdirSync(workspace.drafts, { recursive: true, encoding: "utf8" }).sort();
  return names.map((name) => {
    if (name === "payloads") return name;
    return `${name} ${createHash("sha256")
      .update(readFileSync(join(workspace.drafts, name)))
      .digest("hex")}`;
  });
}

describe("addRelease", () => {
  const bad: [name: string, entry: Partial<ReleaseEntry>, message: RegExp][] = [
    ["a name with a slash", { name: "../rules" }, /name "\.\.\/rules" is not valid/],
    ["a name with a capital", { name: "Rules" }, /name "Rules" is not valid/],
    ["a name that is not ASCII", { name: "règles" }, /is not valid/],
    ["a name of 65 characters", { name: "a".repeat(65) }, /is not valid/],
    ["no name", { name: "" }, /is not valid/],
    ["a product with a blank", { product: "my demo" }, /product "my demo" is not valid/],
    ["a channel with a slash", { channel: "stable/x" }, /channel "stable\/x" is not valid/],
    ["a channel of 33 characters", { channel: "c".repeat(33) }, /channel/],
    ["a version of two numbers", { version: "1.0" }, /version "1\.0" is not a semantic version/],
    ["a version with a v", { version: "v1.0.0" }, /not a semantic version/],
    ["a version with a leading zero", { version: "1.01.0" }, /leading zero: write 1\.1\.0\. /],
    ["a version with build metadata", { version: "1.0.0+7" }, /Build metadata/],
    ["a version with a path", { version: "1.0.0-../../x" }, /not a semantic version/],
    ["a min-agent that is none", { min_agent: "latest" }, /min_agent "latest"/],
    ["a floor that is none", { floor: "1" }, /floor "1"/],
    ["a floor above the version", { floor: "1.0.1" }, /floor 1\.0\.1 is above the version 1\.0\.0/],
    ["a floor above the version's pre-release", { version: "1.0.0-rc.1", floor: "1.0.0" }, /is above/],
    ["notes with an escape sequence", { notes: "\u001b[2J" }, /control character/],
    ["notes with a line end", { notes: "a\nb" }, /line end/],
    ["notes that reorder text", { notes: "a\u202eb" }, /reorders/],
    ["notes with half a character", { notes: "\ud800" }, /control character/],
    ["further notes with a line end", { more_notes: ["a", "b\nc"] }, /line end/],
    ["61 further lines of notes", { more_notes: Array(61).fill("a") }, /too long/],
    ["a further line of 501 characters", { more_notes: ["n".repeat(501)] }, /too long/],
    ["further notes of 4001 characters", { more_notes: Array(9).fill("n".repeat(445)) }, /too long/],
    ["notes of 2001 characters", { notes: "n".repeat(2001) }, /1 to 2000 characters/],
  ];
  for (const [name, entry, message] of bad) {
    it(`refuses ${name} and changes nothing`, async (test) => {
      const site = await makeSite(test);
      const before = drafted(site);
      const file = makePayload(site, "x.tar.gz", "{}");
      await assert.rejects(addRelease(site.workspace, { file, entry: rulesEntry(entry), keys: [] }), {
        code: "validation_failed",
        message,
      });
      assert.deepEqual(drafted(site), before);
    });
  }

  const holding = (text: string) => (file: string) => writeFileSync(file, text);
  const tooLong = (file: string) => {
    writeFileSync(file, "");
    truncateSync(file, 4 * 1024 ** 3 + 1);
  };
  const badFiles: [name: string, make: (file: string) => void, code: string, message: RegExp][] = [
    ["that is not there", () => undefined, "not_found", /does not exist/],
    ["that is empty", holding(""), "validation_failed", /has 0 bytes/],
    ["that is not compressed", holding("ustar"), "validation_failed", /not compressed by gzip/],
    ["of one byte", holding("\u001f"), "validation_failed", /not compressed by gzip/],
    ["of more bytes than devices take", tooLong, "validation_failed", /devices accept 1 to 4294967296/],
  ];
  for (const [name, make, code, message] of badFiles) {
    it(`refuses a file ${name} and changes nothing`, async (test) => {
      const site = await makeSite(test);
      const before = drafted(site);
      const file = join(site.scratch, "bad.tar.gz");
      make(file);
      const error = await addRelease(site.workspace, { file, entry: rulesEntry(), keys: [] }).catch((e) => e);
      assert.equal(error.code, code);
      assert.match(`${error.message} ${JSON.stringify(error.details)}`, message);
      assert.deepEqual(drafted(site), before);
    });
  }

  it("refuses a directory in a payload's place", async (test) => {
    const site = await makeSite(test);
    await assert.rejects(addRelease(site.workspace, { file: site.scratch, entry: rulesEntry(), keys: [] }), {
      code: "validation_failed",
    });
  });

  it("signs for the length and the SHA-512 of the file, and puts nothing into public/", async (test) => {
    const site = await makeSite(test);
    const { targets } = await add(site);
    const bytes = readFileSync(join(site.scratch, "demo-rules-1.0.0.tar.gz"));
    assert.deepEqual(targets[0]?.file, {
      length: bytes.length,
      hashes: { sha512: createHash("sha512").update(bytes).digest("hex") },
    });
    assert.deepEqual(readdirSync(site.workspace.targets), []);
    assert.deepEqual(readdirSync(site.workspace.metadata), []);
  });

  it("refuses other bytes under a version that is published, and keeps the published ones", async (test) => {
    const site = await publishedSite(test);
    const file = makePayload(site, "other.tar.gz", "{}");
    const keys = await keysOf(site.workspace);
    await assert.rejects(addRelease(site.workspace, { file, entry: rulesEntry(), keys }), {
      code: "repository_conflict",
      message: /already published with other bytes/,
    });
    assert.equal((await publishAll(site)).published.length, 0);
  });

  it("takes other bytes while the version is only a draft", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const file = makePayload(site, "other.tar.gz", '{"other":true}');
    await addRelease(site.workspace, { file, entry: rulesEntry(), keys: await keysOf(site.workspace) });
    await publishAll(site);
    const { rules } = await readPublished(site.workspace.metadata);
    const expected = createHash("sha512").update(readFileSync(file)).digest("hex");
    assert.equal(rules?.signed.targets[path]?.hashes.sha512, expected);
  });

  it("refuses two releases whose files would have one name", async (test) => {
    const site = await makeSite(test);
    await add(site, { name: "a-1.0.0", version: "2.0.0" });
    await assert.rejects(add(site, { name: "a", version: "1.0.0-2.0.0" }), {
      code: "repository_conflict",
      message: /is already the file of a-1\.0\.0 2\.0\.0/,
    });
  });

  it("adds what was published under another channel as a release of its own", async (test) => {
    const site = await makeSite(test);
    await add(site, { channel: "beta" });
    await publishAll(site);
    await add(site);
    const { payloads } = await publishAll(site);
    assert.deepEqual(payloads, [path]);
    assert.deepEqual((await inspectRepository(site.directory, surroundings)).problems, []);
  });
});

describe("withdrawRelease", () => {
  const selection = { kind: "rules", name: "demo-rules", version: "1.0.0", channel: "stable" } as const;

  it("marks the release and keeps all else of it", async (test) => {
    const site = await makeSite(test);
    await add(site, { notes: "first" });
    await publishAll(site);
    await withdrawRelease(site.workspace, {
      selection,
      reason: "breaks doors",
      keys: await keysOf(site.workspace),
    });
    await publishAll(site);
    const { rules } = await readPublished(site.workspace.metadata);
    const found = { ...(rules?.signed.targets[path]?.custom as object) };
    assert.deepEqual(found, { ...rulesEntry({ notes: "first" }), withdrawn: "breaks doors" });
  });

  it("keeps a withdrawn release from being given out again by mistake", async (test) => {
    const site = await makeSite(test);
    await add(site);
    await withdrawRelease(site.workspace, { selection, reason: "breaks doors", keys: [] });
    await assert.rejects(add(site), {
      code: "repository_conflict",
      message: /is withdrawn \("breaks doors"\)/,
    });
  });

  it("finds only existing releases", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const before = drafted(site);
    for (const wrong of [{ version: "1.0.1" }, { channel: "beta" }, { name: "demo" }, { arch: "x64" }]) {
      const other = { ...selection, ...wrong };
      await assert.rejects(withdrawRelease(site.workspace, { selection: other, reason: "no", keys: [] }), {
        code: "not_found",
      });
    }
    assert.deepEqual(drafted(site), before);
  });
});

describe("readSteps", () => {
  const steps = (...list: [percent: unknown, after_seconds: number][]) =>
    JSON.stringify(list.map(([percent, after_seconds]) => ({ percent, after_seconds })));
  const many = Array.from({ length: 33 }, (_, at): [number, number] => [at + 1, at]);
  const bad: [name: string, text: string, message: RegExp][] = [
    ["no JSON", "1 %", /not JSON/],
    ["no list", "{}", /no list/],
    ["no steps", "[]", /0 steps/],
    ["33 steps", steps(...many), /33/],
    ["an end below 100", steps([99, 1]), /last step is not 100/],
    ["a fall", steps([50, 2], [40, 3]), /must have higher figures/],
    ["a time that falls", steps([50, 2], [100, 1]), /must have higher figures/],
    ["nought percent", steps([0, 2]), /percent is/],
    ["101 percent", steps([101, 2]), /percent is/],
    ["half a percent", steps([0.5, 2]), /percent is/],
    ["a time below zero", steps([100, -1]), /after_seconds is/],
    ["more than a year", steps([100, 31_622_401]), /after_seconds is/],
    ["a word", steps(["all", 1]), /percent is/],
    ["null", "[null]", /percent is/],
  ];
  for (const [name, text, message] of bad) {
    it(`refuses ${name}`, async (test) => {
      const { scratch } = await makeSite(test);
      const file = join(scratch, "waves.json");
      writeFileSync(file, text);
      await assert.rejects(readSteps(file), { code: "validation_failed", message });
    });
  }
});
