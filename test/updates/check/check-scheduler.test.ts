import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, server } from "../../../lab/devices/checking-device.ts";
import type { CheckSource } from "../../../src/updates/check/check-outcome.ts";
import type { CheckRun } from "../../../src/updates/check/check-run.ts";
import { CheckScheduler } from "../../../src/updates/check/check-scheduler.ts";
import { createProgress } from "../../../src/updates/facts/progress.ts";
import { goodCheck } from "../told-device.ts";

const ofServer: CheckSource = { url: server, isServer: true };
const ofStick: CheckSource = { url: "file:///media/stick", isServer: false };
const interval = 21_600;

interface Run extends CheckRun {
  end(seconds: number): void;
  fail(error: unknown): void;
}

/** Checks that end when the test says so. */
async function scheduled(ota: Partial<Device["settings"]["ota"]> = {}) {
  const device = await openDevice({ enabled: true, ...ota });
  const runs: Run[] = [];
  const ends: boolean[] = [];
  const set = { device, runs, ends, isHeldUp: false, onRequire: async (): Promise<void> => undefined };
  const checks = new CheckScheduler({
    options: device.options,
    progress: createProgress(device.options.uptime),
    run: (run) =>
      new Promise((resolve, reject) => {
        runs.push({ ...run, end: resolve, fail: reject });
        run.signal.addEventListener("abort", () => reject(run.signal.reason));
      }),
    require: () => set.onRequire(),
    isHeldUp: () => set.isHeldUp,
    onEnd: (isForApplying) => ends.push(isForApplying),
  });
  const change = (next: Partial<Device["settings"]["ota"]>) => {
    device.settings = { ...device.settings, ota: { ...device.settings.ota, ...next } };
    checks.settingsChanged();
  };
  const last = (): Run => {
    const run = runs.at(-1);
    assert.ok(run, "no check was begun");
    return run;
  };
  /** The running one ends with this wait. */
  const end = async (seconds: number) => {
    last().end(seconds);
    await checks.settled();
  };
  return Object.assign(set, { checks, change, last, end });
}

const retry = (left: number) => ({ boot_id: "boot-1", uptime: 1_000, left });
const withRetry = (device: Device, left: number) =>
  device.record.note((present) => ({ ...present, retry: retry(left), failures: 2 }), 0);

describe("a check that is asked for", () => {
  it("is joined where it reads the same, and refused where it reads something else", async () => {
    const { checks, runs } = await scheduled();
    await checks.check(ofServer);
    await checks.check(ofServer);
    assert.equal(checks.isUnderWay(), true);
    await assert.rejects(checks.check(ofStick), { code: "rate_limited", message: /^Another repository/ });
    assert.equal(runs.length, 1);
    assert.deepEqual([runs[0]?.source, runs[0]?.wanted.size], [ofServer, 0]);
  });

  it("has an id, which one that joins it shares and the next one does not", async () => {
    const { checks, device, end, last } = await scheduled();
    assert.equal(checks.runningId(), null);
    await checks.check(ofServer);
    const id = checks.runningId();
    assert.match(id ?? "", /^chk_[0-9a-f]{32}$/);
    await checks.check(ofServer);
    assert.deepEqual([checks.runningId(), last().id], [id, id]);
    await end(interval);
    assert.equal(checks.runningId(), null);
    device.time.pass(10);
    await checks.check(ofServer);
    assert.notEqual(checks.runningId(), id);
    assert.equal(checks.runningId(), last().id);
  });

  it("is refused while the installer reads, also where that begins while the root is looked at", async () => {
    const set = await scheduled();
    const isBusy = { code: "rate_limited", message: /^The installer is taking over/ };
    set.isHeldUp = true;
    await assert.rejects(set.checks.check(ofServer), isBusy);
    set.isHeldUp = false;
    set.onRequire = async () => {
      set.isHeldUp = true;
    };
    await assert.rejects(set.checks.check(ofServer), isBusy);
    assert.deepEqual(set.runs, []);
  });

  it("is refused where the agent stops meanwhile, and joins one that was begun meanwhile", async () => {
    const joined = await scheduled();
    joined.onRequire = async () => {
      joined.onRequire = async () => undefined;
      await joined.checks.check(ofServer);
    };
    await joined.checks.check(ofServer);
    assert.equal(joined.runs.length, 1);
    const set = await scheduled();
    set.onRequire = () => set.checks.stop();
    await assert.rejects(set.checks.check(ofServer), { code: "shutting_down" });
    assert.deepEqual(set.runs, []);
  });

  it("is refused within ten seconds of the last one that began", async () => {
    const { checks, device, end, runs } = await scheduled();
    await checks.check(ofServer);
    await end(interval);
    device.time.pass(3.5);
    const isEarly = { code: "rate_limited", details: { retryAfterSeconds: 7 } };
    await assert.rejects(checks.check(ofServer), isEarly);
    device.time.pass(6.5);
    await checks.check(ofServer);
    assert.equal(runs.length, 2);
  });

  it("of a directory goes before a download of the server's, and before no request to apply", async () => {
    const { checks, device, last, runs } = await scheduled();
    await checks.check(ofServer);
    last().onFetching();
    await checks.check(ofServer);
    assert.equal(runs.length, 1, "the server's goes on");
    device.time.pass(10);
    await checks.check(ofStick);
    assert.deepEqual([runs.length, runs[0]?.signal.aborted, last().source], [2, true, ofStick]);
    last().onFetching();
    device.time.pass(10);
    await assert.rejects(checks.check(ofServer), { code: "rate_limited" });
    const applying = checks.checkFor(new Set(["rules"]), ofServer);
    await new Promise((resolve) => setImmediate(resolve));
    last().onFetching();
    await assert.rejects(checks.check(ofStick), { code: "rate_limited" });
    assert.equal(runs.length, 3);
    last().end(1);
    assert.equal(await applying, true);
  });
});

