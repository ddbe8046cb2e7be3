import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type Device, openDevice, server } from "../../../lab/devices/checking-device.ts";
import type { CheckSource } from "../../../src/updates/check/check-outcome.ts";
import type { CheckRun } from "../../../src/updates/check/check-run.ts";
import { CheckScheduler } from "../../../src/updates/check/check-scheduler.ts";
import { createProgress } from "../../../src/updates/facts/progress.ts";
import { goodCheck } from "../fixture.ts";

const ofServer: CheckSource = { url: server, isServer: true };
const ofStick: CheckSource = { url: "file:///media/stick", isServer: false };
const interval = 21_600;
const isLimited = { code: "rate_limited" };

type Ota = Partial<Device["settings"]["ota"]>;

interface Run extends CheckRun {
  end(seconds: number): void;
  fail(error: unknown): void;
}

/** Checks that end when the test says so. */
async function scheduled(ota: Ota = {}) {
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
  /** The settings are these, and the scheduler does not hear of it. */
  const settle = (next: Ota): void => {
    device.settings = { ...device.settings, ota: { ...device.settings.ota, ...next } };
  };
  const change = (next: Ota): void => {
    settle(next);
    checks.settingsChanged();
  };
  const last = (): Run => runs.at(-1) ?? assert.fail("no check was begun");
  /** The running one ends with this wait. */
  const end = async (seconds: number) => {
    last().end(seconds);
    await checks.settled();
  };
  return Object.assign(set, { checks, settle, change, last, end });
}

async function started(ota: Ota = {}) {
  const set = await scheduled(ota);
  set.checks.start();
  return set;
}

/** The server asked for a rest of so many seconds. */
const withRetry = (device: Device, left: number) =>
  device.record.note(
    (present) => ({ ...present, retry: { boot_id: "boot-1", uptime: 1_000, left }, failures: 2 }),
    0,
  );

describe("a check that is asked for", () => {
  it("is joined, with its id, where it reads the same, and refused where it reads something else", async () => {
    const { checks, runs, device, end, last } = await scheduled();
    assert.equal(checks.runningId(), null);
    await checks.check(ofServer);
    const id = checks.runningId();
    assert.match(id ?? "", /^chk_[0-9a-f]{32}$/);
    await checks.check(ofServer);
    await assert.rejects(checks.check(ofStick), { ...isLimited, message: /^Another repository/ });
    assert.deepEqual([runs.length, checks.isUnderWay(), checks.runningId()], [1, true, id]);
    assert.deepEqual([last().source, last().wanted.size, last().id], [ofServer, 0, id]);
    await end(interval);
    assert.equal(checks.runningId(), null);
    device.time.pass(10);
    await checks.check(ofServer);
    assert.notEqual(last().id, id);
  });

  it("is refused within ten seconds of the last one that began", async () => {
    const { checks, device, end, runs } = await scheduled();
    await checks.check(ofServer);
    await end(interval);
    device.time.pass(3.5);
    await assert.rejects(checks.check(ofServer), { ...isLimited, details: { retryAfterSeconds: 7 } });
    device.time.pass(6.5);
    await checks.check(ofServer);
    assert.equal(runs.length, 2);
  });

  const isStopped = { code: "shutting_down" };
  const isBusy = { ...isLimited, message: /^The installer is taking over/ };
  type Scheduled = Awaited<ReturnType<typeof scheduled>>;
  for (const [what, meanwhile, error, isHeldUp] of [
    ["is refused while the installer reads", () => undefined, isBusy, true],
    [
      "is refused where that begins meanwhile",
      (set) => Object.assign(set, { isHeldUp: true }),
      isBusy,
      false,
    ],
    ["is refused where the agent stops meanwhile", ({ checks }) => checks.stop(), isStopped, false],
  ] as [string, (set: Scheduled) => unknown, object, boolean][])
    it(what, async () => {
      const set = await scheduled();
      set.isHeldUp = isHeldUp;
      set.onRequire = async () => void (await meanwhile(set));
      await assert.rejects(set.checks.check(ofServer), error);
      assert.deepEqual(set.runs, []);
    });

  it("joins one that was begun meanwhile", async () => {
    const set = await scheduled();
    set.onRequire = async () => {
      set.onRequire = async () => undefined;
      await set.checks.check(ofServer);
    };
    await set.checks.check(ofServer);
    assert.equal(set.runs.length, 1);
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
    await assert.rejects(checks.check(ofServer), isLimited);
    const applying = checks.checkFor(new Set(["rules"]), ofServer);
    await turn();
    last().onFetching();
    await assert.rejects(checks.check(ofStick), isLimited);
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
    assert.throws(() => checks.requireJoinable(ofStick), isLimited);
    checks.requireJoinable(ofServer);
    last().onFetching();
    checks.requireJoinable(ofStick);
    await end(1);
    device.time.pass(10);
    await checks.check(ofStick);
    last().onFetching();
    assert.throws(() => checks.requireJoinable(ofServer), isLimited);
    checks.requireJoinable(ofStick);
  });

  it("has a check of its own, tells that it was for that, and is told where it was ended", async () => {
    const { checks, runs, last, ends, change } = await scheduled();
    await checks.check(ofServer);
    const first = checks.checkFor(new Set(["binary"]), ofServer);
    await turn();
    assert.deepEqual([runs.length, runs[0]?.signal.aborted, [...last().wanted]], [2, true, ["binary"]]);
    last().end(1);
    assert.equal(await first, true);
    const second = checks.checkFor(new Set(["rules"]), ofServer);
    change({ channel: "beta" });
    assert.equal(await second, false);
    assert.deepEqual(ends, [false, true, true]);
    await checks.stop();
    assert.deepEqual([await checks.checkFor(new Set(["rules"]), ofServer), runs.length], [false, 3]);
  });
});

