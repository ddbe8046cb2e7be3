import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  add,
  at,
  keysOf,
  makePayload,
  makeSite,
  publishAll,
  rulesEntry,
  type Site,
  today,
} from "../../../lab/publisher/site.ts";
import { addRelease, withdrawRelease } from "../../../src/publishing/add.ts";
import { type ExportRequest, exportRepository } from "../../../src/publishing/export/export.ts";
import { nameOwners } from "../../../src/publishing/keys/owners.ts";
import { renewOnline } from "../../../src/publishing/publish.ts";
import { openWorkspace, type Workspace } from "../../../src/publishing/workspace.ts";
import { deviceOf, downloadWithTufJs } from "../clients.ts";
import { filesIn } from "../fixture.ts";

const day = 86_400;
const path = (version: string) => `stable/rules/demo-rules-${version}.tar.gz`;

/** As the next command finds it. */
const reopened = ({ directory, now, askPassphrase }: Workspace): Promise<Workspace> =>
  openWorkspace(directory, { now, askPassphrase });

async function exported(workspace: Workspace, request: Partial<ExportRequest> = {}) {
  const fresh = await reopened(workspace);
  const file = join(workspace.directory, `out-${readdirSync(workspace.directory).length}.tar`);
  return exportRepository(fresh, { file, keys: await keysOf(workspace), ...request });
}

/** Unpacked by Debian's tar, as a person would do it. */
function unpacked({ scratch }: Pick<Site, "scratch">, file: string): string {
  const into = mkdtempSync(join(scratch, "stick-"));
  execFileSync("tar", ["-xf", file, "-C", into]);
  return into;
}

async function publishedSite(test: TestContext, now?: Date): Promise<Site> {
  const site = await makeSite(test, {}, now);
  await add(site);
  await publishAll(site);
  return site;
}

describe("an exported repository", () => {
  it("is read by tuf-js, unpacked by tar, down to the payload, and public/ is as it was", async (test) => {
    // tuf-js looks at the machine's own clock.
    const site = await publishedSite(test, new Date());
    const before = filesIn(site.workspace.public);
    const { file, signed, bytes } = await exported(site.workspace, { seconds: 90 * day });
    const found = signed.map(({ role, version }) => `${role} ${version}`);
    assert.deepEqual(found, ["snapshot 2", "timestamp 2"]);
    assert.deepEqual(filesIn(site.workspace.public), before);
    assert.deepEqual([statSync(file).size, statSync(file).mode & 0o777], [bytes, 0o644]);
    const stick = unpacked(site, file);
    const root = join(stick, "metadata", "1.root.json");
    const payload = await downloadWithTufJs(test, stick, { root, path: path("1.0.0") });
    assert.deepEqual(Buffer.from(payload), readFileSync(join(site.scratch, "demo-rules-1.0.0.tar.gz")));
  });

  it("is taken for as long as was asked, also on a slow machine, and no longer, or as other metadata last", async (test) => {
    const site = await publishedSite(test);
    const long = await exported(site.workspace, { seconds: 91 * day });
    const { good_until: until, limited_by } = long;
    assert.deepEqual([until, limited_by, long.is_shorter], ["2027-02-18T12:00:00Z", "targets", true]);
    const { file, good_until, is_shorter } = await exported(site.workspace, { seconds: 60 * day });
    assert.deepEqual([good_until, is_shorter], ["2027-01-19T12:00:00Z", false]);
    let seconds = 0;
    const slow = { ...site.workspace, now: () => new Date(today.getTime() + 1_000 * seconds++) };
    assert.equal((await exported(slow, { seconds: 60 * day })).is_shorter, false);
    const stick = unpacked(site, file);
    const device = await deviceOf(stick);
    await device.refresh(stick, new Date("2027-01-19T11:59:59Z"));
    await assert.rejects(device.refresh(stick, new Date(good_until)), { code: "update_metadata_expired" });
    // The server's own timestamp stays short.
    const other = await deviceOf(stick);
    await assert.rejects(other.refresh(site.workspace.public, new Date("2026-11-28T12:00:00Z")), {
      code: "update_metadata_expired",
    });
  });

  it("follows what a device has read from the server, and everything that is published later follows it", async (test) => {
    const site = await publishedSite(test);
    const device = await deviceOf(site.workspace.public);
    await device.refresh(site.workspace.public);
    for (const version of [2, 3]) {
      const { file, signed } = await exported(site.workspace, { seconds: 90 * day });
      assert.deepEqual(signed.at(-1), { role: "timestamp", version });
      const read = await device.refresh(unpacked(site, file));
      assert.equal(read.timestamp.version, version);
    }
    await assert.rejects(device.refresh(site.workspace.public), { code: "update_rollback_refused" });
    const later = await reopened(at(site.workspace, "2026-11-21T12:00:00Z"));
    await renewOnline(later, await keysOf(later));
    const read = await device.refresh(site.workspace.public, later.now());
    assert.deepEqual([read.timestamp.version, read.snapshot.version], [4, 4]);
    assert.equal(read.timestamp.expires, "2026-11-28T12:00:00Z");
  });

  it("numbers a draft of the timestamp that waits for its key again, also when owners of keys are named", async (test) => {
    const site = await publishedSite(test);
    const keys = await keysOf(site.workspace);
    const online = keys.filter(({ file }) => file.endsWith("/snapshot.pem"));
    await assert.rejects(renewOnline(site.workspace, online), { code: "repository_unsigned" });
    await exported(site.workspace, { seconds: 90 * day });
    await nameOwners(await reopened(site.workspace), [{ keyId: keys[0]?.id ?? "", owner: "Anna" }]);
    const { published } = await renewOnline(await reopened(site.workspace), keys);
    assert.deepEqual(published.at(0), { role: "timestamp", version: 3, expires: "2026-11-27T12:00:00Z" });
  });

  it("has the published metadata of the keys that are elsewhere, and notes nothing of them", async (test) => {
    const site = await publishedSite(test);
    const config = () => readFileSync(join(site.directory, "repository.json"), "utf8");
    const before = config();
    const all = await keysOf(site.workspace);
    const without = async (role: string) => {
      const keys = all.filter(({ file }) => !file.endsWith(`/${role}.pem`));
      const result = await exported(site.workspace, { seconds: 90 * day, keys });
      const { file, signed, good_until, limited_by, is_shorter } = result;
      return { file, found: [signed, good_until, limited_by, is_shorter] };
    };
    const { file, found } = await without("timestamp");
    assert.deepEqual(found, [[], "2026-11-27T12:00:00Z", "timestamp", true]);
    assert.equal(config(), before);
    const seen = readFileSync(join(unpacked(site, file), "metadata", "timestamp.json"));
    assert.deepEqual(seen, readFileSync(join(site.workspace.metadata, "timestamp.json")));
    const ownTimestamp = [{ role: "timestamp", version: 2 }];
    const other = (await without("snapshot")).found;
    assert.deepEqual(other, [ownTimestamp, "2026-12-20T12:00:00Z", "snapshot", true]);
  });
});

