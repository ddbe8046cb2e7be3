import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { type Device, openDevice } from "../../lab/devices/checking-device.ts";
import { onDisk, open } from "../../lab/state/state-directory.ts";
import { type UpdateRecord, updateRecordKind } from "../../src/releases/update-record.ts";
import type { Document } from "../../src/store/documents/document.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { openUpdates, type UpdateRoom } from "../../src/updates/updater.ts";

interface OnDisk {
  readonly room: UpdateRoom;
  readonly record: Document<UpdateRecord>;
  /** The record had these faults, in sentences. */
  readonly findings: readonly string[];
  close(): Promise<void>;
}

/** The room over real files, as an agent opens it. */
async function openOver(directory: string, device: Device): Promise<OnDisk> {
  const findings: string[] = [];
  const found = async ({ detail }: { detail: string }) => void findings.push(detail);
  const record = await open(directory, updateRecordKind, { found });
  const updates = `${directory}/updates`;
  await mkdir(`${updates}/staged`, { recursive: true });
  const room = await openUpdates({
    ...device.options,
    record,
    files: await openMetadataFiles(`${updates}/metadata`),
    payloads: {
      takesPatches: () => false,
      staged: async () => (await readdir(`${updates}/staged`)).map((name) => name.slice(0, 32)),
      fetch: ({ id }) => writeFile(`${updates}/staged/${id}.tar.gz`, "payload"),
      keepOnly: async () => undefined,
      remove: async () => undefined,
    },
  });
  return {
    room,
    record,
    findings,
    close: async () => {
      await room.stop();
      await record.close();
    },
  };
}

async function withRelease(test: TestContext): Promise<{ device: Device; directory: string }> {
  const device = await openDevice();
  device.lab.addRelease({ version: "1.0.0", custom: { floor: "0.9.0" } });
  device.lab.publish("rules");
  return { device, directory: await temporaryDirectory(test) };
}

describe("the room of updates over real files", () => {
  it("finds all of it again at the next start", async (test) => {
    const { device, directory } = await withRelease(test);
    const first = await openOver(directory, device);
    await first.room.check({});
    await first.room.settled();
    await first.room.confirmTrust(first.room.trust().fingerprint ?? "", "ada");
    const before = first.room.status();
    assert.equal(before.state, "staged");
    await first.close();
    const second = await openOver(directory, device);
    assert.deepEqual(second.room.status(), before);
    assert.equal(second.room.isTrustEstablished(), true);
    assert.deepEqual((await readdir(`${directory}/updates/metadata`)).sort(), [
      "binary.json",
      "root.json",
      "rules.json",
      "snapshot.json",
      "targets.json",
      "timestamp.json",
    ]);
    await second.close();
  });

  it("makes a seed once, and has floors on the disk before anything is fetched", async (test) => {
    const { device, directory } = await withRelease(test);
    await (await openOver(directory, device)).close();
    const { seed } = await onDisk(directory, "updates.json");
    assert.match(String(seed), /^[0-9a-f]{32}$/);
    const { room, close } = await openOver(directory, device);
    await room.check({});
    await room.settled();
    const stored = await onDisk(directory, "updates.json");
    assert.deepEqual([stored.seed, stored.floors], [seed, { "rules/base": "0.9.0" }]);
    await close();
    const other = await temporaryDirectory(test);
    await (await openOver(other, device)).close();
    assert.notEqual((await onDisk(other, "updates.json")).seed, seed);
  });

  it("begins with defaults when its record is lost, and needs to be confirmed again", async (test) => {
    const { device, directory } = await withRelease(test);
    const first = await openOver(directory, device);
    await first.room.check({});
    await first.room.settled();
    await first.room.confirmTrust(first.room.trust().fingerprint ?? "", "ada");
    await first.close();
    for (const name of ["updates.json", "updates.good.json"]) await writeFile(`${directory}/${name}`, "rot");
    const second = await openOver(directory, device);
    assert.equal(second.room.isTrustEstablished(), false);
    assert.equal(second.findings.length, 1);
    assert.match(second.findings.join(), /updates\.json.*default/);
    assert.equal(second.room.status().schedule.last_check, null);
    assert.equal(second.room.trust().confirmed, false);
    await device.time.runUntil(20);
    await second.room.check({});
    await second.room.settled();
    assert.deepEqual(second.record.read().floors, { "rules/base": "0.9.0" });
    await second.close();
  });
});
