import assert from "node:assert/strict";
import { lutimesSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { createUnattended } from "../../src/system/unattended.ts";

const hour = 3_600;
const day = 24 * hour;
/** Seconds since 1970. */
const start = Date.UTC(2026, 10, 29) / 1_000;

const units = "etc/systemd/system";
const timer = `${units}/timers.target.wants/steward-backup.timer`;
const uploader = `${units}/multi-user.target.wants/steward-upload.service`;
const stamp = "var/lib/systemd/timers/stamp-steward-backup.timer";
const processes = "sys/fs/cgroup/unified/system.slice/steward-upload.service/cgroup.procs";

interface Begun {
  /** Seconds before the start: the timer was switched on, the state made this machine's, the timer fired. */
  readonly on?: number;
  readonly state?: number;
  readonly fired?: number;
  /** Seconds since the last backup; negative: it is of the future. */
  readonly made?: number;
  readonly up?: number;
}

const momentOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A device whose files are of these times, and the time that passes there. */
function deviceOf(test: TestContext, { on, state = 30 * day, fired, made, up = 10 * day }: Begun = {}) {
  const root = temporaryDirectory(test);
  const device = { up, wall: start, lastBackupAt: made === undefined ? null : momentOf(start - made) };
  const put = (name: string, at: number, target?: string): void => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    if (target === undefined) writeFileSync(path, "");
    else symlinkSync(target, path);
    (target === undefined ? utimesSync : lutimesSync)(path, at, at);
  };
  put("state/.identity.json", start - state);
  if (on !== undefined) put(timer, start - on, "/lib/systemd/system/steward-backup.timer");
  if (fired !== undefined) put(stamp, start - fired);
  const unattended = createUnattended({
    ...{ root, stateDirectory: join(root, "state") },
    time: { uptime: () => device.up, wall: () => device.wall * 1_000 },
    lastBackupAt: () => device.lastBackupAt,
  });
  const pass = async (seconds: number): Promise<void> => {
    device.up += seconds;
    device.wall += seconds;
    unattended.backup();
    await unattended.settled();
  };
  /** The finding after a time in which the agent looked each half an hour at least, as it does for the needs. */
  const after = async (seconds: number): Promise<string | null> => {
    await pass(0);
    for (let left = seconds; left > 0; left -= hour / 2) await pass(Math.min(left, hour / 2));
    await pass(0);
    return unattended.backup()?.code ?? null;
  };
  return { root, device, put, unattended, pass, after };
}

describe("the daily backup", () => {
  for (const [what, begun, found] of [
    ["is off", {}, false],
    ["is on for three days, and none was made", { on: 3 * day }, true],
    ["is on for a day", { on: day }, false],
    ["is part of an image, and the device is new", { on: 300 * day, state: day }, false],
    ["is part of an image, and the device is three days old", { on: 300 * day, state: 3 * day }, true],
    ["was made yesterday", { on: 9 * day, made: day }, false],
    ["was made by a device that this one replaced", { on: day, state: day, made: 9 * day }, false],
    ["was made before the device was off for a week", { on: 9 * day, made: 7 * day, up: hour }, false],
    ["the same, and the timer has fired", { on: 9 * day, made: 7 * day, fired: 6 * day, up: hour }, true],
    ["the timer has fired for the last", { on: 9 * day, made: 3 * day, fired: 3 * day, up: hour }, false],
    ["was made by a clock that was years ahead", { on: 9 * day, made: -900 * day, up: day }, false],
    ["the same, and the boot is three days ago", { on: 9 * day, made: -900 * day, up: 3 * day }, true],
  ] as [what: string, begun: Begun, found: boolean][])
    it(`${found ? "is a finding" : "is none"}: ${what}`, async (test) => {
      assert.equal(await deviceOf(test, begun).after(0), found ? "backup_overdue" : null);
    });

  it("becomes one two days after the last, says when that was, and ends with the next", async (test) => {
    const { after, device, unattended } = deviceOf(test, { on: 9 * day, made: day });
    assert.equal(await after(day - hour), null);
    assert.equal(await after(hour), "backup_overdue");
    const { detail, remedy, level } = unattended.backup() ?? assert.fail("it has ended");
    const words = /none has succeeded for two days\. The last one was made at 2026-11-28T00:00:00\.000Z\.$/;
    assert.match(detail, words);
    assert.deepEqual([level, remedy?.line], ["attention", "steward doctor"]);
    device.lastBackupAt = momentOf(device.wall);
    assert.equal(await after(0), null);
  });

  it("has three hours after the clock was set forward by years, as at a boot without a battery", async (test) => {
    const { after, device } = deviceOf(test, { on: 0, state: 0 });
    device.wall += 20_000 * day;
    assert.deepEqual([await after(2 * hour), await after(hour)], [null, "backup_overdue"]);
  });

  it("is off once root disables or masks the timer", async (test) => {
    const { after, root, put } = deviceOf(test, { on: 3 * day });
    const mask = join(units, "steward-backup.timer");
    for (const [change, found] of [
      [() => undefined, "backup_overdue"],
      [() => put(mask, start, "/dev/null"), null],
      [() => rmSync(join(root, mask)), "backup_overdue"],
      [() => rmSync(join(root, timer)), null],
    ] as const) {
      change();
      assert.equal(await after(120), found);
    }
  });
});

describe("the sending of audit lines", () => {
  for (const [what, isOn, pids, minutes, found] of [
    ["a finding after an hour in which no process stays up", true, restarted, 62, "upload_stopped"],
    ["none before", true, restarted, 58, null],
    ["none while the process stays", true, () => "1234\n", 90, null],
    ["none where it is switched off", false, restarted, 120, null],
  ] as const)
    it(`is ${what}`, async (test) => {
      const { put, root, pass, unattended } = deviceOf(test);
      if (isOn) put(uploader, start, "/lib/systemd/system/steward-upload.service");
      put(processes, start);
      for (let minute = 0; minute < minutes; minute += 1) {
        writeFileSync(join(root, processes), pids(minute));
        await pass(60);
      }
      assert.equal(unattended.upload()?.code ?? null, found);
    });

  function restarted(minute: number): string {
    return minute % 2 === 0 ? `${1_000 + minute}\n` : "";
  }
});
