import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  add,
  addFile,
  keysOf,
  makePayload,
  makeScratch,
  makeSite,
  publishAll,
  rulesEntry,
  type Site,
  surroundings,
} from "../../lab/publisher/site.ts";
import { addRelease, withdrawRelease } from "../../src/publishing/add.ts";
import { inspectRepository } from "../../src/publishing/inspect.ts";
import type { LikelyMistake } from "../../src/publishing/likely-mistakes.ts";
import { readPublished } from "../../src/publishing/published.ts";
import type { ReleaseEntry } from "../../src/publishing/release-entry.ts";
import { readSteps } from "../../src/publishing/wave-plan.ts";
import { filesIn, publishedSite } from "./fixture.ts";

const path = "stable/rules/demo-rules-1.0.0.tar.gz";

const long = "n".repeat(500);

describe("addRelease", () => {
  it("refuses an entry that devices would refuse, and changes nothing", async (test) => {
    const site = await makeSite(test);
    const before = filesIn(site.workspace.drafts);
    const file = makePayload(site, "x.tar.gz", "{}");
    for (const [entry, message] of [
      [{ name: "../rules" }, /name "\.\.\/rules" is not valid/],
      [{ name: "Rules" }, /name "Rules" is not valid/],
      [{ name: "règles" }, /is not valid/],
      [{ name: "a".repeat(65) }, /is not valid/],
      [{ name: "" }, /is not valid/],
      [{ product: "my demo" }, /product "my demo" is not valid/],
      [{ channel: "stable/x" }, /channel "stable\/x" is not valid/],
      [{ channel: "c".repeat(33) }, /channel/],
      [{ version: "1.0" }, /version "1\.0" is not a semantic version/],
      [{ version: "v1.0.0" }, /not a semantic version/],
      [{ version: "1.01.0" }, /leading zero: write 1\.1\.0\. /],
      [{ version: "1.0.0+7" }, /Build metadata/],
      [{ version: "1.0.0-../../x" }, /not a semantic version/],
      [{ min_agent: "latest" }, /min_agent "latest"/],
      [{ floor: "1" }, /floor "1"/],
      [{ floor: "1.0.1" }, /floor 1\.0\.1 is above the version 1\.0\.0/],
      [{ version: "1.0.0-rc.1", floor: "1.0.0" }, /is above/],
      [{ notes: "\u001b[2J" }, /control character/],
      [{ notes: "a\nb" }, /line end/],
      [{ notes: "a\u202eb" }, /reorders/],
      [{ notes: "\ud800" }, /control character/],
      [{ more_notes: ["a", "b\nc"] }, /line end/],
      [{ more_notes: Array(61).fill("a") }, /too long/],
      [{ more_notes: [`${long}n`] }, /too long/],
      [{ more_notes: [...Array(8).fill(long), "n"] }, /too long/],
      [{ notes: "n".repeat(2001) }, /1 to 2000 characters/],
    ] as const) {
      const addition = { file, entry: rulesEntry(entry), keys: [] };
      await assert.rejects(addRelease(site.workspace, addition), { code: "validation_failed", message });
      assert.deepEqual(filesIn(site.workspace.drafts), before);
    }
    const most = { notes: "n".repeat(2000), more_notes: [...Array(8).fill(long), ...Array(52).fill("")] };
    const name = "a".repeat(64);
    const longest = rulesEntry({ name, channel: "c".repeat(32), floor: "1.0.0", ...most });
    assert.equal((await addRelease(site.workspace, { file, entry: longest, keys: [] })).targets.length, 1);
  });

  it("refuses a file that is no payload, and changes nothing", async (test) => {
    const site = await makeSite(test);
    const before = filesIn(site.workspace.drafts);
    const file = join(site.scratch, "bad.tar.gz");
    const holding = (text: string) => () => writeFileSync(file, text);
    const tooLong = () => truncateSync(file, 4 * 1024 ** 3 + 1);
    const asDirectory = () => {
      unlinkSync(file);
      mkdirSync(file);
    };
    for (const [make, code, message] of [
      [() => undefined, "not_found", /does not exist/],
      [holding(""), "validation_failed", /has 0 bytes/],
      [holding("ustar"), "validation_failed", /not compressed by gzip/],
      [holding("\u001f"), "validation_failed", /not compressed by gzip/],
      [tooLong, "validation_failed", /devices accept 1 to 4294967296/],
      [asDirectory, "validation_failed", /./],
    ] as const) {
      make();
      const error = await addRelease(site.workspace, { file, entry: rulesEntry(), keys: [] }).catch((e) => e);
      assert.equal(error.code, code);
      assert.match(`${error.message} ${JSON.stringify(error.details)}`, message);
      assert.deepEqual(filesIn(site.workspace.drafts), before);
    }
  });

  it("signs for the file's length and SHA-512, puts nothing into public/, and takes other bytes until they are published", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const other = (content: string) => addFile(site, makePayload(site, "o.tar.gz", content), rulesEntry());
    const { targets } = await other('{"other":true}');
    const bytes = readFileSync(join(site.scratch, "o.tar.gz"));
    const sha512 = createHash("sha512").update(bytes).digest("hex");
    assert.deepEqual(targets[0]?.file, { length: bytes.length, hashes: { sha512 } });
    assert.equal(filesIn(site.workspace.public).size, 0);
    await publishAll(site);
    const { rules } = await readPublished(site.workspace.metadata);
    assert.equal(rules?.signed.targets[path]?.hashes.sha512, sha512);
    await assert.rejects(other("{}"), {
      code: "repository_conflict",
      message: /already published with other bytes/,
    });
    assert.equal((await publishAll(site)).published.length, 0);
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
    const site = await publishedSite(test, [{ channel: "beta" }]);
    await add(site);
    assert.deepEqual((await publishAll(site)).payloads, [path]);
    assert.deepEqual((await inspectRepository(site.directory, surroundings)).problems, []);
  });
});

