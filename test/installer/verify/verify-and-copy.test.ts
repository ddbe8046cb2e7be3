import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { refused } from "../../../lab/devices/updating-device.ts";
import {
  agentUser,
  idOf,
  isRoot,
  openVerifyLab,
  takenFiles,
  type VerifyLab,
} from "../../../lab/devices/verifying-device.ts";
import { refreshing } from "../../../lab/publisher/refreshing.ts";
import { createSigningKey, sha512 } from "../../../lab/publisher/signing-key.ts";
import { keepingRoots } from "../../../src/tuf/kept-roots.ts";
import { openMetadataFiles } from "../../../src/tuf/metadata-files.ts";

describe("verifying and copying a staged release", { skip: !isRoot && "needs root" }, () => {
  it("takes a release that an agent of another user has staged, into a copy of root's own, with its own rights back", async (test) => {
    const lab = await openVerifyLab(test);
    const payload = Buffer.alloc(1_300_000, "rules");
    // The host file names no channels.
    const added = lab.publisher.addRelease({ version: "1.2.0", channel: "beta", payload });
    lab.publisher.publish("rules");
    await lab.hold();
    const taken = await lab.verifyAndCopy(await lab.stage(added));
    assert.deepEqual([taken.release.version, taken.release.channel], ["1.2.0", "beta"]);
    assert.equal(taken.payload, join(lab.trust, "intake", idOf(added), "payload.tar.gz"));
    assert.equal(sha512(await readFile(taken.payload)), added.target.hashes.sha512);
    const { uid, mode } = await stat(taken.payload);
    assert.deepEqual([uid, mode & 0o777, (await stat(lab.trust)).mode & 0o777], [0, 0o600, 0o700]);
    const isAgents = process.getgroups?.().includes(agentUser);
    assert.deepEqual([process.geteuid?.(), process.getegid?.(), isAgents], [0, 0, false]);
  });

  it("copies nothing where the disk has no room for all that follows, and says it in one number", async (test) => {
    const lab = await openVerifyLab(test);
    const freeBytes = async () => 50 * 1024 ** 2;
    const error = await refused("storage_full", lab.verifyNew("1.2.0", { freeBytes }));
    assert.match(
      error.message,
      /^base 1\.2\.0 needs at least 66 MiB .* \(copy 1, unpacked 1, reserve 64\), and 50 MiB are free\. Free 16 MiB/,
    );
    assert.deepEqual(await takenFiles(lab.trust), []);
  });

  it("keeps what it has verified in metadata of its own, which the agent can neither read nor write, and one copy", async (test) => {
    const lab = await openVerifyLab(test);
    await lab.verifyNew("1.0.0");
    const own = await readFile(join(lab.trust, "metadata/timestamp.json"));
    assert.deepEqual(own, lab.publisher.metadata("timestamp"));
    const { status, stderr } = lab.asAgent('cat "$TRUST/metadata/timestamp.json"');
    assert.notEqual(status, 0);
    assert.match(stderr, /Permission denied/);
    const { release } = await lab.verifyNew("1.1.0");
    assert.deepEqual(await takenFiles(lab.trust), [`${release.id}/payload.tar.gz`]);
  });

  it("finds the chain where the agent's own client has put it", async (test) => {
    const lab = await openVerifyLab(test);
    const { publisher } = lab;
    await clientOf(lab);
    for (let rotations = 0; rotations < 2; rotations += 1) {
      for (const role of ["root", "timestamp", "snapshot", "targets"])
        publisher.keys[role] = [createSigningKey()];
      publisher.publishRoot();
    }
    const added = publisher.addRelease({ version: "1.0.0" });
    publisher.publish("targets", "rules", "binary");
    await clientOf(lab);
    const { release } = await lab.verifyAndCopy(await lab.stage(added));
    assert.equal(release.version, "1.0.0");
  });

  it("goes on with what it knows when the installed root is its own root's successor", async (test) => {
    const lab = await openVerifyLab(test);
    await lab.verifyNew("1.0.0");
    const old = lab.publisher.fork();
    lab.publisher.publishRoot();
    const successor = lab.publisher.metadata("2.root");
    const readInstalledRoot = async () => successor;
    const { release } = await lab.verifyNew("2.0.0", { readInstalledRoot });
    await lab.hold(old);
    await refused("update_rollback_refused", lab.verifyAndCopy(release.id, { readInstalledRoot }));
  });

  it("begins anew when root has installed another publisher's root, and takes nothing without one", async (test) => {
    const lab = await openVerifyLab(test);
    const none = lab.verifyNew("1.0.0", { readInstalledRoot: async () => null });
    await refused("update_trust_not_established", none);
    assert.deepEqual(await takenFiles(lab.trust), []);
    await lab.verifyNew("5.0.0");
    const other = await openVerifyLab(test);
    lab.publisher = other.publisher;
    const readInstalledRoot = async () => other.publisher.metadata("1.root");
    assert.equal((await lab.verifyNew("1.0.0", { readInstalledRoot })).release.version, "1.0.0");
  });
});

/** Checks as the agent does, by the product's own code; as root, and then gives the files to the agent. */
async function clientOf({ publisher, agent }: VerifyLab): Promise<void> {
  const [metadata, roots] = ["metadata", "roots"].map((name) => join(agent, "updates", name));
  const files = keepingRoots(await openMetadataFiles(metadata ?? ""), await openMetadataFiles(roots ?? ""));
  if ((await files.read("root")) === null) await files.write("root", publisher.metadata("1.root"));
  const refreshed = await refreshing(publisher, files);
  for (const kind of ["rules", "binary"]) await refreshed.list("stable", kind);
  execFileSync("chown", ["-R", String(agentUser), join(agent, "updates")]);
}
