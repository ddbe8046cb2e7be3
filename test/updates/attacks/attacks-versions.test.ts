import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";

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

  it("on the root: one that leaps over the next number", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.tampering.beforeSigning = (role, signed) => ({
      ...signed,
      version: role === "root" ? 9 : signed.version,
    });
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_metadata_mismatch" });
  });

  it("on the timestamp: a mirror as it was two versions ago", async (test) => {
    const lab = await startLab(test);
    lab.server.files = await movedOn(lab);
    await withstands(lab, { code: "update_rollback_refused" });
  });

  it("on the snapshot: a new timestamp that names an old snapshot", async (test) => {
    const lab = await startLab(test);
    const old = structuredClone(lab.repository.timestamp.meta);
    await movedOn(lab);
    const evil = lab.repository.fork();
    evil.timestamp.meta = old;
    evil.publishTimestamp();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_rollback_refused" });
  });

  for (const role of ["targets", "rules", "binary"]) {
    it(`on the role ${role}: a new snapshot that names its old version`, async (test) => {
      const lab = await startLab(test);
      const old = structuredClone(lab.repository.snapshot.meta[`${role}.json`]);
      await movedOn(lab);
      const evil = lab.repository.fork();
      assert.ok(old, "the snapshot named the role");
      evil.snapshot.meta[`${role}.json`] = old;
      evil.publishSnapshot();
      lab.server.files = evil.files;
      await withstands(lab, { code: "update_rollback_refused", moved: ["timestamp"] });
    });

    it(`on the role ${role}: a new snapshot that names it no more`, async (test) => {
      const lab = await startLab(test);
      await movedOn(lab);
      const evil = lab.repository.fork();
      delete evil.snapshot.meta[`${role}.json`];
      evil.publishSnapshot();
      lab.server.files = evil.files;
      await withstands(lab, { code: "update_rollback_refused", moved: ["timestamp"] });
    });
  }
});

describe("fast-forward attack", () => {
  const farAway = Number.MAX_SAFE_INTEGER;

  for (const role of ["timestamp", "snapshot"]) {
    it(`on the ${role} ends when its key is replaced (TUF 5.3.11)`, async (test) => {
      const lab = await startLab(test);
      const { repository, server } = lab;
      const evil = repository.fork();
      if (role === "timestamp") evil.timestamp.version = farAway - 1;
      else evil.snapshot.version = farAway - 1;
      evil.publishSnapshot();
      server.files = evil.files;
      await lab.refresh();
      server.files = repository.files;
      repository.publish("rules");
      repository.publish("rules");
      await refused("update_rollback_refused", lab.refresh());
      repository.keys[role] = [createSigningKey()];
      repository.publishRoot();
      await recovers(lab);
    });
  }

  for (const role of ["targets", "rules"]) {
    it(`on ${role} ends when the snapshot's key is replaced (TUF 5.3.11)`, async (test) => {
      const lab = await startLab(test);
      const { repository, server } = lab;
      const evil = repository.fork();
      const signed = role === "targets" ? evil.targets : evil.delegated[role];
      assert.ok(signed, "the lab has the role");
      signed.version = farAway - 1;
      evil.publish(role);
      server.files = evil.files;
      await (await lab.refresh()).list("stable", "rules");
      server.files = repository.files;
      for (let count = 0; count < 3; count += 1) repository.publish("targets", "rules");
      await refused("update_rollback_refused", lab.refresh());
      repository.keys.snapshot = [createSigningKey()];
      repository.publishRoot();
      await recovers(lab);
    });
  }

  for (const role of ["timestamp", "snapshot"]) {
    for (const replaced of ["timestamp", "snapshot"]) {
      it(`on the ${role} ends too where one of two keys of the ${replaced} is replaced, and the other still signs`, async (test) => {
        const lab = await startLab(test, { keyCounts: { timestamp: 2, snapshot: 2 } });
        const { repository, server } = lab;
        const evil = repository.fork();
        if (role === "timestamp") evil.timestamp.version = farAway - 1;
        else evil.snapshot.version = farAway - 1;
        evil.publishSnapshot();
        server.files = evil.files;
        await lab.refresh();
        repository.keys[replaced] = [...(repository.keys[replaced] ?? []).slice(0, 1), createSigningKey()];
        repository.publishRoot();
        await recovers(lab);
      });
    }
  }

  for (const replaced of ["timestamp", "snapshot"]) {
    it(`on the rules ends where one of two keys of the ${replaced} is replaced`, async (test) => {
      const lab = await startLab(test, { keyCounts: { timestamp: 2, snapshot: 2 } });
      const { repository, server } = lab;
      const evil = repository.fork();
      assert.ok(evil.delegated.rules, "the lab has rules");
      evil.delegated.rules.version = farAway - 1;
      evil.publish("rules");
      server.files = evil.files;
      await (await lab.refresh()).list("stable", "rules");
      repository.keys[replaced] = [...(repository.keys[replaced] ?? []).slice(0, 1), createSigningKey()];
      repository.publishRoot();
      await recovers(lab);
    });
  }

  it("does not end by a new root that replaces no such key: versions never go back by themselves", async (test) => {
    const lab = await startLab(test);
    const { repository, server } = lab;
    const evil = repository.fork();
    evil.timestamp.version = farAway - 1;
    evil.publishTimestamp();
    server.files = evil.files;
    await lab.refresh();
    server.files = repository.files;
    repository.keys.targets = [createSigningKey()];
    repository.publishRoot();
    repository.publish("targets");
    await refused("update_rollback_refused", lab.refresh());
  });

  it("by version numbers that no double holds is refused as it stands", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.timestamp.version = 2 ** 53 - 1;
    evil.publishTimestamp();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_metadata_malformed" });
  });
});

