import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { add, at, keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { inspectRepository } from "../../src/publishing/inspect.ts";
import { publish, renewOnline } from "../../src/publishing/publish.ts";
import { readPublished } from "../../src/publishing/published.ts";
import { renewRole } from "../../src/publishing/renew.ts";
import type { DraftedRole } from "../../src/publishing/roles.ts";
import type { Workspace } from "../../src/publishing/workspace.ts";
import { makeDevice } from "./clients.ts";
import { publishedSite, unchanged } from "./fixture.ts";

async function renew(workspace: Workspace, role: DraftedRole): Promise<void> {
  await renewRole(workspace, role, { keys: await keysOf(workspace), changes: unchanged });
}

/** Everything in public/, so that nothing there changes unseen. */
function publicFiles({ workspace }: Pick<Site, "workspace">): string[] {
  const names = readdirSync(workspace.public, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => statSync(join(workspace.public, name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(workspace.public, name)))
          .digest("hex")}`,
    )
    .sort();
}

describe("publish", () => {
  it("gives every role its version, dates it by its period and clears the drafts", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const { published } = await publishAll(site);
    const roles = published.map(({ role, expires }) => `${role} ${expires}`);
    assert.deepEqual(roles, [
      "root 2027-11-20T12:00:00Z",
      "timestamp 2026-11-27T12:00:00Z",
      "snapshot 2026-12-20T12:00:00Z",
      "targets 2027-02-18T12:00:00Z",
      "rules 2027-02-18T12:00:00Z",
      "binary 2027-02-18T12:00:00Z",
    ]);
    assert.deepEqual(readdirSync(site.workspace.drafts), ["payloads"]);
    assert.deepEqual(readdirSync(site.workspace.payloads), []);
  });

  it("leaves a timestamp.json below 1 KiB, which idle devices fetch", async (test) => {
    const site = await publishedSite(test, []);
    assert.ok(statSync(join(site.workspace.metadata, "timestamp.json")).size < 1024, "it is small");
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

  it("says that nothing is new, and changes nothing", async (test) => {
    const site = await publishedSite(test, []);
    const before = publicFiles(site);
    assert.deepEqual((await publishAll(site)).published, []);
    assert.deepEqual(publicFiles(site), before);
  });

  it("names every role that lacks signatures, and publishes nothing", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    unlinkSync(join(site.workspace.keys, "root-1.pem"));
    unlinkSync(join(site.workspace.keys, "rules.pem"));
    await renew(site.workspace, "root");
    await add(site);
    await assert.rejects(publishAll(site), {
      code: "repository_unsigned",
      message: /root needs 1 more signature of [0-9a-f]{16} .*; rules needs 1 more signature/,
    });
    assert.deepEqual(publicFiles(site), []);
  });

  it("refuses a draft that was changed after it was signed", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const path = join(site.workspace.drafts, "rules.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"name":"demo-rules"', '"name":"evil-rules"'));
    await assert.rejects(publishAll(site), { code: "repository_unsigned" });
    assert.deepEqual(publicFiles(site), []);
  });

  it("refuses drafts that have expired before they were published", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const late = at(site.workspace, "2027-03-01T00:00:00Z");
    await assert.rejects(publish(late, await keysOf(late)), {
      code: "update_metadata_expired",
      message:
        /Nothing was published, because devices would refuse it: .*targets expired .*steward-publisher renew/,
    });
    assert.deepEqual(publicFiles(site), []);
  });

  it("refuses a payload that has changed since it was added", async (test) => {
    const site = await makeSite(test);
    await add(site);
    const [name = ""] = readdirSync(site.workspace.payloads);
    const staged = join(site.workspace.payloads, name);
    const bytes = readFileSync(staged);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(staged, bytes);
    await assert.rejects(publishAll(site), { code: "update_payload_mismatch" });
    appendFileSync(staged, "x");
    await assert.rejects(publishAll(site), { code: "not_found", message: /payload of stable\/rules/ });
    assert.deepEqual(publicFiles(site), []);
  });

  it("does not let expired rules keep binaries from their devices, and says so", async (test) => {
    const site = await makeSite(test, { periods: { rules: 86_400 } });
    await publishAll(site);
    const later = { ...site, workspace: at(site.workspace, "2026-11-22T12:00:00Z") };
    await add(later, { kind: "binary", name: "demo", arch: "x64" });
    const { remarks } = await publishAll(later);
    assert.match(remarks.join("\n"), /metadata of rules have expired: devices install no rules/);
    const device = await makeDevice(readFileSync(join(site.workspace.metadata, "1.root.json")));
    const refreshed = await device.refresh(site.workspace.public, later.workspace.now());
    assert.equal((await refreshed.list("stable", "binary")).length, 1);
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
  it("dates the timestamp anew and leaves drafts and the snapshot alone", async (test) => {
    const site = await publishedSite(test, []);
    await add(site);
    const draft = readFileSync(join(site.workspace.drafts, "rules.json"));
    const workspace = at(site.workspace, "2026-11-22T12:00:00Z");
    const { published } = await renewOnline(workspace, await keysOf(workspace));
    assert.deepEqual(published, [{ role: "timestamp", version: 2, expires: "2026-11-29T12:00:00Z" }]);
    assert.deepEqual(readFileSync(join(workspace.drafts, "rules.json")), draft);
    assert.equal(readdirSync(workspace.payloads).length, 1);
    assert.deepEqual(readdirSync(workspace.targets), []);
  });

  it("makes a new snapshot when half of its time is over", async (test) => {
    const site = await publishedSite(test, []);
    const workspace = at(site.workspace, "2026-12-06T12:00:00Z");
    const { published } = await renewOnline(workspace, await keysOf(workspace));
    const roles = published.map(({ role }) => role);
    assert.deepEqual(roles, ["timestamp", "snapshot"]);
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

  it("says that nothing is published yet", async (test) => {
    const { workspace } = await makeSite(test);
    await assert.rejects(renewOnline(workspace, []), {
      code: "repository_conflict",
      message: /Nothing is published/,
    });
  });

  it("waits for the signature of a key that is elsewhere, and keeps the draft", async (test) => {
    const site = await publishedSite(test, []);
    const before = publicFiles(site);
    await assert.rejects(renewOnline(site.workspace, []), {
      code: "repository_unsigned",
      message:
        /timestamp needs 1 more signature .*sign \S+ timestamp …, then continue with: steward-publisher renew/,
    });
    assert.deepEqual(publicFiles(site), before);
    assert.ok(existsSync(join(site.workspace.drafts, "timestamp.json")), "the draft waits");
  });
});

describe("inspectRepository", () => {
  it("finds what devices could not read: missing files, payloads and dates", async (test) => {
    const site = await publishedSite(test);
    const later = { now: () => new Date("2026-12-01T00:00:00Z"), askPassphrase: async () => "" };
    const payload =
      publicFiles(site)
        .find((name) => name.startsWith("targets/"))
        ?.split(" ")[0] ?? "";
    unlinkSync(join(site.workspace.public, payload));
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
