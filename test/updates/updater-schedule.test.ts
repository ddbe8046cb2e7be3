import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { type Device, openDevice } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { StewardError } from "../../src/contract/errors.ts";

const minute = 60;
const hour = 3_600;

function change(device: Device, ota: Partial<Device["settings"]["ota"]>): void {
  device.settings = { ...device.settings, ota: { ...device.settings.ota, ...ota } };
  device.room.settingsChanged();
}

/** From now on the server fails, with what it asks for. */
function fail(device: Device, retryAfterSeconds?: number): void {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const error = new StewardError("update_server_unreachable", "503", { details });
  device.repositoryOf = () => ({
    ...reading(device.lab).repository,
    readMetadata: () => Promise.reject(error),
  });
}

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

  it("is spread by chance, at the first check over half an hour and then by a tenth", async () => {
    const device = await openDevice({ enabled: true });
    device.chance = 0;
    device.room.start();
    assert.deepEqual(await checksUntil(device, 6 * hour), [0, 324]);
    const late = await openDevice({ enabled: true });
    late.chance = 1;
    late.room.start();
    assert.deepEqual(await checksUntil(late, 8 * hour), [30, 30 + 396]);
  });

  it("stands still while update.ota.enabled is off, and a check by hand still works", async () => {
    const device = await openDevice();
    device.room.start();
    assert.deepEqual(await checksUntil(device, 48 * hour), []);
    assert.equal(device.room.status().schedule.next_check_at, null);
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
    assert.equal(device.room.status().schedule.next_check_at, null);
  });

  it("goes on without a root of trust, reads nothing, and says what to do", async () => {
    const device = await openDevice({ enabled: true });
    device.installedRoot = async () => null;
    await device.restart();
    device.room.start();
    assert.deepEqual(await checksUntil(device, 24 * hour), []);
    assert.equal(device.room.status().state, "blocked");
    assert.equal(device.room.problems()[0]?.code, "trust_not_installed");
    assert.equal(device.room.status().schedule.last_check, null);
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

  describe("after a change of the settings", () => {
    it("checks soon when it is turned on, and no more when it is turned off", async () => {
      const device = await openDevice();
      device.room.start();
      change(device, { enabled: true });
      assert.equal(device.room.status().schedule.next_check_at, "2026-11-20T12:00:30.000Z");
      assert.equal((await checksUntil(device, hour)).length, 1);
      change(device, { enabled: false });
      assert.deepEqual(await checksUntil(device, 24 * hour, hour), []);
    });

    it("checks the new server soon, and forgets that the old one failed", async () => {
      const device = await openDevice({ enabled: true });
      fail(device, 20 * hour);
      device.room.start();
      await device.runUntil(hour);
      device.repositoryOf = null;
      change(device, { server: "https://other.example" });
      await device.runUntil(hour + minute);
      assert.equal(device.opened.at(-1), "https://other.example");
      assert.equal(device.room.status().schedule.failures, 0);
    });

    it("has to be proven anew by the new server", async () => {
      const device = await openDevice();
      await device.check();
      assert.equal(device.room.trust().proven, true);
      change(device, { server: "https://other.example" });
      assert.equal(device.room.trust().proven, false);
    });

    it("shows nothing of the former channel", async () => {
      const device = await openDevice();
      device.lab.addRelease({ version: "1.0.0" });
      device.lab.publish("rules");
      await device.check();
      change(device, { channel: "beta" });
      assert.equal(device.room.status().available.rules, null);
    });

    it("ends a check of the former channel, and begins anew", async () => {
      const device = await openDevice({ enabled: true });
      device.lab.addRelease({ version: "1.0.0" });
      device.lab.publish("rules");
      device.fetchPayload = (_, { signal }) => device.hold(signal);
      device.room.start();
      await device.runUntil(hour);
      assert.equal(device.room.status().state, "downloading");
      change(device, { channel: "beta" });
      await device.runUntil(hour + 2 * minute);
      assert.equal(device.opened.length, 2);
      assert.equal(device.staged.size, 0);
      assert.ok(!device.types().includes("update.download_failed"), "it was told as a failure");
    });

    it("comes earlier with a shorter interval, and no later with a longer one", async () => {
      const device = await openDevice({ enabled: true });
      device.room.start();
      await device.runUntil(20 * minute);
      change(device, { check_interval: "5m" });
      assert.equal(device.room.status().schedule.next_check_at, "2026-11-20T12:25:00.000Z");
      change(device, { check_interval: "6h" });
      assert.equal(device.room.status().schedule.next_check_at, "2026-11-20T12:25:00.000Z");
    });

    it("is none where something else was changed", async () => {
      const device = await openDevice({ enabled: true });
      device.room.start();
      const before = device.room.status().schedule.next_check_at;
      await device.runUntil(minute);
      change(device, { auto_update_rules: false });
      assert.equal(device.room.status().schedule.next_check_at, before);
    });
  });
});

