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

const anotherRoot = ({ options }: Device): Buffer =>
  new SignedRepository({ now: options.now() }).metadata("1.root");

describe("trust", () => {
  it("is none where no root is installed, and is described anew only where a look at the file finds another", async () => {
    const device = await openDevice();
    for (const present of [null, device.lab.metadata("1.root")]) {
      await install(device, present);
      const trust = device.room.trust();
      const fingerprint = present && fingerprintOf(present);
      assert.deepEqual(
        [trust.installed, trust.fingerprint, trust.established],
        [present !== null, fingerprint, false],
      );
      assert.equal(trust.status.code, present ? "not_confirmed" : "not_installed");
      let looks = 0;
      device.installedRoot = async () => {
        looks += 1;
        return present;
      };
      for (const count of [1, 2]) {
        await device.runUntil(device.time.now() + 6);
        device.room.trust();
        await until(`look ${count} has begun`, () => looks >= count);
      }
      assert.equal(device.room.trust(), trust);
    }
  });

  it("is established by its fingerprint, confirmed by a person, and a proof", async () => {
    const device = await openDevice();
    const { lab, room } = device;
    const codes: string[] = [room.trust().status.code];
    const { fingerprint, installed, confirmed, proven, keys } = room.trust();
    assert.equal(fingerprint, fingerprintOf(lab.metadata("1.root")));
    assert.deepEqual([installed, confirmed, proven], [true, false, false]);
    const own = ["root", "timestamp", "snapshot", "targets"].map((role) => [
      role,
      lab.keys[role]?.map(({ id }) => id),
    ]);
    const found = keys.map(({ role, key_ids }) => [role, key_ids]);
    assert.deepEqual(found, own);
    await assert.rejects(room.confirmTrust("0".repeat(64), "ada"), { code: "validation_failed" });
    codes.push(room.trust().status.code);
    await room.confirmTrust(fingerprint ?? "", "ada");
    const { confirmed_by, confirmed_at } = room.trust();
    assert.deepEqual([confirmed_by, confirmed_at], ["ada", "2026-11-20T12:00:00.000Z"]);
    codes.push(room.trust().status.code);
    assert.equal(room.isTrustEstablished(), false);
    await device.check();
    codes.push(room.trust().status.code);
    assert.deepEqual(codes, ["not_confirmed", "not_confirmed", "not_proven", "established"]);
    assert.equal(room.isTrustEstablished(), true);
  });
});

describe("rotation", () => {
  it("shows the root in force, and tells of it once", async () => {
    const device = await established();
    device.lab.keys.root = [createSigningKey()];
    device.lab.publishRoot();
    await device.check();
    const { root_version, fingerprint } = device.room.trust();
    assert.deepEqual([root_version, fingerprint], [2, fingerprintOf(device.lab.metadata("1.root"))]);
    assert.equal(device.room.isTrustEstablished(), true);
    await device.restart();
    await device.check();
    const told = device.events.filter(({ type }) => type === "update.root_rotated");
    const shown = told.map(({ details }) => details);
    assert.deepEqual(shown, [{ from_version: 1, version: 2 }]);
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
    const { timestamp } = device.files.contents;
    await install(device, next);
    const { trust } = device.room.status();
    assert.deepEqual([trust.fingerprint, trust.root_version], [fingerprintOf(next), 2]);
    assert.deepEqual([trust.confirmed, trust.proven], [true, true]);
    assert.deepEqual(device.files.contents, { ...device.files.contents, root: next, timestamp });
    const { type, details } = device.events.at(-1) ?? {};
    assert.deepEqual([type, details?.goes_on], ["update.trust_installed", true]);
  });

  it("begins anew where it does not: metadata, floors, confirmation and proof are dropped", async () => {
    const device = await established();
    await install(device, anotherRoot(device));
    const { trust, available } = device.room.status();
    assert.deepEqual([trust.confirmed, trust.proven, available.rules], [false, false, null]);
    assert.deepEqual([Object.keys(device.files.contents), device.staged.size], [["root"], 0]);
    const { floors, validators, announced } = device.record.read();
    assert.deepEqual([floors, validators, announced], [{}, null, []]);
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "failed");
  });

  const noRecord = { anchor: null, confirmation: null, proof: null };
  for (const [what, step, lost] of [
    ["killed at clear", "clear", {}],
    ["killed at the record", "record", {}],
    ["killed at write root", "write", {}],
    ["whose record was lost, killed at write root", "write", noRecord],
  ] as const)
    it(`never ends with another's root in force, ${what}`, async () => {
      const device = await established();
      const other = anotherRoot(device);
      const { timestamp } = device.files.contents;
      await device.room.stop();
      await device.record.update((present) => ({ ...present, ...lost }));
      const { clear, write } = device.files;
      const killed = new StewardError("storage_unwritable", "killed");
      if (step === "record") device.record.failWith = killed;
      else device.files[step] = () => Promise.reject(killed);
      await install(device, other);
      assert.equal(device.room.trust().installed, false);
      Object.assign(device.files, { clear, write });
      device.record.failWith = null;
      await device.restart();
      const { fingerprint, confirmed } = device.room.trust();
      assert.deepEqual([fingerprint, confirmed], [fingerprintOf(other), false]);
      // Without a record it is not known to whom the versions belong: they stay.
      const { root, timestamp: kept } = device.files.contents;
      assert.deepEqual([root, kept], [other, lost === noRecord ? timestamp : undefined]);
    });
});

it("a trusted root that has rotted is replaced by the installed one, and the versions that are known stay", async () => {
  const device = await established();
  const { timestamp } = device.files.contents;
  device.files.contents.root = Buffer.from("rot");
  await device.restart();
  await device.check();
  assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
  assert.equal(device.room.isTrustEstablished(), true);
  assert.deepEqual(device.files.contents.timestamp, timestamp);
});
