import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, at, keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { discardDrafts, planDiscard } from "../../src/publishing/drafts/discard.ts";
import { signDraft } from "../../src/publishing/drafts/sign-draft.ts";
import { inspectRepository } from "../../src/publishing/inspect.ts";
import { publish, renewOnline } from "../../src/publishing/publish.ts";
import { readPublished } from "../../src/publishing/published.ts";
import { renewRole } from "../../src/publishing/renew.ts";
import type { RoleName } from "../../src/publishing/roles.ts";
import { readState } from "../../src/publishing/state.ts";
import { deviceOf, pathsFor } from "./clients.ts";
import { filesIn, publishedSite, renewed, unchanged } from "./fixture.ts";

describe("publish", () => {
  it("gives every role its version, dates it by its period, clears the drafts, and says then that nothing is new", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const { published } = await publishAll(site);
    assert.deepEqual(
      published.map(({ role, version, expires }) => `${role} ${version} ${expires}`),
      [
        "root 1 2027-11-20T12:00:00Z",
        "timestamp 1 2026-11-27T12:00:00Z",
        "snapshot 1 2026-12-20T12:00:00Z",
        "targets 1 2027-02-18T12:00:00Z",
        "rules 1 2027-02-18T12:00:00Z",
        "binary 1 2027-02-18T12:00:00Z",
      ],
    );
    assert.deepEqual(
      [readdirSync(site.workspace.drafts), readdirSync(site.workspace.payloads)],
      [["payloads"], []],
    );
    // Idle devices fetch it.
    assert.ok(statSync(join(site.workspace.metadata, "timestamp.json")).size < 1024, "it is small");
    const before = filesIn(site.workspace.public);
    assert.deepEqual((await publishAll(site)).published, []);
    assert.deepEqual(filesIn(site.workspace.public), before);
  });

  it("puts files into public/ that a web server can read, and none that holds a private key", async (test) => {
    const site = await publishedSite(test);
    for (const name of readdirSync(site.directory, { recursive: true, encoding: "utf8" })) {
      const path = join(site.directory, name);
      const stats = statSync(path);
      const isPublic = name.startsWith("public");
      if (isPublic) assert.equal((stats.mode & 0o777).toString(8), stats.isFile() ? "644" : "755", name);
      if (name.startsWith("keys")) assert.equal(stats.mode & 0o077, 0, name);
      if (isPublic && stats.isFile()) assert.doesNotMatch(readFileSync(path, "latin1"), /PRIVATE/, name);
    }
  });

  it("names every role that lacks signatures, and publishes nothing", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    unlinkSync(join(site.workspace.keys, "root-1.pem"));
    unlinkSync(join(site.workspace.keys, "rules.pem"));
    const keys = await keysOf(site.workspace);
    await renewRole(site.workspace, "root", { keys, changes: unchanged });
    await add(site);
    await assert.rejects(publishAll(site), {
      code: "repository_unsigned",
      message: /root needs 1 more signature of [0-9a-f]{16} .*; rules needs 1 more signature/,
    });
    assert.equal(filesIn(site.workspace.public).size, 0);
  });

  it("refuses a changed draft, expired drafts and a changed payload, and publishes nothing", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const draft = join(site.workspace.drafts, "rules.json");
    const good = readFileSync(draft, "utf8");
    writeFileSync(draft, good.replace('"name":"demo-rules"', '"name":"evil-rules"'));
    await assert.rejects(publishAll(site), { code: "repository_unsigned" });
    writeFileSync(draft, good);
    await assert.rejects(publishAll({ workspace: at(site.workspace, "2027-03-01T00:00:00Z") }), {
      code: "update_metadata_expired",
      message:
        /Nothing was published, because devices would refuse it: .*targets expired .*steward-publisher renew/,
    });
    const [name = ""] = readdirSync(site.workspace.payloads);
    const staged = join(site.workspace.payloads, name);
    const bytes = readFileSync(staged);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(staged, bytes);
    await assert.rejects(publishAll(site), { code: "update_payload_mismatch" });
    appendFileSync(staged, "x");
    await assert.rejects(publishAll(site), { code: "not_found", message: /payload of stable\/rules/ });
    assert.equal(filesIn(site.workspace.public).size, 0);
  });

  it("does not let expired rules keep binaries from their devices, and says so", async (test) => {
    const site = await makeSite(test, { periods: { rules: 86_400 } });
    await publishAll(site);
    const later = { ...site, workspace: at(site.workspace, "2026-11-22T12:00:00Z") };
    await add(later, { kind: "binary", name: "demo", arch: "x64" });
    const { remarks } = await publishAll(later);
    assert.match(remarks.join("\n"), /metadata of rules have expired: devices install no rules/);
    const { public: open } = site.workspace;
    const found = { kind: "binary", start: later.workspace.now() };
    assert.equal((await pathsFor(await deviceOf(open), open, found)).length, 1);
  });

  it("goes on after another version where a cut publish has used a number that was drafted anew since", async (test) => {
    const site = await publishedSite(test, []);
    await add(site);
    const left = readFileSync(join(site.workspace.drafts, "rules.json"));
    writeFileSync(join(site.workspace.metadata, "2.rules.json"), left);
    await add(site, { version: "1.1.0" });
    await publishAll(site);
    assert.equal((await readPublished(site.workspace.metadata)).rules?.signed.version, 3);
    assert.deepEqual(readFileSync(join(site.workspace.metadata, "2.rules.json")), left);
  });
});

