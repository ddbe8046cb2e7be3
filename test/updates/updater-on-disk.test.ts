import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import type { Device } from "../../lab/devices/checking-device.ts";
import { onDisk, open } from "../../lab/state/state-directory.ts";
import { updateRecordKind } from "../../src/releases/update-record.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { openUpdates } from "../../src/updates/updater.ts";
import { withRelease } from "./fixture.ts";

/** The room over real files, as an agent opens it, with the faults of its record in sentences. */
async function openOver(directory: string, device: Device) {
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
  const check = async () => {
    await device.time.runUntil(device.time.now() + 20);
    await room.check({});
    await room.settled();
  };
  const close = async () => {
    await room.stop();
    await record.close();
  };
  return { room, record, findings, check, close };
}

/** A device that has staged a release of a confirmed publisher, and stopped. */
async function stopped(test: TestContext) {
  const device = await withRelease({}, { version: "1.0.0", custom: { floor: "0.9.0" } });
  const directory = await temporaryDirectory(test);
  const { room, check, close } = await openOver(directory, device);
  await check();
  assert.deepEqual(
    (await onDisk(directory, "updates.json")).floors,
    { "rules/base": "0.9.0" },
    "before the stop",
  );
  await room.confirmTrust(room.trust().fingerprint ?? "", "ada");
  const status = room.status();
  assert.equal(status.state, "staged");
  await close();
  return { device, directory, status };
}

describe("the room of updates over real files", () => {
  it("finds all of it again at the next start, with the seed that was made at the first", async (test) => {
    const { device, directory, status } = await stopped(test);
    const { seed } = await onDisk(directory, "updates.json");
    const { room, close } = await openOver(directory, device);
    assert.deepEqual([room.status(), room.isTrustEstablished()], [status, true]);
    const roles = ["binary", "root", "rules", "snapshot", "targets", "timestamp"];
    const files = (await readdir(`${directory}/updates/metadata`)).sort();
    assert.deepEqual(
      files,
      roles.map((role) => `${role}.json`),
    );
    await close();
    assert.match(String(seed), /^[0-9a-f]{32}$/);
    assert.equal((await onDisk(directory, "updates.json")).seed, seed);
    const other = await temporaryDirectory(test);
    await (await openOver(other, device)).close();
    assert.notEqual((await onDisk(other, "updates.json")).seed, seed);
  });

  it("begins with defaults when its record is lost, and needs to be confirmed again", async (test) => {
    const { device, directory } = await stopped(test);
    for (const name of ["updates.json", "updates.good.json"]) await writeFile(`${directory}/${name}`, "rot");
    const { room, record, findings, check, close } = await openOver(directory, device);
    assert.match(findings.join("\n"), /^.*updates\.json.*default.*$/);
    const { schedule, trust } = room.status();
    const found = [schedule.last_check, trust.confirmed, room.isTrustEstablished()];
    assert.deepEqual(found, [null, false, false]);
    await check();
    assert.deepEqual(record.read().floors, { "rules/base": "0.9.0" });
    await close();
  });
});