it("only a check that fetches is dropped with what was fetched", async () => {
  const { checks, last } = await scheduled();
  await checks.check(ofServer);
  await checks.dropFetching();
  assert.equal(checks.isUnderWay(), true);
  last().onFetching();
  await checks.dropFetching();
  assert.deepEqual([checks.isUnderWay(), last().signal.aborted], [false, true]);
});

describe("a clock that has become trusted", () => {
  it("begins a check of the server, and forgets that the server was to be left alone", async () => {
    const { checks, device, last } = await scheduled();
    withRetry(device, 500);
    checks.clockTrusted(() => true);
    const { retry, failures } = device.record.read();
    assert.deepEqual([last().source, last().wanted.size, retry, failures], [ofServer, 0, null, 2]);
  });

  it("begins nothing where something hinders that, and asks for no reason then", async () => {
    const hindrances: ((set: Awaited<ReturnType<typeof scheduled>>) => unknown)[] = [
      ({ checks }) => checks.check(ofStick),
      ({ checks }) => checks.stop(),
      (set) => Object.assign(set, { isHeldUp: true }),
      ({ change }) => change({ server: "" }),
    ];
    for (const hinder of hindrances) {
      const set = await scheduled();
      await hinder(set);
      const before = set.runs.length;
      set.checks.clockTrusted(() => assert.fail("it was asked whether something has waited"));
      assert.equal(set.runs.length, before, String(hinder));
    }
  });
});

