import assert from "node:assert/strict";
import { readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { add, keysOf, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { attachSignature, bytesToSign, signDraft } from "../../src/publishing/drafts/sign-draft.ts";
import { addPrivateKey } from "../../src/publishing/keys/private-keys.ts";
import { readPublished } from "../../src/publishing/published.ts";
import { type KeyChanges, renewRole } from "../../src/publishing/renew.ts";
import type { DraftedRole, RoleName } from "../../src/publishing/roles.ts";
import { makeDevice } from "./clients.ts";

async function idOf({ workspace }: Site, role: RoleName): Promise<string> {
  return (await keysOf(workspace)).find(({ file }) => file.endsWith(`/${role}.pem`))?.id ?? "";
}

async function change({ workspace }: Site, role: DraftedRole, changes: Partial<KeyChanges>) {
  const whole = { add: {}, remove: {}, thresholds: {}, ...changes };
  return renewRole(workspace, role, { keys: await keysOf(workspace), changes: whole });
}

const firstRoot = ({ workspace }: Site) => readFileSync(join(workspace.metadata, "1.root.json"));

describe("renewRole", () => {
  it("replaces a root key: the new root is signed by the old and the new one, and devices follow", async (test) => {
    const site = await makeSite(test);
    await publishAll(site);
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

  it("waits for the old root's keys where they are not at hand", async (test) => {
    const site = await makeSite(test);
    await publishAll(site);
    const gone = await idOf(site, "root");
    const made = await addPrivateKey(site.workspace.keys, "root");
    unlinkSync(join(site.workspace.keys, "root.pem"));
    const [renewed] = await change(site, "root", { add: { root: [made] }, remove: { root: [gone] } });
    assert.deepEqual(
      renewed?.lacking.map(({ by, missing }) => [by, missing]),
      [["root version 1", 1]],
    );
    await assert.rejects(publishAll(site), {
      code: "repository_unsigned",
      message: /as root version 1 says/,
    });
  });

  it("drafts the rules again when their key is replaced, so that the old one's signature is not needed", async (test) => {
    const site = await makeSite(test);
    await add(site);
    await publishAll(site);
    const gone = await idOf(site, "rules");
    const made = await addPrivateKey(site.workspace.keys, "rules");
    const renewed = await change(site, "targets", { add: { rules: [made] }, remove: { rules: [gone] } });
    assert.deepEqual(
      renewed.map(({ role }) => role),
      ["targets", "rules"],
    );
    await publishAll(site);
    const device = await makeDevice(firstRoot(site));
    const found = await (await device.refresh(site.workspace.public)).list("stable", "rules");
    assert.deepEqual(
      found.map(({ path }) => path),
      ["stable/rules/demo-rules-1.0.0.tar.gz"],
    );
  });

  it("has an online key's change signed by the old and the new one, and the new root copied last", async (test) => {
    const site = await makeSite(test);
    await publishAll(site);
    const gone = await idOf(site, "timestamp");
    const made = await addPrivateKey(site.workspace.keys, "timestamp");
    await change(site, "root", { add: { timestamp: [made] }, remove: { timestamp: [gone] } });
    assert.deepEqual((await publishAll(site)).last, ["timestamp.json", "2.root.json"]);
    const { timestamp } = await readPublished(site.workspace.metadata);
    assert.deepEqual(timestamp?.signatures.map(({ keyid }) => keyid).sort(), [gone, made.id].sort());
  });

  it("lets devices follow when an online key was lost and could not sign for the change", async (test) => {
    const site = await makeSite(test);
    await publishAll(site);
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
      const site = await makeSite(test);
      await publishAll(site);
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
    const site = await makeSite(test);
    await publishAll(site);
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
