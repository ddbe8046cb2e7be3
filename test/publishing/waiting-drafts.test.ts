import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { discardDrafts, planDiscard } from "../../src/publishing/drafts/discard.ts";
import { signDraft } from "../../src/publishing/drafts/sign-draft.ts";
import { publish, renewOnline } from "../../src/publishing/publish.ts";
import type { RoleName } from "../../src/publishing/roles.ts";
import { readState } from "../../src/publishing/state.ts";
import { makeDevice } from "./clients.ts";
import { publishedSite, renewed } from "./fixture.ts";

/** Rules 1.0.0 are published; a root draft waits for the root's old key, which is not at hand. */
async function makeBlockedSite(test: TestContext): Promise<Site> {
  const site = await publishedSite(test);
  renameSync(join(site.workspace.keys, "root.pem"), join(site.scratch, "root.pem"));
  await renewed(site, "root", { roles: ["root"] });
  return site;
}

async function discard({ workspace }: Site, role?: RoleName) {
  const state = await readState(workspace);
  const discarded = planDiscard(workspace, state, role);
  await discardDrafts(workspace, state, { discarded, keys: await keysOf(workspace) });
  return discarded;
}

async function versionsFor({ workspace }: Site, kind = "rules"): Promise<string[]> {
  const device = await makeDevice(readFileSync(join(workspace.metadata, "1.root.json")));
  const found = await (await device.refresh(workspace.public)).list("stable", kind);
  return found.map(({ path }) => /(\d+\.\d+\.\d+)/.exec(path)?.[1] ?? "").sort();
}

const draftNames = ({ workspace }: Site) =>
  readdirSync(workspace.drafts).filter((name) => name !== "payloads");

describe("publish, while a root draft without its old key waits", () => {
  it("publishes it when the key comes back", async (test) => {
    const site = await makeBlockedSite(test);
    await add(site, { version: "1.1.0" });
    await publish(site.workspace, await keysOf(site.workspace), { only: ["rules"] });
    renameSync(join(site.scratch, "root.pem"), join(site.workspace.keys, "root.pem"));
    await signDraft(site.workspace, "root", await keysOf(site.workspace));
    const { published } = await publishAll(site);
    const roles = published.map(({ role, version }) => [role, version]);
    assert.deepEqual(roles, [
      ["root", 2],
      ["timestamp", 3],
    ]);
  });
});

describe("publish --only", () => {
  it("keeps the payloads of what waits", async (test) => {
    const site = await publishedSite(test, []);
    await add(site);
    await add(site, { kind: "binary", name: "demo", arch: "x64" });
    await publish(site.workspace, await keysOf(site.workspace), { only: ["rules"] });
    await renewOnline(site.workspace, await keysOf(site.workspace));
    assert.equal(readdirSync(site.workspace.payloads).length, 1);
    await publishAll(site);
    assert.deepEqual(await versionsFor(site, "binary"), ["1.0.0"]);
    assert.deepEqual(readdirSync(site.workspace.payloads), []);
  });

  it("says that rules which are signed with a new key need the draft that brings it", async (test) => {
    const site = await publishedSite(test, []);
    await renewed(site, "targets", { roles: ["rules"] });
    await add(site);
    const keys = await keysOf(site.workspace);
    await assert.rejects(publish(site.workspace, keys, { only: ["rules"] }), {
      code: "repository_unsigned",
      message: /keys of the draft of targets, which was not chosen: publish it too with --only targets/,
    });
    await publish(site.workspace, keys, { only: ["rules", "targets"] });
    assert.deepEqual(await versionsFor(site), ["1.0.0"]);
  });

  it("does nothing where there is no such draft, and says what waits", async (test) => {
    const site = await makeBlockedSite(test);
    const { published, waiting } = await publish(site.workspace, [], { only: ["binary"] });
    assert.deepEqual([published, waiting], [[], ["root"]]);
  });

  it("is refused before the first publish", async (test) => {
    const site = await makeSite(test);
    await assert.rejects(publish(site.workspace, await keysOf(site.workspace), { only: ["rules"] }), {
      code: "repository_conflict",
      message: /first publish must be complete/,
    });
  });
});

describe("discardDrafts", () => {
  it("gives up a root draft whose old key is lost, after which publishing goes on", async (test) => {
    const site = await makeBlockedSite(test);
    await add(site, { version: "1.1.0" });
    const [gone, ...others] = await discard(site, "root");
    assert.deepEqual([gone?.role, gone?.version, gone?.keys[0]?.added.length, others], ["root", 2, 1, []]);
    await publishAll(site);
    assert.deepEqual(await versionsFor(site), ["1.0.0", "1.1.0"]);
  });

  it("takes a wrong release back before it is published, with its payload", async (test) => {
    const site = await publishedSite(test, []);
    await add(site, { version: "6.6.6" });
    const [gone] = await discard(site, "rules");
    assert.deepEqual(gone?.targets, ["stable/rules/demo-rules-6.6.6.tar.gz"]);
    assert.deepEqual([draftNames(site), readdirSync(site.workspace.payloads)], [[], []]);
    assert.deepEqual((await publishAll(site)).published, []);
  });

  it("empties the draft of a kind that was never published", async (test) => {
    const site = await makeSite(test);
    await add(site, { version: "6.6.6" });
    const [gone] = await discard(site, "rules");
    assert.equal(gone?.is_emptied, true);
    await add(site);
    await publishAll(site);
    assert.deepEqual(await versionsFor(site), ["1.0.0"]);
  });

  it("gives up all drafts, also a snapshot and a timestamp that wait for signatures", async (test) => {
    const site = await makeBlockedSite(test);
    await add(site, { version: "1.1.0" });
    await assert.rejects(publish(site.workspace, [], { only: ["rules"] }), { code: "repository_unsigned" });
    const gone = await discard(site);
    const roles = gone.map(({ role }) => role);
    assert.deepEqual(roles, ["snapshot", "rules", "root"]);
    assert.deepEqual(draftNames(site), []);
  });

  it("is mended by the next publish where a cut one had put a new root there already", async (test) => {
    const site = await publishedSite(test);
    rmSync(join(site.workspace.keys, "timestamp.pem"));
    await renewed(site, "root", { roles: ["timestamp"] });
    await add(site, { version: "1.1.0" });
    const root = readFileSync(join(site.workspace.drafts, "root.json"));
    writeFileSync(join(site.workspace.metadata, "2.root.json"), root);
    await discard(site);
    await assert.rejects(versionsFor(site), { code: "update_signature_invalid" });
    await publishAll(site);
    assert.deepEqual(await versionsFor(site), ["1.0.0"]);
  });

  const draftOnly = /exists only as a draft.*steward-publisher init/;
  const bad: [name: string, role: RoleName | undefined, code: string, message: RegExp][] = [
    ["a root that was never published", "root", "repository_conflict", draftOnly],
    ["all that was never published", undefined, "repository_conflict", draftOnly],
    ["rules of which there are none", "rules", "not_found", /no release in the draft of rules/],
    ["a snapshot that is not drafted", "snapshot", "not_found", /no draft of snapshot/],
  ];
  for (const [name, role, code, message] of bad) {
    it(`refuses ${name}, and keeps the drafts`, async (test) => {
      const site = await makeSite(test);
      const before = draftNames(site);
      await assert.rejects(discard(site, role), { code, message });
      assert.deepEqual(draftNames(site), before);
      assert.ok(existsSync(site.workspace.payloads), "the place of payloads");
    });
  }
});
