import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDevice } from "../../lab/devices/checking-device.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { withRelease } from "./released-device.ts";

const hour = 3_600;

describe("while the clock is not trusted", () => {
  it("takes expiry for a doubt about the clock, and not for a failure (a device whose clock is in 2040)", async () => {
    const device = await withRelease();
    device.isClockTrusted = false;
    device.expirySeconds = Date.parse("2040-01-01T00:00:00Z") / 1_000;
    await device.check();
    const { state, summary, schedule } = device.room.status();
    assert.equal(state, "waiting_for_clock");
    assert.equal(summary.code, "check_waiting_for_clock");
    assert.equal(schedule.last_check?.outcome, "waiting_for_clock");
    assert.equal(schedule.failures, 0);
    assert.equal(device.room.problems()[0] ?? null, null);
    assert.ok(!device.types().includes("update.check_failed"), "it was told as a failure");
  });

  it("shows the release and stages nothing unasked (a device whose clock is in 2020)", async () => {
    const device = await withRelease();
    device.isClockTrusted = false;
    device.expirySeconds = Date.parse("2020-01-01T00:00:00Z") / 1_000;
    await device.check();
    const { state, available } = device.room.status();
    assert.equal(state, "waiting_for_clock");
    assert.equal(available.rules?.hold?.code, "clock_not_trusted");
    assert.equal(device.staged.size, 0);
  });
});

describe("when the clock becomes trusted", () => {
  it("checks at once where expiry was in doubt, and stages what it finds", async () => {
    const device = await withRelease({ enabled: true });
    device.isClockTrusted = false;
    device.expirySeconds = Date.parse("2040-01-01T00:00:00Z") / 1_000;
    device.room.start();
    await device.runUntil(hour);
    assert.equal(device.opened.length, 1);
    device.isClockTrusted = true;
    device.expirySeconds = null;
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.room.status().state, "staged");
    assert.equal(device.room.status().schedule.next_check_at, "2026-11-20T19:00:00.000Z");
  });

  it("fetches what was only waiting for that", async () => {
    const device = await withRelease();
    device.isClockTrusted = false;
    await device.check();
    device.isClockTrusted = true;
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.staged.size, 1);
  });

  it("does nothing where nothing has waited for it", async () => {
    const device = await withRelease();
    await device.check();
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.opened.length, 1);
    const off = await openDevice({ server: "" });
    off.room.clockTrusted();
    await off.room.settled();
    assert.equal(off.opened.length, 0);
  });

  it("leaves a download that failed to its retry: each round of a trusted clock comes here", async () => {
    const device = await withRelease({ enabled: true });
    const error = new StewardError("update_server_unreachable", "The server does not answer.");
    device.fetchPayload = () => Promise.reject(error);
    device.room.start();
    await device.runUntil(900);
    const { schedule, available } = device.room.status();
    assert.equal(available.rules?.hold?.code, "download_failed");
    const tries = device.opened.length;
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.opened.length, tries);
    assert.equal(device.room.status().schedule.next_check_at, schedule.next_check_at);
  });

  it("does nothing where the clock is not trusted after all", async () => {
    const device = await withRelease();
    device.isClockTrusted = false;
    await device.check();
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.opened.length, 1);
  });
});
