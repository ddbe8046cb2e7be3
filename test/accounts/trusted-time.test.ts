import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostFloor, hostStart, virtualHost } from "../../lab/simulated/virtual-host.ts";

const day = 86_400;

describe("now", () => {
  it("is the wall clock, with what was measured and is not applied yet: positive means the host is behind", () => {
    const host = virtualHost();
    assert.equal(host.time.now().getTime(), hostStart.getTime());
    host.know({ offsetSeconds: 12.5 });
    assert.equal(host.time.now().getTime(), hostStart.getTime() + 12_500);
    host.know({ offsetSeconds: -12.5 });
    assert.equal(host.time.now().getTime(), hostStart.getTime() - 12_500);
  });
});

describe("the clock epoch", () => {
  for (const seconds of [30, -30, 29.9, -29.9, 1, 0]) {
    it(`stays when the clock is stepped by ${seconds} s`, () => {
      const host = virtualHost();
      const epoch = host.time.epoch();
      host.step(seconds);
      assert.equal(host.time.epoch(), epoch);
      assert.equal(host.time.secondsSinceStep(), Number.POSITIVE_INFINITY);
    });
  }
  for (const seconds of [30.1, -30.1, 31, -31, 90 * day, -365 * day]) {
    it(`is another one when the clock is stepped by ${seconds} s, and that is told once`, () => {
      const host = virtualHost();
      const steps: number[] = [];
      host.time.observe({ onStep: (size) => steps.push(size), onTrusted: () => undefined });
      const epoch = host.time.epoch();
      host.step(seconds);
      assert.notEqual(host.time.epoch(), epoch);
      host.pass(60);
      host.time.epoch();
      const found = steps.map((size) => Math.round(size * 10) / 10);
      assert.deepEqual(found, [seconds]);
      assert.equal(host.time.secondsSinceStep(), 60);
    });
  }
  it("counts many small steps together, so that they cannot lengthen anything one by one", () => {
    const host = virtualHost();
    const epoch = host.time.epoch();
    for (let count = 0; count < 30; count += 1) {
      host.step(-1);
      assert.equal(host.time.epoch(), epoch, `${count + 1} s back`);
    }
    host.step(-1);
    assert.notEqual(host.time.epoch(), epoch);
  });
  it("stays over a suspension, in which monotonic time and wall clock go on together", () => {
    const host = virtualHost();
    const epoch = host.time.epoch();
    host.pass(3 * day);
    assert.equal(host.time.epoch(), epoch);
  });
  it("of two starts of the agent is never one number", () => {
    const epochs = Array.from({ length: 100 }, () => virtualHost().time.epoch());
    assert.equal(new Set(epochs).size, epochs.length);
    assert.ok(epochs.every(Number.isSafeInteger), "stored as an integer");
  });
});

describe("an earlier clock epoch", () => {
  const stepped = (...steps: number[]) => {
    const host = virtualHost();
    const first = host.time.epoch();
    for (const seconds of steps) {
      host.step(seconds);
      host.time.epoch();
    }
    return { host, isFirst: () => host.time.isInEpoch(first) };
  };
  for (const steps of [
    [],
    [3_600, -3_600],
    [-day, day],
    [3_600, -3_570],
    [3_600, -3_630],
    [day, day, -2 * day],
  ]) {
    it(`is in force when the steps were ${JSON.stringify(steps)} s: they come to nothing`, () => {
      assert.equal(stepped(...steps).isFirst(), true);
    });
  }
  for (const steps of [[31], [-31], [3_600], [3_600, -3_569], [3_600, -3_631], [3_600, -3_600, 3_600]]) {
    it(`is over when the steps were ${JSON.stringify(steps)} s`, () => {
      assert.equal(stepped(...steps).isFirst(), false);
    });
  }
  it("comes back although time has passed meanwhile, which both clocks went through", () => {
    const { host, isFirst } = stepped(3_600);
    host.pass(7 * day);
    host.step(-3_600);
    assert.equal(isFirst(), true);
  });
  it("is not come back to by mere drift of 31 s after it", () => {
    const { host, isFirst } = stepped(3_600, -3_600);
    for (let count = 0; count < 31; count += 1) host.step(-1);
    assert.equal(isFirst(), false);
  });
  it("is neither a number that was never given out nor one of a time that the clock has not come back to", () => {
    const { host, isFirst } = stepped(3_600, -3_600);
    assert.equal(isFirst(), true);
    const present = host.time.epoch();
    for (const other of [present - 3, present - 1, present + 1, Number.NaN])
      assert.equal(host.time.isInEpoch(other), false, String(other));
  });
  it("is forgotten after many others", () => {
    const steps = Array.from({ length: 20 }, () => day);
    const { host, isFirst } = stepped(...steps);
    host.step(-20 * day);
    assert.equal(isFirst(), false);
  });
});