describe("a request to apply", () => {
  it("may take the place of a download of the server's, and of nothing else that reads another repository", async () => {
    const { checks, last, end, device } = await scheduled();
    checks.requireJoinable(ofStick);
    await checks.check(ofServer);
    const isOther = { code: "rate_limited" };
    assert.throws(() => checks.requireJoinable(ofStick), isOther);
    checks.requireJoinable(ofServer);
    last().onFetching();
    checks.requireJoinable(ofStick);
    await end(1);
    device.time.pass(10);
    await checks.check(ofStick);
    last().onFetching();
    assert.throws(() => checks.requireJoinable(ofServer), isOther);
    checks.requireJoinable(ofStick);
  });

  it("has a check of its own, tells that it was for that, and is told where it was ended", async () => {
    const { checks, runs, last, ends, change } = await scheduled();
    await checks.check(ofServer);
    const first = checks.checkFor(new Set(["binary"]), ofServer);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([runs.length, runs[0]?.signal.aborted, [...last().wanted]], [2, true, ["binary"]]);
    last().end(1);
    assert.equal(await first, true);
    const second = checks.checkFor(new Set(["rules"]), ofServer);
    change({ channel: "beta" });
    assert.equal(await second, false);
    assert.deepEqual(ends, [false, true, true]);
    await checks.stop();
    assert.equal(await checks.checkFor(new Set(["rules"]), ofServer), false);
    assert.equal(runs.length, 3);
  });
});

it("only a check that fetches is dropped with what was fetched", async () => {
  const { checks, last, runs } = await scheduled();
  await checks.check(ofServer);
  await checks.dropFetching();
  assert.equal(checks.isUnderWay(), true);
  last().onFetching();
  await checks.dropFetching();
  assert.deepEqual([checks.isUnderWay(), runs[0]?.signal.aborted], [false, true]);
});

describe("a clock that has become trusted", () => {
  it("begins a check of the server, and forgets that the server was to be left alone", async () => {
    const { checks, device, last } = await scheduled();
    withRetry(device, 500);
    checks.clockTrusted(() => true);
    assert.deepEqual([last().source, last().wanted.size], [ofServer, 0]);
    assert.deepEqual([device.record.read().retry, device.record.read().failures], [null, 2]);
  });

  const hindrances: [string, (set: Awaited<ReturnType<typeof scheduled>>) => unknown][] = [
    ["a check is under way", ({ checks }) => checks.check(ofStick)],
    ["the agent stops", ({ checks }) => checks.stop()],
    ["the installer reads", (set) => Object.assign(set, { isHeldUp: true })],
    ["there is no server", ({ change }) => change({ server: "" })],
  ];
  for (const [name, hinder] of hindrances)
    it(`begins nothing where ${name}, and asks for no reason then`, async () => {
      const set = await scheduled();
      await hinder(set);
      const before = set.runs.length;
      set.checks.clockTrusted(() => assert.fail("it was asked whether something has waited"));
      assert.equal(set.runs.length, before);
    });
});

