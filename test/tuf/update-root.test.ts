import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesInMemory, refreshing } from "../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey, placeholderKey } from "../../lab/publisher/signing-key.ts";
import { caps } from "../../src/tuf/caps.ts";

const trusting = (lab: SignedRepository) => ({ root: lab.metadata("1.root") });

describe("the chain of roots", () => {
  it("is followed to its end, each root signed by the one before it", async () => {
    const lab = new SignedRepository();
    for (let version = 2; version <= 5; version += 1) {
      lab.keys.root = [createSigningKey()];
      lab.publishRoot();
    }
    const files = filesInMemory(trusting(lab));
    const { root, rotations } = await refreshing(lab, files);
    assert.deepEqual([root.version, rotations], [5, 4]);
    assert.deepEqual(files.contents.root, lab.metadata("5.root"));
  });

  it("begins with the root that is trusted, and not without one", async () => {
    const lab = new SignedRepository();
    await assert.rejects(refreshing(lab, filesInMemory()), { code: "update_trust_not_established" });
  });

  it("ends at a root that its predecessor did not sign; the good part is kept", async () => {
    const lab = new SignedRepository();
    lab.publishRoot();
    lab.signers.root = [createSigningKey()];
    lab.publishRoot();
    const files = filesInMemory(trusting(lab));
    await assert.rejects(refreshing(lab, files), { code: "update_signature_invalid" });
    assert.deepEqual(files.contents.root, lab.metadata("2.root"));
    assert.equal(files.contents.timestamp, undefined);
  });

  it("goes on at the next refresh where one follows more roots than the cap", async () => {
    const few = { caps: { ...caps, rootRotations: 5 } };
    const lab = new SignedRepository();
    for (let version = 2; version <= 9; version += 1) lab.publishRoot();
    const files = filesInMemory(trusting(lab));
    await assert.rejects(refreshing(lab, files, few), { code: "update_limit_exceeded" });
    assert.deepEqual(files.contents.root, lab.metadata("6.root"));
    assert.equal((await refreshing(lab, files, few)).root.version, 9);
  });

  it("takes in no root that names a placeholder for a key", async () => {
    const lab = new SignedRepository();
    lab.keys.timestamp?.push(placeholderKey("00".repeat(32)));
    lab.publishRoot();
    const files = filesInMemory(trusting(lab));
    await assert.rejects(refreshing(lab, files), { code: "update_signature_invalid", message: /all zero/ });
    assert.deepEqual(files.contents.root, lab.metadata("1.root"));
  });

  it("is kept although its last root has expired, and nothing else is", async () => {
    const lab = new SignedRepository();
    lab.publishRoot((root) => {
      root.expires = "2020-01-01T00:00:00Z";
    });
    const files = filesInMemory(trusting(lab));
    await assert.rejects(refreshing(lab, files), { code: "update_metadata_expired" });
    assert.deepEqual(Object.keys(files.contents), ["root"]);
  });
});

describe("when the keys of snapshot are rotated after a fast-forward attack", () => {
  /** A device that has seen version 1000 of targets, and a repository that has taken the key away and begun again. */
  async function recovered() {
    const lab = new SignedRepository();
    lab.targets.version = 999;
    lab.publish("targets");
    const contents: Record<string, Uint8Array> = trusting(lab);
    await refreshing(lab, filesInMemory(contents));
    lab.targets.version = 1;
    lab.keys.snapshot = [createSigningKey()];
    lab.publishRoot();
    lab.publish("targets");
    return { lab, contents };
  }

  it("forgets what the old keys had signed, and takes the lower version", async () => {
    const { lab, contents } = await recovered();
    const { snapshot } = await refreshing(lab, filesInMemory(contents));
    assert.equal(snapshot.meta["targets.json"]?.version, 2);
  });

  for (const point of [
    "write root",
    "remove snapshot",
    "remove timestamp",
    "remove root/rotation",
    "write timestamp",
  ]) {
    it(`does so although the first try is killed at "${point}"`, async () => {
      const { lab, contents } = await recovered();
      await assert.rejects(
        refreshing(
          lab,
          filesInMemory(contents, (change) => change === point),
        ),
        /killed/,
      );
      const { snapshot } = await refreshing(lab, filesInMemory(contents));
      assert.equal(snapshot.meta["targets.json"]?.version, 2);
      assert.equal(contents["root/rotation"], undefined);
    });
  }

  it("forgets nothing where the server then withholds the new root", async () => {
    const { lab, contents } = await recovered();
    const before = { ...contents };
    await assert.rejects(
      refreshing(
        lab,
        filesInMemory(contents, (change) => change === "write root"),
      ),
      /killed/,
    );
    lab.files.delete("metadata/2.root.json");
    await assert.rejects(refreshing(lab, filesInMemory(contents)), { code: "update_signature_invalid" });
    assert.deepEqual(contents.snapshot, before.snapshot);
  });
});