describe("what an expiry date is held against", () => {
  const after = (from: Date, seconds: number) => from.getTime() + seconds * 1_000;
  it("is the floor and the time since the start before the clock was trusted, whatever the wall clock says", () => {
    const host = virtualHost({ trust: "none" });
    for (const seconds of [0, 3_650 * day, -20_000 * day]) {
      host.step(seconds);
      assert.equal(host.time.expiryNow().getTime(), hostFloor.getTime());
    }
    host.pass(100);
    assert.equal(host.time.expiryNow().getTime(), after(hostFloor, 100));
  });
  it("is the last trusted time, carried on by monotonic time, when the clock is no longer trusted", () => {
    const host = virtualHost({ trust: "trusted" });
    host.time.expiryNow();
    host.know({ trust: "none" });
    host.step(3_650 * day);
    host.pass(50);
    assert.equal(host.time.expiryNow().getTime(), after(hostStart, 50));
    host.step(-20_000 * day);
    assert.equal(host.time.expiryNow().getTime(), after(hostStart, 50));
  });
  it("takes a measured offset into account", () => {
    const host = virtualHost({ trust: "trusted", offsetSeconds: 400 });
    assert.equal(host.time.expiryNow().getTime(), after(hostStart, 400));
  });
});

describe("the beginning of trust", () => {
  const watched = (trust: "trusted" | "none") => {
    const host = virtualHost({ trust });
    let begun = 0;
    host.time.observe({
      onStep: () => undefined,
      onTrusted: () => {
        begun += 1;
      },
    });
    return { host, begun: () => begun };
  };
  it("is told once, at the first look", () => {
    const { host, begun } = watched("none");
    assert.equal(host.time.isTrusted(), false);
    host.know({ trust: "accepted" });
    assert.equal(begun(), 0);
    for (let looks = 0; looks < 3; looks += 1) assert.equal(host.time.isTrusted(), true);
    assert.equal(begun(), 1);
    host.know({ trust: "trusted" });
    host.time.expiryNow();
    assert.equal(begun(), 1, "accepted was trust already");
  });
  it("is told also when the clock was not read before", () => {
    const { host, begun } = watched("none");
    host.know({ trust: "trusted" });
    host.time.expiryNow();
    assert.equal(begun(), 1);
  });
  it("is none when the agent is started under a trusted clock: locks outlive a restart", () => {
    const { host, begun } = watched("trusted");
    host.time.isTrusted();
    assert.equal(begun(), 0);
    host.know({ trust: "none" });
    host.time.isTrusted();
    host.know({ trust: "trusted" });
    host.time.isTrusted();
    assert.equal(begun(), 1);
  });
});

describe("the description of the clock", () => {
  it("to strangers is the time and whether it is synchronised", () => {
    const { time } = virtualHost({ trust: "trusted", state: "holdover", synchronised: true });
    const said = time.describe({ isProven: false, isSkewSuspected: true });
    assert.deepEqual(said, { server_time: "2026-11-20T12:00:00.000Z", synchronised: true });
  });
  it("to those who proved who they are is all of it", () => {
    const { time } = virtualHost({
      state: "synchronised",
      synchronised: true,
      lastSyncAt: hostFloor,
      lastStepSeconds: -2.5,
      lastStepAt: hostFloor,
    });
    assert.deepEqual(time.describe({ isProven: true, isSkewSuspected: true }), {
      server_time: "2026-11-20T12:00:00.000Z",
      synchronised: true,
      state: "synchronised",
      last_sync_at: "2026-11-01T00:00:00.000Z",
      last_step_seconds: -2.5,
      last_step_at: "2026-11-01T00:00:00.000Z",
      skew_suspected: true,
    });
  });
});