describe("renewOnline", () => {
  it("dates the timestamp anew and leaves drafts and the snapshot alone, until half of its time is over", async (test) => {
    const site = await publishedSite(test, []);
    await add(site);
    const draft = readFileSync(join(site.workspace.drafts, "rules.json"));
    const renewed = async (time: string) => {
      const workspace = at(site.workspace, time);
      const { published } = await renewOnline(workspace, await keysOf(workspace));
      return published.map(({ role, version, expires }) => `${role} ${version} ${expires}`);
    };
    assert.deepEqual(await renewed("2026-11-22T12:00:00Z"), ["timestamp 2 2026-11-29T12:00:00Z"]);
    assert.deepEqual(readFileSync(join(site.workspace.drafts, "rules.json")), draft);
    assert.equal(readdirSync(site.workspace.payloads).length, 1);
    assert.deepEqual(readdirSync(site.workspace.targets), []);
    assert.equal((await renewed("2026-12-05T11:59:59Z")).length, 1);
    assert.deepEqual(await renewed("2026-12-06T12:00:00Z"), [
      "timestamp 4 2026-12-13T12:00:00Z",
      "snapshot 2 2027-01-05T12:00:00Z",
    ]);
  });

  it("warns before root, targets, rules or binary expire", async (test) => {
    const site = await publishedSite(test, []);
    const workspace = at(site.workspace, "2027-02-10T12:00:00Z");
    const { expiring } = await renewOnline(workspace, await keysOf(workspace));
    assert.deepEqual(
      expiring.map(({ role, expires, expires_in_seconds }) => `${role} ${expires} ${expires_in_seconds}`),
      ["targets", "rules", "binary"].map((role) => `${role} 2027-02-18T12:00:00Z ${8 * 86_400}`),
    );
    const found = expiring[0]?.command ?? "";
    assert.match(found, /^steward-publisher renew \S+ targets && steward-publisher publish /);
  });

  it("waits for the first publish, and for the signature of a key that is elsewhere, and keeps the draft", async (test) => {
    const site = await makeSite(test);
    await assert.rejects(renewOnline(site.workspace, []), {
      code: "repository_conflict",
      message: /Nothing is published/,
    });
    await publishAll(site);
    const before = filesIn(site.workspace.public);
    await assert.rejects(renewOnline(site.workspace, []), {
      code: "repository_unsigned",
      message:
        /timestamp needs 1 more signature .*sign \S+ timestamp …, then continue with: steward-publisher renew/,
    });
    assert.deepEqual(filesIn(site.workspace.public), before);
    assert.ok(existsSync(join(site.workspace.drafts, "timestamp.json")), "the draft waits");
  });
});

