import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  keysOf,
  makePayload,
  makeSite,
  publishAll,
  rulesEntry,
  type Site,
} from "../../lab/publisher/site.ts";
import { addRelease, withdrawRelease } from "../../src/publishing/add.ts";
import type { LikelyMistake } from "../../src/publishing/likely-mistakes.ts";
import type { ReleaseEntry } from "../../src/publishing/release-entry.ts";

/** Adds a payload whose contents are `content`, its version if not given; the same contents are the same bytes. */
async function add(
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
      await add(site, {});
      const how = content === undefined ? {} : { content };
      const drafts = () => {
        const names = readdirSync(site.workspace.drafts).filter((one) => one.endsWith(".json"));
        return names.map((one) => [one, readFileSync(join(site.workspace.drafts, one), "utf8")]);
      };
      const isRefused = async (payloads: number) => {
        const before = drafts();
        await assert.rejects(add(site, entry, how), { code: "repository_conflict", message });
        assert.deepEqual(drafts(), before);
        assert.equal(readdirSync(site.workspace.payloads).length, payloads);
      };
      await isRefused(1);
      await publishAll(site);
      await isRefused(0);
      assert.equal((await add(site, entry, { ...how, allowed: [mistake] })).targets.length, 1);
    });
});

async function withdraw({ workspace }: Site): Promise<void> {
  const selection = { kind: "rules", name: "demo-rules", version: "2.0.0", channel: "stable" } as const;
  await withdrawRelease(workspace, { selection, reason: "breaks doors", keys: await keysOf(workspace) });
}

describe("a publisher who replaces a withdrawn release", () => {
  it("is refused a lower version, which devices that have the withdrawn one never take", async (test) => {
    const site = await makeSite(test);
    await add(site, { version: "2.0.0" });
    await publishAll(site);
    await withdraw(site);
    const message =
      /2\.0\.0\.tar\.gz, which is withdrawn: .* take no lower version\. .* above 2\.0\.0\. .*--allow older/;
    await assert.rejects(add(site, { version: "1.0.1" }), { code: "repository_conflict", message });
    await publishAll(site);
    await assert.rejects(add(site, { version: "1.0.1" }), { code: "repository_conflict", message });
    assert.equal((await add(site, { version: "2.0.1" })).targets.length, 1);
  });
});

describe("an addition that is no mistake", () => {
  it("is the first product of a repository that was made without one", async (test) => {
    const site = await makeSite(test, { product: "steward" });
    assert.equal((await add(site, { product: "acme" })).targets.length, 1);
    await assert.rejects(add(site, { product: "amce" }), { code: "repository_conflict" });
  });

  it("is another product once it was allowed", async (test) => {
    const site = await makeSite(test);
    await add(site, { product: "other" }, { allowed: ["new-product"] });
    assert.equal((await add(site, { product: "other", version: "1.1.0" })).targets.length, 1);
  });

  it("is an older version of another name, channel, kind or architecture", async (test) => {
    const site = await makeSite(test);
    await add(site, { version: "2.0.0" });
    await add(site, { name: "other-rules" });
    await add(site, { channel: "beta" });
    const binary = { kind: "binary", name: "demo" } as const;
    await add(site, { ...binary, arch: "x64", version: "2.0.0" });
    assert.equal((await add(site, { ...binary, arch: "arm64" })).targets.length, 1);
    await assert.rejects(add(site, { ...binary, arch: "any" }), { code: "repository_conflict" });
  });

  it("is an older version in the place of one that was withdrawn before it was published", async (test) => {
    const site = await makeSite(test);
    await add(site, { version: "2.0.0" });
    await withdraw(site);
    assert.equal((await add(site, { version: "1.0.1" })).targets.length, 1);
  });

  it("is a change of a release that keeps its floor; one that loses it is refused", async (test) => {
    const site = await makeSite(test);
    await add(site, { security: true, floor: "1.0.0" });
    await publishAll(site);
    await assert.rejects(add(site, { notes: "for all" }), {
      code: "repository_conflict",
      message: /has the floor 1\.0\.0, and would have none: .*--allow lower-floor/,
    });
    assert.equal((await add(site, { floor: "1.0.0", notes: "for all" })).targets.length, 1);
    assert.equal((await add(site, {}, { allowed: ["lower-floor"] })).targets.length, 1);
  });

  it("is the same version with the same bytes, to change its signed members, or in another channel", async (test) => {
    const site = await makeSite(test);
    await add(site, {});
    await add(site, { version: "1.1.0" });
    await publishAll(site);
    assert.equal((await add(site, { notes: "for all" })).targets.length, 1);
    assert.equal((await add(site, { channel: "beta" })).targets.length, 1);
  });
});

describe("the floor of a security release", () => {
  it("is told when it is published, once", async (test) => {
    const site = await makeSite(test);
    await add(site, { security: true, floor: "1.0.0" });
    const { floors } = await publishAll(site);
    const common = { kind: "rules", name: "demo-rules", product: "demo", channel: "stable" };
    assert.deepEqual(floors, [{ ...common, floor: "1.0.0" }]);
    await add(site, { version: "1.1.0" });
    assert.deepEqual((await publishAll(site)).floors, []);
  });
});
