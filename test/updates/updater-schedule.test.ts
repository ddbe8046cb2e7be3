import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { type Device, openDevice } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { StewardError } from "../../src/contract/errors.ts";

const minute = 60;
const hour = 60 * minute;

/** When checks were begun by the schedule, in minutes since the start. */
async function checksUntil(device: Device, seconds: number, repository = reading(device.lab).repository) {
  const at: number[] = [];
  device.repositoryOf = () => {
    at.push(Math.round(device.time.now() / minute));
    return repository;
  };
  await device.runUntil(seconds);
  return at;
}

describe("the schedule", () => {
  it("checks within half an hour after a start, and then at each interval", async () => {
    const device = await openDevice({ enabled: true });
    device.room.start();
    assert.equal(device.room.status().schedule.next_check_at, "2026-11-20T12:15:00.000Z");
    assert.deepEqual(await checksUntil(device, 13 * hour), [15, 15 + 360, 15 + 720]);
    const writes = device.record.writes();
    assert.equal((await checksUntil(device, 72 * hour)).length, 9);
    assert.equal(device.record.writes(), writes, "a check that finds nothing new has written");
  });

  it("checks soon after a root was installed, once a user has looked", async () => {
    const device = await openDevice({ enabled: true });
    const { installedRoot } = device;
    device.installedRoot = async () => null;
    await device.restart();
    device.room.start();
    await device.runUntil(hour);
    device.installedRoot = installedRoot;
    await device.runUntil(hour + 6);
    await until("the root is seen", () => device.room.trust().installed);
    assert.equal((await checksUntil(device, hour + 2 * minute)).length, 1);
  });

  it("obeys Retry-After", async () => {
    const device = await openDevice({ enabled: true });
    const details = { retryAfterSeconds: 10 * hour };
    const error = new StewardError("update_server_unreachable", "503", { details });
    device.room.start();
    const failing = { ...reading(device.lab).repository, readMetadata: () => Promise.reject(error) };
    assert.deepEqual(await checksUntil(device, 12 * hour, failing), [15, 615]);
  });
});

it("a change of the server has it proven anew", async () => {
  const device = await openDevice();
  await device.check();
  assert.equal(device.room.trust().proven, true);
  device.settings = { ...device.settings, ota: { ...device.settings.ota, server: "https://other.example" } };
  device.room.settingsChanged();
  assert.equal(device.room.trust().proven, false);
});