describe("withdrawRelease", () => {
  const selection = { kind: "rules", name: "demo-rules", version: "1.0.0", channel: "stable" } as const;

  it("marks the release and keeps all else of it, and keeps it from being given out again", async (test) => {
    const site = await publishedSite(test, [{ notes: "first" }]);
    const keys = await keysOf(site.workspace);
    for (const wrong of [{ version: "1.0.1" }, { channel: "beta" }, { name: "demo" }, { arch: "x64" }]) {
      const other = { ...selection, ...wrong };
      await assert.rejects(withdrawRelease(site.workspace, { selection: other, reason: "no", keys: [] }), {
        code: "not_found",
      });
    }
    assert.equal(filesIn(site.workspace.drafts).size, 0);
    await withdrawRelease(site.workspace, { selection, reason: "breaks doors", keys });
    await assert.rejects(add(site), {
      code: "repository_conflict",
      message: /is withdrawn \("breaks doors"\)/,
    });
    await publishAll(site);
    const { rules } = await readPublished(site.workspace.metadata);
    const found = { ...(rules?.signed.targets[path]?.custom as object) };
    assert.deepEqual(found, { ...rulesEntry({ notes: "first" }), withdrawn: "breaks doors" });
  });
});

describe("readSteps", () => {
  const steps = (...list: [percent: unknown, after_seconds: number][]) =>
    JSON.stringify(list.map(([percent, after_seconds]) => ({ percent, after_seconds })));
  const rising = (count: number) => Array.from({ length: count }, (_, at): [number, number] => [at + 1, at]);

  it("refuses steps that devices would refuse, and takes as many and as late as may be", async (test) => {
    const file = join(makeScratch(test), "waves.json");
    const read = (text: string) => {
      writeFileSync(file, text);
      return readSteps(file);
    };
    for (const [text, message] of [
      ["1 %", /not JSON/],
      ["{}", /no list/],
      ["[]", /0 steps/],
      [steps(...rising(32), [100, 32]), /33/],
      [steps([99, 1]), /last step is not 100/],
      [steps([50, 2], [40, 3]), /must have higher figures/],
      [steps([50, 2], [100, 1]), /must have higher figures/],
      [steps([0, 2]), /percent is/],
      [steps([101, 2]), /percent is/],
      [steps([0.5, 2]), /percent is/],
      [steps([100, -1]), /after_seconds is/],
      [steps([100, 31_622_401]), /after_seconds is/],
      [steps(["all", 1]), /percent is/],
      ["[null]", /percent is/],
    ] as const)
      await assert.rejects(read(text), { code: "validation_failed", message }, text);
    assert.equal((await read(steps(...rising(31), [100, 31_622_400]))).length, 32);
  });
});

/** Adds a payload whose contents are `content`, its version if not given; the same contents are the same bytes. */
async function addContent(
  site: Site,
  overrides: Partial<ReleaseEntry>,
  { content, allowed = [] }: { content?: string; allowed?: readonly LikelyMistake[] } = {},
) {
  const entry = rulesEntry(overrides);
  const bytes = content ?? `${entry.kind} ${entry.version}`;
  const file = files.get(site)?.get(bytes) ?? makePayload(site, `${bytes.replace(" ", "-")}.tar.gz`, bytes);
  files.set(site, new Map([...(files.get(site) ?? []), [bytes, file]]));
  return addRelease(site.workspace, { file, entry, keys: await keysOf(site.workspace), allowed });
}

const files = new Map<Site, Map<string, string>>();