describe("the next check", () => {
  it("is none before the start, nor where the schedule is off, whatever happens", async () => {
    const { checks, change } = await scheduled({ report: true });
    change({ channel: "beta" });
    checks.rootInstalled();
    checks.outcomeKnown();
    assert.equal(checks.left(), null);
    checks.start();
    assert.equal(checks.left(), 900);
    assert.equal((await started({ enabled: false })).checks.left(), null);
  });

  it("leaves the server alone for as long as it asked for, and another server not", async () => {
    const { checks, device, change } = await scheduled({ report: true });
    withRetry(device, 5_000);
    checks.start();
    for (const happens of [() => undefined, () => change({ channel: "beta" }), () => checks.outcomeKnown()]) {
      happens();
      assert.equal(checks.left(), 5_000);
    }
    change({ server: "https://other.example" });
    assert.equal(checks.left(), 30);
    const { retry, failures, download_failures } = device.record.read();
    assert.deepEqual([retry, failures, download_failures], [null, 0, 0]);
  });

  it("is soon where settings say so or a root was installed, and stays where they say nothing of it", async () => {
    const { checks, change, device } = await started();
    device.time.pass(100);
    for (const [next, left] of [
      [{ auto_update_rules: false }, 800],
      [{ enabled: false }, null],
      [{ enabled: true }, 30],
      [{ check_interval: "5m" }, 30],
    ] as const) {
      change(next);
      assert.equal(checks.left(), left, JSON.stringify(next));
    }
    await checks.stop();
    assert.equal(checks.left(), null);
    const other = await started();
    other.checks.rootInstalled();
    assert.equal(other.checks.left(), 30);
  });

  it("is within five minutes of an outcome where reports are on, and no later than planned", async () => {
    const { checks, change, device } = await started();
    checks.outcomeKnown();
    assert.equal(checks.left(), 900, "reports are off");
    change({ report: true });
    checks.outcomeKnown();
    assert.equal(checks.left(), 150);
    device.time.pass(100);
    checks.outcomeKnown();
    assert.equal(checks.left(), 50);
  });

  it("comes due: it reads the server, or waits for what is in its way", async () => {
    const { checks, device, last } = await started();
    device.time.pass(900);
    assert.deepEqual([last().source, checks.left()], [ofServer, null]);
    const held = await started();
    held.isHeldUp = true;
    held.device.time.pass(900);
    assert.equal(held.checks.left(), 300);
    held.isHeldUp = false;
    await held.checks.check(ofStick);
    held.device.time.pass(300);
    assert.deepEqual([held.checks.left(), held.runs.length], [300, 1]);
  });

  it("is none where the schedule or the server is gone when it comes due, and later where settings block it", async () => {
    for (const [gone, left] of [
      [{ enabled: false }, null],
      [{ server: "" }, null],
      [{ verify_signature: false }, interval],
    ] as const) {
      const { checks, device, runs, settle } = await started();
      settle(gone);
      device.time.pass(900);
      assert.deepEqual([checks.left(), runs.length], [left, 0]);
    }
  });

  it("comes when the last one of the server said, and is not moved by another one's", async () => {
    const { checks, device, end } = await started();
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
      const { checks, device, end } = await started();
      await checks.check(ofServer);
      device.isClockTrusted = isTrusted;
      device.record.note((present) => ({ ...present, last_check: { ...goodCheck, outcome } }), 0);
      await end(1_234);
      assert.equal(checks.left(), expected, `${outcome} ${isTrusted}`);
    }
  });

  it("comes after the interval where the last one failed in an unforeseen way, which is told", async () => {
    for (const error of [new TypeError("a fault"), "a fault"]) {
      const { checks, device, last } = await started();
      await checks.check(ofServer);
      device.events.length = 0;
      last().fail(error);
      await checks.settled();
      const details = { code: "internal_error", detail: "a fault" };
      assert.deepEqual(device.events, [{ type: "update.check_failed", details }]);
      assert.equal(checks.left(), interval);
    }
  });
});

it("what is left of a wait when the agent stops is kept, by the time of this boot, unless it is over", async () => {
  for (const [passed, retry] of [
    [200, { boot_id: "boot-1", uptime: 1_200, left: 300 }],
    [500, null],
  ] as const) {
    const { checks, device } = await scheduled();
    withRetry(device, 500);
    device.time.pass(passed);
    await checks.stop();
    const { retry: kept, failures } = device.record.read();
    assert.deepEqual([kept, failures], [retry, 2]);
  }
  const { checks, device } = await scheduled();
  const before = device.record.read();
  await checks.stop();
  assert.equal(device.record.read(), before, "there was none");
});
