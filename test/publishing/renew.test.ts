import assert from "node:assert/strict";
import { readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { attachSignature, bytesToSign, signDraft } from "../../src/publishing/drafts/sign-draft.ts";
import { addPrivateKey, type PrivateKey } from "../../src/publishing/keys/private-keys.ts";
import type { NewKeys } from "../../src/publishing/new-keys.ts";
import { readPublished } from "../../src/publishing/published.ts";
import { type KeyChanges, renewRole } from "../../src/publishing/renew.ts";
import type { DraftedRole, RoleName } from "../../src/publishing/roles.ts";
import { deviceOf, pathsFor } from "./clients.ts";
import { publishedSite, renewed, unchanged } from "./fixture.ts";

/** The key of a role at hand, by its file. */
async function keyOf({ workspace }: Site, role: string): Promise<PrivateKey> {
  const key = (await keysOf(workspace)).find(({ file }) => file.endsWith(`/${role}.pem`));
  assert.ok(key, role);
  return key;
}

async function change({ workspace }: Site, role: DraftedRole, changes: Partial<KeyChanges>) {
  const whole = { ...unchanged, ...changes };
  return renewRole(workspace, role, { keys: await keysOf(workspace), changes: whole });
}

/** Drafts a new key in the place of the present one, which is lost if `isLost`. */
async function replace(site: Site, holder: DraftedRole, role: RoleName, { isLost = false } = {}) {
  const { id: gone, file } = await keyOf(site, role);
  if (isLost) unlinkSync(file);
  const made = await addPrivateKey(site.workspace.keys, role);
  const drafts = await change(site, holder, {
    add: { [role]: [made] },
    remove: { [role]: [gone.slice(0, 12)] },
  });
  return { gone, made, drafts };
}

describe("renewRole", () => {
  it("replaces a root key: the new root is signed by the old and the new one, and devices follow", async (test) => {
    const site = await publishedSite(test, []);
    const { gone, made } = await replace(site, "root", "root");
    await publishAll(site);
    const { root } = await readPublished(site.workspace.metadata);
    assert.deepEqual({ ...root?.signed.roles.root }, { keyids: [made.id], threshold: 1 });
    assert.equal(root?.signed.keys[gone], undefined);
    assert.equal(
      (await (await deviceOf(site.workspace.public)).refresh(site.workspace.public)).root.version,
      2,
    );
  });

  it("drafts the rules again when their key is replaced, so that the old one's signature is not needed", async (test) => {
    const site = await publishedSite(test);
    const { drafts } = await replace(site, "targets", "rules");
    const roles = drafts.map(({ role }) => role);
    assert.deepEqual(roles, ["targets", "rules"]);
    await publishAll(site);
    const { public: open } = site.workspace;
    const rules = ["stable/rules/demo-rules-1.0.0.tar.gz"];
    assert.deepEqual(await pathsFor(await deviceOf(open), open), rules);
  });

  it("has an online key's change signed by the old and the new one, and the new root copied last", async (test) => {
    const site = await publishedSite(test, []);
    const { gone, made } = await replace(site, "root", "timestamp");
    assert.deepEqual((await publishAll(site)).last, ["timestamp.json", "2.root.json"]);
    const { timestamp } = await readPublished(site.workspace.metadata);
    assert.deepEqual(timestamp?.signatures.map(({ keyid }) => keyid).sort(), [gone, made.id].sort());
  });

  it("lets devices follow when an online key was lost and could not sign for the change", async (test) => {
    const site = await publishedSite(test, []);
    const device = await deviceOf(site.workspace.public);
    await device.refresh(site.workspace.public);
    await replace(site, "root", "timestamp", { isLost: true });
    assert.deepEqual((await publishAll(site)).last, ["timestamp.json"]);
    assert.equal((await device.refresh(site.workspace.public)).timestamp.version, 2);
  });

  it("refuses what cannot be, and drafts nothing", async (test) => {
    const site = await publishedSite(test, []);
    const only = { snapshot: [(await keyOf(site, "snapshot")).id] };
    const shared = { rules: [await keyOf(site, "binary")] };
    const bad: [role: DraftedRole, changes: Partial<KeyChanges>, code: string, message: RegExp][] = [
      ["root", { thresholds: { rules: 1 } }, "validation_failed", /metadata of targets/],
      ["targets", { thresholds: { root: 1 } }, "validation_failed", /metadata of root/],
      ["rules", { thresholds: { rules: 1 } }, "validation_failed", /of targets, not of/],
      ["root", { thresholds: { root: 2 } }, "validation_failed", /could never be signed/],
      ["root", { remove: only }, "validation_failed", /could never be signed/],
      ["targets", { add: shared }, "validation_failed", /Give each kind its own keys/],
      ["root", { remove: { root: ["00000000"] } }, "not_found", /not the id of one key of root/],
      ["root", { remove: { root: ["0000000"] } }, "not_found", /first 8 or more/],
    ];
    for (const [role, changes, code, message] of bad)
      await assert.rejects(change(site, role, changes), { code, message });
    assert.deepEqual(readdirSync(site.workspace.drafts), ["payloads"]);
  });
});

describe("attachSignature", () => {
  it("takes 64 bytes or their hex, finds whose they are, and keeps the draft of any other", async (test) => {
    const site = await makeSite(test);
    const path = join(site.workspace.drafts, "rules.json");
    const before = readFileSync(path);
    const [rules, binary] = [await keyOf(site, "rules"), await keyOf(site, "binary")];
    const bytes = await bytesToSign(site.workspace, "rules");
    const bad: [file: Uint8Array, code: string, keyId?: string][] = [
      [binary.sign(bytes), "update_signature_invalid"],
      [rules.sign(Buffer.from("other")), "update_signature_invalid"],
      [new Uint8Array(64), "update_signature_invalid"],
      [new Uint8Array(63), "validation_failed"],
      [new Uint8Array(0), "validation_failed"],
      [Buffer.from("zz".repeat(64)), "validation_failed"],
      [new Uint8Array(64), "not_found", binary.id],
    ];
    for (const [file, code, keyId] of bad)
      await assert.rejects(attachSignature(site.workspace, "rules", { file, keyId }), { code });
    assert.deepEqual(readFileSync(path), before);
    const signature = Buffer.from(rules.sign(bytes));
    for (const file of [signature, Buffer.from(`${signature.toString("hex")}\n`)]) {
      const { signed_by } = await attachSignature(site.workspace, "rules", { file });
      assert.deepEqual(signed_by, [rules.id]);
    }
  });

  it("says that there is no draft, and which keys could sign when none at hand may", async (test) => {
    const site = await publishedSite(test, []);
    const none = { code: "not_found", message: /no draft of rules/ };
    await assert.rejects(bytesToSign(site.workspace, "rules"), none);
    await assert.rejects(signDraft(site.workspace, "timestamp", []), { code: "not_found" });
    await change(site, "rules", {});
    await assert.rejects(signDraft(site.workspace, "rules", [await keyOf(site, "binary")]), {
      code: "not_found",
      message: /None of the keys here counts for rules: \S+binary\.pem/,
    });
  });
});

describe("makeNewKeys", () => {
  it("has the new key take the old one's place, or stand beside it where that is said", async (test) => {
    const site = await publishedSite(test, []);
    const beside = await renewed(site, "root", { roles: ["timestamp"], keepsOld: true });
    assert.deepEqual([beside.keys[0]?.keyids.length, beside.keys[0]?.removed], [2, []]);
    const { made, keys } = await renewed(site, "root", { roles: ["snapshot"] });
    const found = keys.map(({ role, keyids, removed }) => [role, keyids, removed.length]);
    assert.deepEqual(found, [["snapshot", [made[0]?.id], 1]]);
  });

  it("has a public key take the old one's place, and makes none; not one that the role has already", async (test) => {
    const [donor, site] = [await makeSite(test), await makeSite(test)];
    const elsewhere = await keyOf(donor, "rules");
    await publishAll(site);
    const before = readdirSync(site.workspace.keys);
    await assert.rejects(renewed(site, "targets", { given: { rules: [await keyOf(site, "rules")] } }), {
      code: "validation_failed",
      message: /is a key of rules already, so it replaces nothing/,
    });
    const { made, keys } = await renewed(site, "targets", { given: { rules: [elsewhere] } });
    const found = [made, keys[0]?.keyids, keys[0]?.removed.length, readdirSync(site.workspace.keys)];
    assert.deepEqual(found, [[], [elsewhere.id], 1, before]);
  });

  it("replaces as many as are made, so that a threshold of two stays one, or the one of several that is named", async (test) => {
    for (const isNamed of [false, true]) {
      const site = await makeSite(test, { thresholds: { root: 2 } });
      await publishAll(site);
      const gone = (await keyOf(site, "root-2")).id;
      const wanted: Partial<NewKeys> = isNamed
        ? { roles: ["root"], changes: { ...unchanged, remove: { root: [gone] } } }
        : { roles: ["root", "root"] };
      const [root] = (await renewed(site, "root", wanted)).keys;
      assert.equal(root?.keyids.length, 2);
      if (isNamed) assert.deepEqual(root.removed, [gone]);
      else assert.equal(root.removed.length, 2);
    }
  });

  it("tells where a replaced key still counts for another role", async (test) => {
    const shared = [await keyOf(await makeSite(test), "timestamp")];
    const site = await makeSite(test, { publicKeys: { timestamp: shared, snapshot: shared } });
    const { keys } = await renewed(site, "root", { roles: ["timestamp"] });
    assert.deepEqual(keys[0]?.still_in, ["snapshot"]);
  });

  it("makes no key where it would have to guess which one goes, or where the change cannot be", async (test) => {
    const site = await makeSite(test, { thresholds: { root: 2 } });
    const before = readdirSync(site.workspace.keys);
    const two = { ...unchanged, thresholds: { timestamp: 2 } };
    const bad: [role: DraftedRole, wanted: Partial<NewKeys>, message: RegExp][] = [
      [
        ...(["root", { roles: ["root"] }] as const),
        /root has 2 keys\. Tell which one .*--remove-key root=[0-9a-f]{16} or --remove-key.*--keep-old/,
      ],
      ["targets", { roles: ["timestamp"] }, /are in the metadata of root/],
      ["root", { roles: ["timestamp"], changes: two }, /1 keys and a threshold of 2/],
    ];
    for (const [role, wanted, message] of bad)
      await assert.rejects(renewed(site, role, wanted), { code: "validation_failed", message });
    assert.deepEqual(readdirSync(site.workspace.keys), before);
  });
});
