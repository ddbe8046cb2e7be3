import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { type Device, openDevice } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { StewardError } from "../../src/contract/errors.ts";

const minute = 60;
const hour = 3_600;

/** When checks were begun by the schedule, in minutes since the start. */
async function checksUntil(device: Device, seconds: number, from = 0): Promise<number[]> {
  const at: number[] = [];
  const repositoryOf = device.repositoryOf;
  device.repositoryOf = (url, signal, report) => {
    at.push(Math.round(device.time.now() / minute));
    return repositoryOf?.(url, signal, report) ?? reading(device.lab).repository;
  };
  await device.runUntil(from + seconds);
  device.repositoryOf = repositoryOf;
  return at;
}

describe("the schedule", () => {
  it("checks within half an hour after a start, and then at each interval", async () => {
    const device = await openDevice({ enabled: true });
    device.room.start();
    assert.equal(device.room.status().schedule.next_check_at, "2026-11-20T12:15:00.000Z");
    assert.deepEqual(await checksUntil(device, 13 * hour), [15, 15 + 360, 15 + 720]);
  });

  it("checks soon after a root was installed, once a user has looked", async () => {
    const device = await openDevice({ enabled: true });
    const installedRoot = device.installedRoot;
    device.installedRoot = async () => null;
    await device.restart();
    device.room.start();
    await device.runUntil(hour);
    device.installedRoot = installedRoot;
    await device.runUntil(hour + 6);
    await until("the root is seen", () => device.room.trust().installed);
    assert.equal((await checksUntil(device, 2 * minute, hour)).length, 1);
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

it("a check that fails obeys Retry-After", async () => {
  const device = await openDevice({ enabled: true });
  const details = { retryAfterSeconds: 10 * hour };
  const error = new StewardError("update_server_unreachable", "503", { details });
  const failing = { ...reading(device.lab).repository, readMetadata: () => Promise.reject(error) };
  device.repositoryOf = () => failing;
  device.room.start();
  assert.deepEqual(await checksUntil(device, 12 * hour), [15, 615]);
});

describe("an idle device", () => {
  it("writes nothing at once while its checks find nothing new", async () => {
    const device = await openDevice({ enabled: true });
    device.room.start();
    await device.runUntil(hour);
    const before = device.record.writes();
    await device.runUntil(72 * hour);
    assert.equal(device.opened.length, 12);
    assert.equal(device.record.writes(), before);
  });
});