describe("back-off", () => {
  it("doubles from five minutes up to the interval", async () => {
    const device = await openDevice({ enabled: true });
    fail(device);
    device.room.start();
    const at = await checksUntil(device, 30 * hour);
    const gaps = at.slice(1).map((minutes, index) => minutes - (at[index] ?? 0));
    assert.deepEqual(gaps, [5, 10, 20, 40, 80, 160, 320, 360, 360, 360]);
    assert.equal(device.room.status().schedule.failures, 11);
  });

  it("ends with the first check that succeeds", async () => {
    const device = await openDevice({ enabled: true });
    fail(device);
    device.room.start();
    await device.runUntil(hour);
    device.repositoryOf = null;
    assert.deepEqual(await checksUntil(device, 8 * hour, hour), [90, 90 + 360]);
  });

  it("obeys Retry-After", async () => {
    const device = await openDevice({ enabled: true });
    fail(device, 10 * hour);
    device.room.start();
    assert.deepEqual(await checksUntil(device, 12 * hour), [15, 615]);
  });

  it("obeys no Retry-After for more than a day (freeze attack)", async () => {
    const device = await openDevice({ enabled: true });
    fail(device, 1e9);
    device.room.start();
    assert.deepEqual(await checksUntil(device, 25 * hour), [15, 15 + 24 * 60]);
  });

  it("goes on over a restart of the agent", async () => {
    const device = await openDevice({ enabled: true });
    fail(device, 10 * hour);
    device.room.start();
    await device.runUntil(hour);
    await device.restart();
    device.room.start();
    assert.deepEqual(await checksUntil(device, 14 * hour, 0), [615]);
    assert.equal(device.record.read().failures, 2);
  });

  it("goes on over a reboot, from where it was when the agent stopped", async () => {
    const device = await openDevice({ enabled: true });
    fail(device, 10 * hour);
    device.room.start();
    await device.runUntil(hour);
    await device.room.stop();
    device.bootId = "boot-2";
    // Off for three hours, which the device does not count.
    await device.runUntil(4 * hour);
    await device.restart();
    device.room.start();
    assert.deepEqual(await checksUntil(device, 20 * hour, 0), [615 + 180]);
  });

  it("does not keep a person from trying", async () => {
    const device = await openDevice({ enabled: true });
    fail(device, 10 * hour);
    device.room.start();
    await device.runUntil(hour);
    device.repositoryOf = null;
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
    assert.equal(device.room.status().schedule.failures, 0);
  });

  it("is not moved by a directory that a user brought", async () => {
    const device = await openDevice({ enabled: true });
    fail(device, 10 * hour);
    device.room.start();
    await device.runUntil(hour);
    const before = device.room.status().schedule;
    const failing = device.repositoryOf;
    device.repositoryOf = null;
    await device.check("file:///media/stick");
    device.repositoryOf = failing;
    const after = device.room.status().schedule;
    assert.deepEqual([after.next_check_at, after.failures], [before.next_check_at, before.failures]);
  });
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

  it("writes nothing at once while its server is away", async () => {
    const device = await openDevice({ enabled: true });
    fail(device);
    device.room.start();
    await device.runUntil(hour);
    const before = device.record.writes();
    await device.runUntil(72 * hour);
    assert.equal(device.record.writes(), before);
  });
});
