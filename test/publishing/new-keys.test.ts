import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { makeNewKeys, type NewKeys } from "../../src/publishing/new-keys.ts";
import { type KeyChanges, renewRole } from "../../src/publishing/renew.ts";
import type { DraftedRole } from "../../src/publishing/roles.ts";

const unchanged: KeyChanges = { add: {}, remove: {}, thresholds: {} };

/** As `steward-publisher renew ROLE --new-key …` does it. */
async function renew({ workspace }: Site, role: DraftedRole, wanted: Partial<NewKeys>) {
  const whole = { roles: [], keepsOld: false, changes: unchanged, ...wanted };
  const { changes, made } = await makeNewKeys(workspace, role, whole);
  const [renewed] = await renewRole(workspace, role, { keys: await keysOf(workspace), changes });
  return { made, keys: renewed?.keys ?? [] };
}

describe("makeNewKeys", () => {
  it("has the new key take the old one's place", async (test) => {
    const site = await makeSite(test);
    await publishAll(site);
    const { made, keys } = await renew(site, "root", { roles: ["timestamp"] });
    assert.deepEqual(
      keys.map(({ role, keyids }) => [role, ...keyids]),
      [["timestamp", made[0]?.id]],
    );
    assert.equal(keys[0]?.removed.length, 1);
  });

  it("has a public key take the old one's place, and makes none", async (test) => {
    const [donor, site] = [await makeSite(test), await makeSite(test)];
    const [elsewhere] = (await keysOf(donor.workspace)).filter(({ file }) => file.endsWith("/rules.pem"));
    assert.ok(elsewhere);
    await publishAll(site);
    const before = readdirSync(site.workspace.keys);
    const { made, keys } = await renew(site, "targets", { given: { rules: [elsewhere] } });
    assert.deepEqual(
      [made, keys[0]?.keyids, keys[0]?.removed.length, readdirSync(site.workspace.keys)],
      [[], [elsewhere.id], 1, before],
    );
  });

  it("refuses a public key that the role has already: it replaces nothing", async (test) => {
    const site = await makeSite(test);
    const own = (await keysOf(site.workspace)).filter(({ file }) => file.endsWith("/rules.pem"));
    await assert.rejects(renew(site, "targets", { given: { rules: own } }), {
      code: "validation_failed",
      message: /is a key of rules already, so it replaces nothing/,
    });
  });

  it("keeps the old one where that is said", async (test) => {
    const site = await makeSite(test);
    await publishAll(site);
    const { keys } = await renew(site, "root", { roles: ["timestamp"], keepsOld: true });
    assert.deepEqual([keys[0]?.keyids.length, keys[0]?.removed], [2, []]);
  });

  it("replaces as many as are made, so that a threshold of two stays one", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    await publishAll(site);
    const { keys } = await renew(site, "root", { roles: ["root", "root"] });
    assert.deepEqual([keys[0]?.keyids.length, keys[0]?.removed.length], [2, 2]);
  });

  it("replaces the one of several that is named", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    await publishAll(site);
    const gone = (await keysOf(site.workspace)).find(({ file }) => file.endsWith("/root-2.pem"))?.id ?? "";
    const changes = { ...unchanged, remove: { root: [gone] } };
    const { keys } = await renew(site, "root", { roles: ["root"], changes });
    assert.deepEqual([keys[0]?.keyids.length, keys[0]?.removed], [2, [gone]]);
  });

  it("tells where a replaced key still counts for another role", async (test) => {
    const donor = await makeSite(test);
    const shared = (await keysOf(donor.workspace)).filter(({ file }) => file.endsWith("/timestamp.pem"));
    const site = await makeSite(test, { publicKeys: { timestamp: shared, snapshot: shared } });
    const { keys } = await renew(site, "root", { roles: ["timestamp"] });
    assert.deepEqual(keys[0]?.still_in, ["snapshot"]);
  });

  const bad: [name: string, role: DraftedRole, wanted: Partial<NewKeys>, message: RegExp][] = [
    [
      "to guess which of two keys is to go",
      "root",
      { roles: ["root"] },
      /root has 2 keys\. Tell which one .*--remove-key root=[0-9a-f]{16} or --remove-key.*--keep-old/,
    ],
    ["a key of another holder", "targets", { roles: ["timestamp"] }, /are in the metadata of root/],
    [
      "a threshold that the new key cannot meet alone",
      "root",
      { roles: ["timestamp"], changes: { ...unchanged, thresholds: { timestamp: 2 } } },
      /1 keys and a threshold of 2/,
    ],
  ];
  for (const [name, role, wanted, message] of bad) {
    it(`refuses ${name}, and makes no key`, async (test) => {
      const site = await makeSite(test, { thresholds: { root: 2 } });
      const before = readdirSync(site.workspace.keys);
      await assert.rejects(renew(site, role, wanted), { code: "validation_failed", message });
      assert.deepEqual(readdirSync(site.workspace.keys), before);
    });
  }
});