const misspelt = /no releases for the product demmo yet, only for demo\. .*--allow new-product/;
const older = /0\.9\.0 is older than stable\/rules\/demo-rules-1\.0\.0\.tar\.gz.*--allow older/;
const sameBytes = /the same bytes as stable\/rules\/demo-rules-1\.0\.0\.tar\.gz.*--allow same-bytes/;
const mistakes: [
  what: string,
  allowed: LikelyMistake,
  Partial<ReleaseEntry>,
  message: RegExp,
  content?: string,
][] = [
  ["a product that is misspelt", "new-product", { version: "1.1.0", product: "demmo" }, misspelt],
  ["0.9.0 after 1.0.0", "older", { version: "0.9.0" }, older],
  ["a pre-release after its release", "older", { version: "1.0.0-rc.1" }, /1\.0\.0-rc\.1 is older than/],
  ["the bytes of 1.0.0 as 1.1.0", "same-bytes", { version: "1.1.0" }, sameBytes, "rules 1.0.0"],
];

describe("a publisher who adds", () => {
  for (const [name, mistake, entry, message, content] of mistakes)
    it(`${name} is refused beside a draft and beside what is published, and may do so with --allow ${mistake}`, async (test) => {
      const site = await makeSite(test);
      await addContent(site, {});
      const how = content === undefined ? {} : { content };
      const drafts = () => {
        const names = readdirSync(site.workspace.drafts).filter((one) => one.endsWith(".json"));
        return names.map((one) => [one, readFileSync(join(site.workspace.drafts, one), "utf8")]);
      };
      const isRefused = async (payloads: number) => {
        const before = drafts();
        await assert.rejects(addContent(site, entry, how), { code: "repository_conflict", message });
        assert.deepEqual(drafts(), before);
        assert.equal(readdirSync(site.workspace.payloads).length, payloads);
      };
      await isRefused(1);
      await publishAll(site);
      await isRefused(0);
      assert.equal((await addContent(site, entry, { ...how, allowed: [mistake] })).targets.length, 1);
    });
});

/** Publishes 2.0.0, if so, and withdraws it. */
async function withWithdrawn(test: TestContext, isPublished: boolean): Promise<Site> {
  const site = await makeSite(test);
  await addContent(site, { version: "2.0.0" });
  if (isPublished) await publishAll(site);
  const selection = { kind: "rules", name: "demo-rules", version: "2.0.0", channel: "stable" } as const;
  const keys = await keysOf(site.workspace);
  await withdrawRelease(site.workspace, { selection, reason: "breaks doors", keys });
  return site;
}

describe("a publisher who replaces a withdrawn release", () => {
  it("is refused a lower version, which devices that have the withdrawn one never take", async (test) => {
    const site = await withWithdrawn(test, true);
    const message =
      /2\.0\.0\.tar\.gz, which is withdrawn: .* take no lower version\. .* above 2\.0\.0\. .*--allow older/;
    await assert.rejects(addContent(site, { version: "1.0.1" }), { code: "repository_conflict", message });
    await publishAll(site);
    await assert.rejects(addContent(site, { version: "1.0.1" }), { code: "repository_conflict", message });
    await addContent(site, { version: "2.0.1" });
  });

  it("may give a lower one where no device ever had it", async (test) => {
    await addContent(await withWithdrawn(test, false), { version: "1.0.1" });
  });
});

describe("an addition that is no mistake", () => {
  it("is the first product of a repository that was made without one, and another once it was allowed", async (test) => {
    const site = await makeSite(test, { product: "steward" });
    await addContent(site, { product: "acme" });
    await assert.rejects(addContent(site, { product: "amce" }), { code: "repository_conflict" });
    await addContent(site, { product: "amce" }, { allowed: ["new-product"] });
    await addContent(site, { product: "amce", version: "1.1.0" });
  });

  it("is an older version of another name, channel, kind or architecture", async (test) => {
    const site = await makeSite(test);
    await addContent(site, { version: "2.0.0" });
    await addContent(site, { name: "other-rules" });
    await addContent(site, { channel: "beta" });
    const binary = { kind: "binary", name: "demo" } as const;
    await addContent(site, { ...binary, arch: "x64", version: "2.0.0" });
    await addContent(site, { ...binary, arch: "arm64" });
    await assert.rejects(addContent(site, { ...binary, arch: "any" }), { code: "repository_conflict" });
  });

  it("is the same version with the same bytes, to change its signed members but its floor, or in another channel", async (test) => {
    const site = await makeSite(test);
    await addContent(site, { security: true, floor: "1.0.0" });
    await addContent(site, { version: "1.1.0" });
    const common = { kind: "rules", name: "demo-rules", product: "demo", channel: "stable" };
    assert.deepEqual((await publishAll(site)).floors, [{ ...common, floor: "1.0.0" }]);
    await assert.rejects(addContent(site, { notes: "for all" }), {
      code: "repository_conflict",
      message: /has the floor 1\.0\.0, and would have none: .*--allow lower-floor/,
    });
    await addContent(site, { floor: "1.0.0", notes: "for all" });
    await addContent(site, { channel: "beta" });
    assert.deepEqual((await publishAll(site)).floors, [], "it was said once");
    await addContent(site, {}, { allowed: ["lower-floor"] });
  });
});
