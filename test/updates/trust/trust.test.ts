import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { type Device, openDevice } from "../../../lab/devices/checking-device.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";
import { StewardError } from "../../../src/contract/errors.ts";

/** By nothing of ours. */
function fingerprintOf(root: Buffer): string {
  return createHash("sha256")
    .update(canonical(JSON.parse(root.toString()).signed))
    .digest("hex");
}

async function established(): Promise<Device> {
  const device = await openDevice();
  device.lab.addRelease({ version: "1.0.0", custom: { floor: "0.9.0" } });
  device.lab.publish("rules");
  await device.check();
  await device.room.confirmTrust(fingerprintOf(device.lab.metadata("1.root")), "ada");
  return device;
}

/** Another root in the file, as `trust install` writes it, seen by the next check. */
async function install(device: Device, root: Buffer | null): Promise<void> {
  device.installedRoot = async () => root;
  await device.restart();
}

describe("trust", () => {
  it("is none where no root is installed, and says how to install one", async () => {
    const device = await openDevice();
    await install(device, null);
    const trust = device.room.trust();
    const found = [trust.installed, trust.fingerprint, trust.established, trust.keys.length];
    assert.deepEqual(found, [false, null, false, 0]);
    assert.equal(trust.status.code, "not_installed");
  });

  it("shows the installed root by its fingerprint, and the missing steps one by one", async () => {
    const device = await openDevice();
    const { lab, room } = device;
    const shown = room.trust();
    assert.equal(shown.fingerprint, fingerprintOf(lab.metadata("1.root")));
    assert.deepEqual([shown.installed, shown.confirmed, shown.proven], [true, false, false]);
    const roles = shown.keys.map(({ role, key_ids }) => [role, key_ids]);
    assert.deepEqual(
      roles,
      ["root", "timestamp", "snapshot", "targets"].map((role) => [role, lab.keys[role]?.map(({ id }) => id)]),
    );
    assert.equal(shown.status.code, "not_confirmed");
    await room.confirmTrust(shown.fingerprint ?? "", "ada");
    const found = [room.trust().confirmed_by, room.trust().confirmed_at];
    assert.deepEqual(found, ["ada", "2026-11-20T12:00:00.000Z"]);
    assert.equal(room.trust().status.code, "not_proven");
    assert.equal(room.isTrustEstablished(), false);
    await device.check();
    assert.equal(room.trust().status.code, "established");
    assert.equal(room.isTrustEstablished(), true);
  });

  it("is not confirmed by another fingerprint", async () => {
    const { room } = await openDevice();
    await assert.rejects(room.confirmTrust("0".repeat(64), "ada"), { code: "validation_failed" });
    assert.equal(room.trust().confirmed, false);
  });

  it("is not described again while looks at the file find the same", async () => {
    const device = await openDevice();
    const root = device.lab.metadata("1.root");
    for (const present of [null, root]) {
      await install(device, present);
      let looks = 0;
      device.installedRoot = async () => {
        looks += 1;
        return present;
      };
      const before = device.room.trust();
      for (const count of [1, 2]) {
        await device.runUntil(device.time.now() + 6);
        device.room.trust();
        await until(`look ${count} has begun`, () => looks >= count);
      }
      assert.equal(device.room.trust(), before);
    }
  });
});

describe("rotation", () => {
  it("shows the root in force, and tells of it once", async () => {
    const device = await established();
    device.lab.keys.root = [createSigningKey()];
    device.lab.publishRoot();
    await device.check();
    assert.equal(device.room.trust().root_version, 2);
    assert.equal(device.room.trust().fingerprint, fingerprintOf(device.lab.metadata("1.root")));
    assert.equal(device.room.isTrustEstablished(), true);
    await device.restart();
    await device.check();
    const told = device.events.filter(({ type }) => type === "update.root_rotated");
    const found = told.map(({ details }) => details);
    assert.deepEqual(found, [{ from_version: 1, version: 2 }]);
  });

  it("is told even where the rest of the check failed", async () => {
    const device = await established();
    device.lab.publishRoot();
    device.lab.files.delete("metadata/timestamp.json");
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "failed");
    assert.equal(device.room.trust().root_version, 2);
    assert.ok(device.types().includes("update.root_rotated"), "no event tells of the rotation");
  });
});

describe("an installed root that was changed", () => {
  it("goes on where the root in force has signed it: metadata, confirmation and proof stay", async () => {
    const device = await established();
    device.lab.publishRoot();
    const next = device.lab.metadata("2.root");
    const before = { ...device.files.contents };
    await install(device, next);
    const { trust } = device.room.status();
    assert.equal(trust.fingerprint, fingerprintOf(next));
    assert.deepEqual([trust.confirmed, trust.proven, trust.root_version], [true, true, 2]);
    assert.deepEqual(device.files.contents.timestamp, before.timestamp);
    assert.equal(device.events.at(-1)?.type, "update.trust_installed");
    assert.equal(device.events.at(-1)?.details.goes_on, true);
  });

  it("begins anew where it does not: metadata, floors, confirmation and proof are dropped", async () => {
    const device = await established();
    const other = new SignedRepository({ now: device.options.now() });
    await install(device, other.metadata("1.root"));
    const { trust, available } = device.room.status();
    assert.deepEqual([trust.confirmed, trust.proven, available.rules], [false, false, null]);
    assert.deepEqual(Object.keys(device.files.contents), ["root"]);
    const { floors, validators, announced } = device.record.read();
    assert.deepEqual([floors, validators, announced], [{}, null, []]);
    assert.equal(device.staged.size, 0);
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "failed");
  });

  for (const step of ["clear", "write root"]) {
    it(`never ends with another's root in force, killed at ${step}`, async () => {
      const device = await established();
      const other = new SignedRepository({ now: device.options.now() }).metadata("1.root");
      const { clear, write } = device.files;
      const killed = (): Promise<never> => Promise.reject(new StewardError("storage_unwritable", "killed"));
      if (step === "clear") device.files.clear = killed;
      else device.files.write = killed;
      await install(device, other);
      assert.equal(device.room.trust().installed, false);
      Object.assign(device.files, { clear, write });
      await device.restart();
      assert.equal(device.room.trust().fingerprint, fingerprintOf(other));
      assert.equal(device.room.trust().confirmed, false);
      assert.deepEqual(device.files.contents.root, other);
    });
  }

  it("never ends with another's root in force whose record was lost, killed at write root", async () => {
    const device = await established();
    const other = new SignedRepository({ now: device.options.now() }).metadata("1.root");
    await device.room.stop();
    await device.record.update((present) => ({ ...present, anchor: null, confirmation: null, proof: null }));
    const { write } = device.files;
    device.files.write = () => Promise.reject(new StewardError("storage_unwritable", "killed"));
    await install(device, other);
    device.files.write = write;
    await device.restart();
    assert.deepEqual(device.files.contents.root, other);
    assert.equal(device.room.trust().fingerprint, fingerprintOf(other));
  });
});

describe("a trusted root that has rotted", () => {
  it("is replaced by the installed one, and the versions that are known stay", async () => {
    const device = await established();
    const timestamp = device.files.contents.timestamp;
    device.files.contents.root = Buffer.from("rot");
    await device.restart();
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
    assert.equal(device.room.isTrustEstablished(), true);
    assert.deepEqual(device.files.contents.timestamp, timestamp);
  });
});
