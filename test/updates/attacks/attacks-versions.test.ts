import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";
import { attacked, type Change, refusedAt, replaceKey, roles, signedOf } from "./fixture.ts";

/** The repository two versions on, and the device with it; gives back what was served before. */
async function movedOn(lab: Lab): Promise<Map<string, Buffer>> {
  const before = new Map(lab.repository.files);
  for (let count = 0; count < 2; count += 1) lab.repository.publish("targets", "rules", "binary");
  lab.server.files = lab.repository.files;
  const refreshed = await lab.refresh();
  await refreshed.list("stable", "rules");
  await refreshed.list("stable", "binary");
  return before;
}

describe("rollback attack", () => {
  it("on the root: an older one under the next number", async (test) => {
    const lab = await startLab(test);
    lab.repository.publishRoot();
    await lab.refresh();
    const old = lab.repository.metadata("1.root");
    lab.server.files = new Map([...lab.repository.files, ["metadata/3.root.json", old]]);
    await withstands(lab, { code: "update_metadata_mismatch" });
  });

  it("on the root: one that leaps over the next number", (test) =>
    attacked(test, "update_metadata_mismatch", (evil) => {
      evil.tampering.beforeSigning = (role, signed) => (role === "root" ? { ...signed, version: 9 } : signed);
      evil.publishRoot();
    }));

  it("on the timestamp: a mirror as it was two versions ago", (test) =>
    attacked(test, "update_rollback_refused", (_, lab) => movedOn(lab)));

  it("on the snapshot: a new timestamp that names an old snapshot", (test) =>
    attacked(test, "update_rollback_refused", async (evil, lab) => {
      const old = structuredClone(evil.timestamp.meta);
      await movedOn(lab);
      const { version } = lab.repository.timestamp;
      Object.assign(evil.timestamp, { version, meta: old });
      evil.publishTimestamp();
    }));

  for (const role of ["targets", "rules", "binary"])
    for (const isNamed of [true, false])
      it(`on the role ${role}: a new snapshot that names ${isNamed ? "its old version" : "it no more"}`, async (test) => {
        const lab = await startLab(test);
        const old = structuredClone(lab.repository.snapshot.meta[`${role}.json`]);
        assert.ok(old, "the snapshot named the role");
        await movedOn(lab);
        const evil = lab.repository.fork();
        if (isNamed) evil.snapshot.meta[`${role}.json`] = old;
        else delete evil.snapshot.meta[`${role}.json`];
        evil.publishSnapshot();
        lab.server.files = evil.files;
        await withstands(lab, { code: "update_rollback_refused", moved: ["timestamp"] });
      });
});

describe("fast-forward attack", () => {
  /** A device that has taken a version of the role far ahead; its server is the publisher's again. */
  async function farAhead(test: Parameters<typeof startLab>[0], role: string, keys = 1) {
    const lab = await startLab(test, { keyCounts: { timestamp: keys, snapshot: keys } });
    const { repository, server } = lab;
    const evil = repository.fork();
    signedOf(evil, role).version = Number.MAX_SAFE_INTEGER - 1;
    if (role === "timestamp") evil.publishTimestamp();
    else if (role === "snapshot") evil.publishSnapshot();
    else evil.publish(role);
    server.files = evil.files;
    await (await lab.refresh()).list("stable", "rules");
    server.files = repository.files;
    return lab;
  }

  for (const role of roles) {
    const replaced = role === "timestamp" ? role : "snapshot";
    it(`on the ${role} ends when the key of the ${replaced} is replaced (TUF 5.3.11)`, async (test) => {
      const lab = await farAhead(test, role);
      for (let count = 0; count < 3; count += 1) lab.repository.publish("targets", "rules");
      await refused("update_rollback_refused", lab.refresh());
      replaceKey(lab.repository, replaced);
      await recovers(lab);
    });
  }

  for (const role of ["timestamp", "snapshot", "rules"])
    for (const replaced of ["timestamp", "snapshot"])
      it(`on the ${role} ends too where one of two keys of the ${replaced} is replaced, and the other still signs`, async (test) => {
        const lab = await farAhead(test, role, 2);
        replaceKey(lab.repository, replaced);
        await recovers(lab);
      });

  it("does not end by a new root that replaces no such key: versions never go back by themselves", async (test) => {
    const lab = await farAhead(test, "timestamp");
    replaceKey(lab.repository, "targets");
    lab.repository.publish("targets");
    await refused("update_rollback_refused", lab.refresh());
  });

  it("by version numbers that no double holds is refused as it stands", (test) =>
    attacked(test, "update_metadata_malformed", (evil) => {
      evil.timestamp.version = 2 ** 53 - 1;
      evil.publishTimestamp();
    }));
});

describe("mix and match attack", () => {
  for (const pinned of [true, false])
    for (const role of ["snapshot", "targets", "rules"])
      it(`with an old ${role} under the name of the new one, told by ${pinned ? "hashes" : "versions alone"}`, (test) => {
        const mixed = refusedAt(role, "update_metadata_mismatch");
        const change: Change = (evil) => {
          const old = evil.metadata(`${signedOf(evil, role).version}.${role}`);
          evil.addRelease({ version: "2.0.0" });
          evil.publish("targets", "rules");
          return new Map([...evil.files, [`metadata/${signedOf(evil, role).version}.${role}.json`, old]]);
        };
        return attacked(test, mixed, change, { pinned });
      });

  it("with another snapshot of the same version, as its publisher signed both", (test) =>
    attacked(test, { code: "update_metadata_mismatch", moved: ["timestamp"] }, (one, lab) => {
      const other = lab.repository.fork();
      // Both versions have the same length, so the two snapshots do too.
      one.addRelease({ version: "2.0.0" });
      other.addRelease({ version: "3.0.0" });
      for (const each of [one, other]) each.publish("rules");
      const name = `${one.snapshot.version}.snapshot`;
      return new Map([...one.files, [`metadata/${name}.json`, other.metadata(name)]]);
    }));
});

describe("a malicious mirror", () => {
  for (const role of roles)
    it(`that holds back the ${role}`, (test) =>
      attacked(test, refusedAt(role, "update_file_missing"), (evil) => {
        evil.publish("targets", "rules");
        return new Map([...evil.files].filter(([path]) => !path.endsWith(`${role}.json`)));
      }));

  it("that holds back a new root gets nothing signed by the new keys taken", async (test) => {
    const lab = await startLab(test);
    const { repository, server } = lab;
    repository.keys.timestamp = [createSigningKey()];
    repository.publishRoot();
    repository.publish("rules");
    server.files = new Map([...repository.files].filter(([path]) => path !== "metadata/2.root.json"));
    await withstands(lab, { code: "update_signature_invalid" });
  });

  it("that holds a chain of more roots than are followed at once is followed in more than one refresh", async (test) => {
    const lab = await startLab(test);
    for (let count = 0; count < 5; count += 1) lab.repository.publishRoot();
    await refused("update_limit_exceeded", lab.refresh({ caps: { rootRotations: 3 } }));
    assert.match((await lab.trusted())["root.json"] ?? "", /"version": 4/);
    await lab.refresh({ caps: { rootRotations: 3 } });
    await recovers(lab);
  });
});