describe("mix and match attack", () => {
  for (const pinned of [true, false]) {
    const by = pinned ? "hashes" : "versions alone";
    for (const role of ["snapshot", "targets", "rules"]) {
      it(`with an old ${role} under the name of the new one, told by ${by}`, async (test) => {
        const lab = await startLab(test, { pinned });
        const evil = lab.repository.fork();
        const signed = { snapshot: evil.snapshot, targets: evil.targets, rules: evil.delegated.rules }[role];
        assert.ok(signed, "the lab has the role");
        const old = evil.metadata(`${signed.version}.${role}`);
        evil.addRelease({ version: "2.0.0" });
        evil.publish("targets", "rules");
        lab.server.files = new Map([...evil.files, [`metadata/${signed.version}.${role}.json`, old]]);
        const moved = { snapshot: ["timestamp"], targets: ["timestamp", "snapshot"] }[role];
        await withstands(lab, {
          code: "update_metadata_mismatch",
          moved: moved ?? ["timestamp", "snapshot", "targets"],
          search: true,
        });
      });
    }
  }

  it("with another snapshot of the same version, as its publisher signed both", async (test) => {
    const lab = await startLab(test);
    const [one, other] = [lab.repository.fork(), lab.repository.fork()];
    // Both versions have the same length, so the two snapshots do too.
    one.addRelease({ version: "2.0.0" });
    one.publish("rules");
    other.addRelease({ version: "3.0.0" });
    other.publish("rules");
    const name = `metadata/${one.snapshot.version}.snapshot.json`;
    lab.server.files = new Map([...one.files, [name, other.metadata(`${other.snapshot.version}.snapshot`)]]);
    await withstands(lab, { code: "update_metadata_mismatch", moved: ["timestamp"] });
  });
});

describe("a malicious mirror", () => {
  for (const role of ["timestamp", "snapshot", "targets", "rules"]) {
    it(`that holds back the ${role}`, async (test) => {
      const lab = await startLab(test);
      const evil = lab.repository.fork();
      evil.publish("targets", "rules");
      const kept = [...evil.files].filter(([path]) => !path.endsWith(`${role}.json`));
      lab.server.files = new Map(kept);
      const order = ["timestamp", "snapshot", "targets", "rules"];
      await withstands(lab, {
        code: "update_file_missing",
        moved: order.slice(0, order.indexOf(role)),
        search: true,
      });
    });
  }

  it("that holds back a new root gets nothing signed by the new keys taken", async (test) => {
    const lab = await startLab(test);
    const { repository, server } = lab;
    repository.keys.timestamp = [createSigningKey()];
    repository.publishRoot();
    repository.publish("rules");
    const kept = [...repository.files].filter(([path]) => path !== "metadata/2.root.json");
    server.files = new Map(kept);
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
