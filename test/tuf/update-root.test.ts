import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesInMemory, refreshing } from "../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../lab/publisher/signing-key.ts";

const trusting = (lab: SignedRepository) => ({ root: lab.metadata("1.root") });

describe("the chain of roots", () => {
  it("begins with the root that is trusted, and not without one", async () => {
    const lab = new SignedRepository();
    await assert.rejects(refreshing(lab, filesInMemory()), { code: "update_trust_not_established" });
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