describe("inspectRepository", () => {
  it("finds what devices could not read: missing files, payloads and dates", async (test) => {
    const site = await publishedSite(test);
    const later = { now: () => new Date("2026-12-01T00:00:00Z"), askPassphrase: async () => "" };
    const [payload = ""] = filesIn(site.workspace.targets).keys();
    unlinkSync(join(site.workspace.targets, payload));
    const { problems } = await inspectRepository(site.workspace.public, later);
    assert.deepEqual(problems, [
      "timestamp version 1 has expired at 2026-11-27T12:00:00Z",
      "the payload of stable/rules/demo-rules-1.0.0.tar.gz is missing",
    ]);
    unlinkSync(join(site.workspace.metadata, "1.rules.json"));
    await assert.rejects(inspectRepository(site.workspace.public, later), {
      code: "repository_conflict",
      message: /1\.rules\.json is missing/,
    });
  });
});

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

async function versionsFor({ workspace: { public: open } }: Site, kind = "rules"): Promise<string[]> {
  const paths = await pathsFor(await deviceOf(open), open, { kind });
  return paths.map((path) => /(\d+\.\d+\.\d+)/.exec(path)?.[1] ?? "");
}

const draftNames = ({ workspace }: Site) =>
  readdirSync(workspace.drafts).filter((name) => name !== "payloads");

describe("publish --only", () => {
  it("publishes one kind while a root draft without its old key waits, which is published when the key comes back", async (test) => {
    const site = await makeBlockedSite(test);
    const none = await publish(site.workspace, [], { only: ["binary"] });
    assert.deepEqual([none.published, none.waiting], [[], ["root"]]);
    await add(site, { version: "1.1.0" });
    await publish(site.workspace, await keysOf(site.workspace), { only: ["rules"] });
    renameSync(join(site.scratch, "root.pem"), join(site.workspace.keys, "root.pem"));
    await signDraft(site.workspace, "root", await keysOf(site.workspace));
    const found = (await publishAll(site)).published.map(({ role, version }) => `${role} ${version}`);
    assert.deepEqual(found, ["root 2", "timestamp 3"]);
  });

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

  it("is refused before the first publish", async (test) => {
    const site = await makeSite(test);
    const message = /first publish must be complete/;
    const partly = publish(site.workspace, await keysOf(site.workspace), { only: ["rules"] });
    await assert.rejects(partly, { code: "repository_conflict", message });
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

  it("gives up all drafts, also a snapshot and a timestamp that wait for signatures", async (test) => {
    const site = await makeBlockedSite(test);
    await add(site, { version: "1.1.0" });
    await assert.rejects(publish(site.workspace, [], { only: ["rules"] }), { code: "repository_unsigned" });
    const found = (await discard(site)).map(({ role }) => role);
    assert.deepEqual(found, ["snapshot", "rules", "root"]);
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

  it("refuses what was never published, and keeps the drafts, but empties that of a kind", async (test) => {
    const site = await makeSite(test);
    const before = draftNames(site);
    const draftOnly = /exists only as a draft.*steward-publisher init/;
    for (const [role, code, message] of [
      ["root", "repository_conflict", draftOnly],
      [undefined, "repository_conflict", draftOnly],
      ["rules", "not_found", /no release in the draft of rules/],
      ["snapshot", "not_found", /no draft of snapshot/],
    ] as const)
      await assert.rejects(discard(site, role), { code, message });
    await add(site, { version: "6.6.6" });
    assert.equal((await discard(site, "rules"))[0]?.is_emptied, true);
    assert.deepEqual([draftNames(site), readdirSync(site.workspace.payloads)], [before, []]);
    await add(site);
    await publishAll(site);
    assert.deepEqual(await versionsFor(site), ["1.0.0"]);
  });
});
