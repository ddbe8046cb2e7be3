import assert from "node:assert/strict";
import { readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { attachSignature, bytesToSign, signDraft } from "../../src/publishing/drafts/sign-draft.ts";
import { addPrivateKey } from "../../src/publishing/keys/private-keys.ts";
import type { NewKeys } from "../../src/publishing/new-keys.ts";
import { readPublished } from "../../src/publishing/published.ts";
import { type KeyChanges, renewRole } from "../../src/publishing/renew.ts";
import type { DraftedRole, RoleName } from "../../src/publishing/roles.ts";
import { makeDevice } from "./clients.ts";
import { publishedSite, renewed, unchanged } from "./fixture.ts";

async function idOf({ workspace }: Site, role: RoleName): Promise<string> {
  return (await keysOf(workspace)).find(({ file }) => file.endsWith(`/${role}.pem`))?.id ?? "";
}

async function change({ workspace }: Site, role: DraftedRole, changes: Partial<KeyChanges>) {
  const whole = { ...unchanged, ...changes };
  return renewRole(workspace, role, { keys: await keysOf(workspace), changes: whole });
}

const firstRoot = ({ workspace }: Site) => readFileSync(join(workspace.metadata, "1.root.json"));

describe("renewRole", () => {
  it("replaces a root key: the new root is signed by the old and the new one, and devices follow", async (test) => {
    const site = await publishedSite(test, []);
    const gone = await idOf(site, "root");
    const made = await addPrivateKey(site.workspace.keys, "root");
    await change(site, "root", { add: { root: [made] }, remove: { root: [gone.slice(0, 12)] } });
    await publishAll(site);
    const { root } = await readPublished(site.workspace.metadata);
    assert.deepEqual({ ...root?.signed.roles.root }, { keyids: [made.id], threshold: 1 });
    assert.equal(root?.signed.keys[gone], undefined);
    const device = await makeDevice(firstRoot(site));
    assert.equal((await device.refresh(site.workspace.public)).root.version, 2);
  });

  it("drafts the rules again when their key is replaced, so that the old one's signature is not needed", async (test) => {
    const site = await publishedSite(test);
    const gone = await idOf(site, "rules");
    const made = await addPrivateKey(site.workspace.keys, "rules");
    const renewed = await change(site, "targets", { add: { rules: [made] }, remove: { rules: [gone] } });
    const roles = renewed.map(({ role }) => role);
    assert.deepEqual(roles, ["targets", "rules"]);
    await publishAll(site);
    const device = await makeDevice(firstRoot(site));
    const found = await (await device.refresh(site.workspace.public)).list("stable", "rules");
    const paths = found.map(({ path }) => path);
    assert.deepEqual(paths, ["stable/rules/demo-rules-1.0.0.tar.gz"]);
  });

  it("has an online key's change signed by the old and the new one, and the new root copied last", async (test) => {
    const site = await publishedSite(test, []);
    const gone = await idOf(site, "timestamp");
    const made = await addPrivateKey(site.workspace.keys, "timestamp");
    await change(site, "root", { add: { timestamp: [made] }, remove: { timestamp: [gone] } });
    assert.deepEqual((await publishAll(site)).last, ["timestamp.json", "2.root.json"]);
    const { timestamp } = await readPublished(site.workspace.metadata);
    assert.deepEqual(timestamp?.signatures.map(({ keyid }) => keyid).sort(), [gone, made.id].sort());
  });

  it("lets devices follow when an online key was lost and could not sign for the change", async (test) => {
    const site = await publishedSite(test, []);
    const device = await makeDevice(firstRoot(site));
    await device.refresh(site.workspace.public);
    const gone = await idOf(site, "timestamp");
    unlinkSync(join(site.workspace.keys, "timestamp.pem"));
    const made = await addPrivateKey(site.workspace.keys, "timestamp");
    await change(site, "root", { add: { timestamp: [made] }, remove: { timestamp: [gone] } });
    assert.deepEqual((await publishAll(site)).last, ["timestamp.json"]);
    assert.equal((await device.refresh(site.workspace.public)).timestamp.version, 2);
  });

  const remove = (id: string) => ({ remove: { root: [id] } });
  const bad: [name: string, role: DraftedRole, changes: Partial<KeyChanges>, message: RegExp][] = [
    ["keys of rules in the root", "root", { thresholds: { rules: 1 } }, /metadata of targets/],
    ["keys of root in the targets", "targets", { thresholds: { root: 1 } }, /metadata of root/],
    ["keys in the metadata of rules", "rules", { thresholds: { rules: 1 } }, /of targets, not of/],
    ["a threshold above the keys", "root", { thresholds: { root: 2 } }, /could never be signed/],
    ["a key id that is none", "root", remove("00000000"), /not the id of one key of root/],
    ["a key id of 7 digits", "root", remove("0000000"), /first 8 or more/],
  ];
  for (const [name, role, changes, message] of bad)
    it(`refuses ${name} and drafts nothing`, async (test) => {
      const site = await publishedSite(test, []);
      const code = changes.remove ? "not_found" : "validation_failed";
      await assert.rejects(change(site, role, changes), { code, message });
      assert.deepEqual(readdirSync(site.workspace.drafts), ["payloads"]);
    });

  it("refuses to remove the last key", async (test) => {
    const site = await makeSite(test);
    const only = await idOf(site, "snapshot");
    await assert.rejects(change(site, "root", { remove: { snapshot: [only] } }), {
      code: "validation_failed",
    });
  });

  it("refuses to give the key of binary to rules", async (test) => {
    const site = await makeSite(test);
    const binary = (await keysOf(site.workspace)).find(({ file }) => file.endsWith("/binary.pem"));
    assert.ok(binary, "a binary key");
    await assert.rejects(change(site, "targets", { add: { rules: [binary] } }), {
      code: "validation_failed",
      message: /Give each kind its own keys/,
    });
  });
});

describe("attachSignature", () => {
  it("takes 64 bytes or their hex, and finds whose they are", async (test) => {
    const site = await makeSite(test);
    const keys = await keysOf(site.workspace);
    const rules = keys.find(({ file }) => file.endsWith("/rules.pem"));
    const signature = Buffer.from(rules?.sign(await bytesToSign(site.workspace, "rules")) ?? []);
    for (const file of [signature, Buffer.from(`${signature.toString("hex")}\n`)]) {
      const { signed_by } = await attachSignature(site.workspace, "rules", { file });
      assert.deepEqual(signed_by, [rules?.id]);
    }
  });

  it("refuses a signature of another key, of other bytes, or of another size, and keeps the draft", async (test) => {
    const site = await makeSite(test);
    const path = join(site.workspace.drafts, "rules.json");
    const before = readFileSync(path);
    const keys = await keysOf(site.workspace);
    const of = (role: RoleName) => keys.find(({ file }) => file.endsWith(`/${role}.pem`));
    const bytes = await bytesToSign(site.workspace, "rules");
    const bad: [Uint8Array | undefined, string][] = [
      [of("binary")?.sign(bytes), "update_signature_invalid"],
      [of("rules")?.sign(Buffer.from("other")), "update_signature_invalid"],
      [new Uint8Array(64), "update_signature_invalid"],
      [new Uint8Array(63), "validation_failed"],
      [new Uint8Array(0), "validation_failed"],
      [Buffer.from("zz".repeat(64)), "validation_failed"],
    ];
    for (const [file, code] of bad) {
      assert.ok(file, "a signature");
      await assert.rejects(attachSignature(site.workspace, "rules", { file }), { code });
    }
    await assert.rejects(
      attachSignature(site.workspace, "rules", { file: new Uint8Array(64), keyId: of("binary")?.id ?? "" }),
      { code: "not_found" },
    );
    assert.deepEqual(readFileSync(path), before);
  });

  it("says that there is no draft", async (test) => {
    const site = await publishedSite(test, []);
    await assert.rejects(bytesToSign(site.workspace, "rules"), {
      code: "not_found",
      message: /no draft of rules/,
    });
    await assert.rejects(signDraft(site.workspace, "timestamp", []), { code: "not_found" });
  });

  it("says which keys could sign when none at hand may", async (test) => {
    const site = await makeSite(test);
    const binary = (await keysOf(site.workspace)).filter(({ file }) => file.endsWith("/binary.pem"));
    await assert.rejects(signDraft(site.workspace, "rules", binary), {
      code: "not_found",
      message: /None of the keys here counts for rules: \S+binary\.pem/,
    });
  });
});

describe("makeNewKeys", () => {
  it("has the new key take the old one's place", async (test) => {
    const site = await publishedSite(test, []);
    const { made, keys } = await renewed(site, "root", { roles: ["timestamp"] });
    const roles = keys.map(({ role, keyids }) => [role, ...keyids]);
    assert.deepEqual(roles, [["timestamp", made[0]?.id]]);
    assert.equal(keys[0]?.removed.length, 1);
  });

  it("has a public key take the old one's place, and makes none", async (test) => {
    const [donor, site] = [await makeSite(test), await makeSite(test)];
    const [elsewhere] = (await keysOf(donor.workspace)).filter(({ file }) => file.endsWith("/rules.pem"));
    assert.ok(elsewhere);
    await publishAll(site);
    const before = readdirSync(site.workspace.keys);
    const { made, keys } = await renewed(site, "targets", { given: { rules: [elsewhere] } });
    const found = [made, keys[0]?.keyids, keys[0]?.removed.length, readdirSync(site.workspace.keys)];
    assert.deepEqual(found, [[], [elsewhere.id], 1, before]);
  });

  it("refuses a public key that the role has already: it replaces nothing", async (test) => {
    const site = await makeSite(test);
    const own = (await keysOf(site.workspace)).filter(({ file }) => file.endsWith("/rules.pem"));
    await assert.rejects(renewed(site, "targets", { given: { rules: own } }), {
      code: "validation_failed",
      message: /is a key of rules already, so it replaces nothing/,
    });
  });

  it("keeps the old one where that is said", async (test) => {
    const site = await publishedSite(test, []);
    const { keys } = await renewed(site, "root", { roles: ["timestamp"], keepsOld: true });
    assert.deepEqual([keys[0]?.keyids.length, keys[0]?.removed], [2, []]);
  });

  it("replaces as many as are made, so that a threshold of two stays one", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    await publishAll(site);
    const { keys } = await renewed(site, "root", { roles: ["root", "root"] });
    assert.deepEqual([keys[0]?.keyids.length, keys[0]?.removed.length], [2, 2]);
  });

  it("replaces the one of several that is named", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    await publishAll(site);
    const gone = (await keysOf(site.workspace)).find(({ file }) => file.endsWith("/root-2.pem"))?.id ?? "";
    const changes = { ...unchanged, remove: { root: [gone] } };
    const { keys } = await renewed(site, "root", { roles: ["root"], changes });
    assert.deepEqual([keys[0]?.keyids.length, keys[0]?.removed], [2, [gone]]);
  });

  it("tells where a replaced key still counts for another role", async (test) => {
    const donor = await makeSite(test);
    const shared = (await keysOf(donor.workspace)).filter(({ file }) => file.endsWith("/timestamp.pem"));
    const site = await makeSite(test, { publicKeys: { timestamp: shared, snapshot: shared } });
    const { keys } = await renewed(site, "root", { roles: ["timestamp"] });
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
      await assert.rejects(renewed(site, role, wanted), { code: "validation_failed", message });
      assert.deepEqual(readdirSync(site.workspace.keys), before);
    });
  }
});