describe("the payloads of an exported repository", () => {
  it("are the newest that such a device may choose, and no others", async (test) => {
    const site = await publishedSite(test);
    const keys = await keysOf(site.workspace);
    const waves = {
      start: "2026-11-20T00:00:00Z",
      steps: [
        { percent: 10, after_seconds: 0 },
        { percent: 100, after_seconds: 7 * day },
      ],
    };
    // An older agent can take 1.0.0 only.
    await add(site, { version: "1.0.5", min_agent: "0.2.0" });
    await add(site, { version: "1.1.0", min_agent: "0.2.0" });
    await add(site, { version: "1.2.0", min_agent: "0.2.0", waves });
    await add(site, { version: "1.3.0" });
    const withdrawn = { kind: "rules", name: "demo-rules", version: "1.3.0", channel: "stable" } as const;
    await withdrawRelease(site.workspace, { selection: withdrawn, reason: "bad", keys });
    await add(site, { version: "2.0.0", channel: "beta" });
    const file = makePayload(site, "other.tar.gz", "other");
    const other = rulesEntry({ version: "3.0.0", name: "other-rules", product: "other" });
    await addRelease(site.workspace, { file, entry: other, keys, allowed: ["new-product"] });
    for (const arch of ["x64", "arm64"] as const)
      await add(site, { kind: "binary", name: "demo", version: "1.0.0", arch });
    await publishAll(site);
    await add(site, { version: "9.0.0" });

    const names = async (request: Partial<ExportRequest>) => {
      const { file, releases } = await exported(site.workspace, request);
      const there = [...filesIn(join(unpacked(site, file), "targets")).keys()];
      const found = there.map((name) => name.replace(/[0-9a-f]{128}\./, "")).sort();
      assert.deepEqual(found, [...releases].sort(), "the archive holds what it says");
      return releases.map((one) => one.replace(/^(\w+)\/\w+\/(.+)\.tar\.gz$/, "$1 $2")).sort();
    };
    assert.deepEqual(await names({ product: "demo", arch: "arm64", channel: "stable" }), [
      "stable demo-1.0.0-linux-arm64",
      "stable demo-rules-1.0.0",
      "stable demo-rules-1.1.0",
      "stable demo-rules-1.2.0",
    ]);
    assert.deepEqual(await names({ channel: "beta" }), ["beta demo-rules-2.0.0"]);
    assert.deepEqual(await names({ product: "other" }), ["stable other-rules-3.0.0"]);
    assert.equal((await names({})).length, 7);
    await assert.rejects(names({ product: "nobody" }), { code: "not_found" });
  });
});

describe("an export that fails", () => {
  it("leaves no archive, and never replaces a file", async (test) => {
    const site = await publishedSite(test);
    const [payload = ""] = [...filesIn(site.workspace.targets).keys()];
    const place = join(site.workspace.targets, payload);
    const good = readFileSync(place);
    writeFileSync(place, Buffer.from(good).fill(0, 20, 21));
    const names = () => readdirSync(site.directory).sort();
    const before = names();
    await assert.rejects(exported(site.workspace), { code: "update_payload_mismatch" });
    assert.deepEqual(names(), before);
    writeFileSync(place, good);
    const taken = join(site.scratch, "taken.tar");
    writeFileSync(taken, "mine");
    await assert.rejects(exported(site.workspace, { file: taken }), { code: "repository_conflict" });
    assert.equal(readFileSync(taken, "utf8"), "mine");
    const nowhere = join(site.scratch, "nowhere", "out.tar");
    await assert.rejects(exported(site.workspace, { file: nowhere }), {
      code: /not_found|storage_unwritable/,
    });
  });

  it("is refused before anything is published, and where devices would refuse the archive", async (test) => {
    const site = await makeSite(test);
    await add(site);
    await assert.rejects(exported(site.workspace), { code: "repository_conflict" });
    await publishAll(site);
    const later = at(site.workspace, "2026-11-28T12:00:00Z");
    const file = join(site.scratch, "late.tar");
    await assert.rejects(exported(later, { file }), { code: "update_metadata_expired" });
    assert.equal(existsSync(file), false);
    // A timestamp of its own is all that it lacks.
    assert.equal((await exported(later, { seconds: 10 * day })).is_shorter, false);
  });
});