describe("the next check", () => {
  it("is none before the start, nor where the schedule is off", async () => {
    const { checks, change } = await scheduled();
    assert.equal(checks.left(), null);
    change({ channel: "beta" });
    assert.equal(checks.left(), null);
    checks.start();
    assert.equal(checks.left(), 900);
    const off = await scheduled({ enabled: false });
    off.checks.start();
    assert.equal(off.checks.left(), null);
  });

  it("leaves the server alone for as long as it asked for", async () => {
    const { checks, device, change } = await scheduled();
    withRetry(device, 5_000);
    checks.start();
    assert.equal(checks.left(), 5_000);
    change({ channel: "beta" });
    assert.equal(checks.left(), 5_000);
    change({ server: "https://other.example" });
    assert.equal(checks.left(), 30);
    assert.deepEqual(
      [device.record.read().retry, device.record.read().failures, device.record.read().download_failures],
      [null, 0, 0],
    );
  });

  it("is soon where settings say so, and stays where they say nothing of it", async () => {
    const { checks, change, device } = await scheduled();
    checks.start();
    device.time.pass(100);
    change({ auto_update_rules: false });
    assert.equal(checks.left(), 800);
    change({ enabled: false });
    assert.equal(checks.left(), null);
    change({ enabled: true });
    assert.equal(checks.left(), 30);
    change({ check_interval: "5m" });
    assert.equal(checks.left(), 30);
    await checks.stop();
    assert.equal(checks.left(), null);
  });

  it("is soon when a root was installed, where one is planned at all", async () => {
    const { checks } = await scheduled();
    checks.rootInstalled();
    assert.equal(checks.left(), null);
    checks.start();
    checks.rootInstalled();
    assert.equal(checks.left(), 30);
  });

  it("is within five minutes of an outcome where reports are on, and no later than planned", async () => {
    const { checks, change, device } = await scheduled();
    checks.outcomeKnown();
    assert.equal(checks.left(), null);
    checks.start();
    checks.outcomeKnown();
    assert.equal(checks.left(), 900, "reports are off");
    change({ report: true });
    checks.outcomeKnown();
    assert.equal(checks.left(), 150);
    device.time.pass(100);
    checks.outcomeKnown();
    assert.equal(checks.left(), 50);
    const asked = await scheduled({ report: true });
    asked.checks.start();
    withRetry(asked.device, 500);
    asked.checks.outcomeKnown();
    assert.equal(asked.checks.left(), 500);
  });

  it("comes due: it reads the server, or waits for what is in its way", async () => {
    const { checks, device, last } = await scheduled();
    checks.start();
    device.time.pass(900);
    assert.deepEqual(last().source, ofServer);
    assert.equal(checks.left(), null);
    const held = await scheduled();
    held.isHeldUp = true;
    held.checks.start();
    held.device.time.pass(900);
    assert.equal(held.checks.left(), 300);
    await held.checks.check(ofStick).catch(() => undefined);
    held.isHeldUp = false;
    await held.checks.check(ofStick);
    held.device.time.pass(300);
    assert.deepEqual([held.checks.left(), held.runs.length], [300, 1]);
    const blocked = await scheduled();
    blocked.checks.start();
    blocked.device.settings = {
      ...blocked.device.settings,
      ota: { ...blocked.device.settings.ota, verify_signature: false },
    };
    blocked.device.time.pass(900);
    assert.deepEqual([blocked.checks.left(), blocked.runs.length], [interval, 0]);
  });

  it("is none where the schedule or the server is gone when it comes due", async () => {
    for (const gone of [{ enabled: false }, { server: "" }]) {
      const { checks, device, runs } = await scheduled();
      checks.start();
      device.settings = { ...device.settings, ota: { ...device.settings.ota, ...gone } };
      device.time.pass(900);
      assert.deepEqual([checks.left(), runs.length], [null, 0]);
    }
  });

  it("comes when the last one of the server said, and is not moved by another one's", async () => {
    const { checks, device, end } = await scheduled();
    checks.start();
    device.time.pass(900);
    await end(1_234);
    assert.equal(checks.left(), 1_234);
    device.time.pass(10);
    await checks.check(ofStick);
    await end(1);
    assert.equal(checks.left(), 1_224);
  });

  it("is soon where the last one was in doubt of a clock that is trusted by now", async () => {
    for (const [outcome, isTrusted, expected] of [
      ["waiting_for_clock", true, 30],
      ["waiting_for_clock", false, 1_234],
      ["ok", true, 1_234],
    ] as const) {
      const { checks, device, end } = await scheduled();
      checks.start();
      await checks.check(ofServer);
      device.isClockTrusted = isTrusted;
      device.record.note((present) => ({ ...present, last_check: { ...goodCheck, outcome } }), 0);
      await end(1_234);
      assert.equal(checks.left(), expected, `${outcome} ${isTrusted}`);
    }
  });

  it("comes after the interval where the last one failed in a way that nobody has foreseen, which is told", async () => {
    for (const [error, detail] of [
      [new TypeError("x is not a function"), "x is not a function"],
      ["a word", "a word"],
    ] as const) {
      const { checks, device, last } = await scheduled();
      checks.start();
      await checks.check(ofServer);
      device.events.length = 0;
      last().fail(error);
      await checks.settled();
      const told = { type: "update.check_failed", details: { code: "internal_error", detail } };
      assert.deepEqual(device.events, [told]);
      assert.equal(checks.left(), interval);
    }
  });
});

describe("what is left of a wait when the agent stops", () => {
  it("is kept, by the time of this boot", async () => {
    const { checks, device } = await scheduled();
    withRetry(device, 500);
    device.time.pass(200);
    await checks.stop();
    assert.deepEqual(device.record.read().retry, { boot_id: "boot-1", uptime: 1_200, left: 300 });
    assert.equal(device.record.read().failures, 2);
  });

  it("is nothing where it is over, and where there was none", async () => {
    const { checks, device } = await scheduled();
    withRetry(device, 500);
    device.time.pass(500);
    await checks.stop();
    assert.equal(device.record.read().retry, null);
    const other = await scheduled();
    const before = other.device.record.read();
    await other.checks.stop();
    assert.equal(other.device.record.read(), before);
  });
});
