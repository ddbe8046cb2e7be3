import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import { refused } from "../../../lab/devices/updating-device.ts";
import { filesInMemory, refreshing } from "../../../lab/publisher/refreshing.ts";
import type { LabListing, LabRoot, LabSigned } from "../../../lab/publisher/signed-forms.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import type { SigningKey } from "../../../lab/publisher/signing-key.ts";
import { readRootOfTrust, readRootToInstall } from "../../../src/tuf/root-of-trust.ts";

const trusting = (lab: SignedRepository) => filesInMemory({ root: lab.metadata("1.root") });

/** A root with the same keys, written in upper-case hex; `ids` too. */
function inUpperCase(root: LabRoot, { ids }: { ids: boolean }): void {
  const idOf = (id: string) => (ids ? id.toUpperCase() : id);
  root.keys = Object.fromEntries(
    Object.entries(root.keys).map(([id, key]) => [
      idOf(id),
      { ...key, keyval: { public: key.keyval.public.toUpperCase() } },
    ]),
  );
  for (const role of Object.values(root.roles)) role.keyids = role.keyids.map(idOf);
}

describe("rollback attack by a change of keys that is none", () => {
  for (const ids of [false, true]) {
    const what = ids ? "keys and key ids" : "keys";
    it(`the same ${what} in upper-case hex, and a timestamp of two versions ago`, async () => {
      const lab = new SignedRepository();
      const files = trusting(lab);
      const before = new Map(lab.files);
      for (let count = 0; count < 3; count += 1) lab.publish("targets");
      assert.equal((await refreshing(lab, files)).timestamp.version, 4);
      lab.publishRoot((root) => inUpperCase(root, { ids }));
      const evil = lab.fork();
      for (const [path, bytes] of before) evil.files.set(path, bytes);
      await refused("update_rollback_refused", refreshing(evil, files));
      lab.publish("targets");
      const { root, timestamp } = await refreshing(lab, files);
      assert.deepEqual([root.version, timestamp.version], [2, 5]);
    });
  }
});

describe("a file that is named by hashes of unknown algorithms alone (TUF 5.5.2)", () => {
  const unknown = (name: string, role: string) => (signer: string, signed: LabSigned) => {
    const file = signer === role ? (signed as LabListing).meta[name] : undefined;
    if (file) file.hashes = { "blake2b-256": "ab".repeat(32) };
    return signed;
  };

  it("is refused as the snapshot of a timestamp", async () => {
    const lab = new SignedRepository();
    lab.tampering.beforeSigning = unknown("snapshot.json", "timestamp");
    lab.publishTimestamp();
    const error = await refused("update_metadata_mismatch", refreshing(lab, trusting(lab)));
    assert.match(error.message, /neither a sha256 nor a sha512/);
  });

  it("is refused as the targets of a snapshot, and also where it was taken before", async () => {
    const lab = new SignedRepository();
    const files = trusting(lab);
    await refreshing(lab, files);
    lab.tampering.beforeSigning = unknown("targets.json", "snapshot");
    lab.publishSnapshot();
    await refused("update_metadata_mismatch", refreshing(lab, files));
  });

  it("is taken with a sha256 alone, and with none at all, as publishers may leave them out", async () => {
    for (const hashes of [["sha256"], []]) {
      const lab = new SignedRepository();
      lab.tampering.beforeSigning = (_role, signed) => {
        const files = signed._type === "timestamp" || signed._type === "snapshot" ? signed.meta : {};
        for (const file of Object.values(files)) {
          const kept = Object.entries(file.hashes ?? {}).filter(([name]) => hashes.includes(name));
          file.hashes = Object.fromEntries(kept);
          if (kept.length === 0) delete file.hashes;
        }
        return signed;
      };
      lab.publish("targets", "rules", "binary");
      assert.equal((await refreshing(lab, trusting(lab))).snapshot.version, 2);
    }
  });
});

/** A publisher's key of the type that python-tuf calls ecdsa; it signs as it should. */
function ecdsaKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    id: "ec".repeat(32),
    object: { keytype: "ecdsa", scheme: "ecdsa-sha2-nistp256", keyval: { public: publicKey } },
    sign: (bytes) => sign("sha256", bytes, privateKey).toString("hex"),
  };
}

describe("a root whose keys are ECDSA", () => {
  const reason =
    /Only Ed25519 keys count here .*the role \w+ has 1 of another type: "ecdsa\/ecdsa-sha2-nistp256"\./;

  const isUnusable = { code: "update_root_unusable", message: reason };

  it("is refused for its keys, and not as one that was changed on the way", () => {
    const lab = new SignedRepository();
    lab.keys.root = [ecdsaKey()];
    lab.publishRoot();
    assert.throws(() => readRootOfTrust(lab.metadata("2.root")), isUnusable);
  });

  it("is not installed where it is another role's keys: every check would fail", () => {
    const lab = new SignedRepository();
    lab.keys.timestamp = [ecdsaKey()];
    lab.publishRoot();
    assert.equal(readRootOfTrust(lab.metadata("2.root")).root.version, 2);
    assert.throws(() => readRootToInstall(lab.metadata("2.root")), isUnusable);
  });

  it("is named as the reason where a delegated role or a later root has them", async () => {
    const lab = new SignedRepository();
    const files = trusting(lab);
    lab.keys.rules = [ecdsaKey()];
    lab.publish("targets", "rules");
    const refreshed = await refreshing(lab, files);
    const error = await refused("update_signature_invalid", refreshed.list("stable", "rules"));
    assert.match(error.message, reason);
    lab.keys.timestamp = [ecdsaKey()];
    lab.publishRoot();
    lab.publish("targets");
    assert.match((await refused("update_signature_invalid", refreshing(lab, files))).message, reason);
  });

  it("does no harm as one key more beside enough Ed25519 keys", async () => {
    const lab = new SignedRepository();
    lab.keys.root?.push(ecdsaKey());
    lab.publishRoot();
    assert.equal(readRootToInstall(lab.metadata("2.root")).root.version, 2);
    assert.equal((await refreshing(lab, trusting(lab))).root.version, 2);
  });
});
