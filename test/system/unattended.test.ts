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

/** A device whose files are of these times, and the time that passes there. */
function deviceOf(test: TestContext, { on, state = 30 * day, fired, made, up = 10 * day }: Begun = {}) {
  const root = temporaryDirectory(test);
  const device = { up, wall: start, lastBackupAt: made === undefined ? null : momentOf(start - made) };
  const put = (path: string, at: number, target?: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (target === undefined) writeFileSync(join(root, path), "");
    else symlinkSync(target, join(root, path));
    (target === undefined ? utimesSync : lutimesSync)(join(root, path), at, at);
  };
  put("state/.identity.json", start - state);
  if (on !== undefined) put(timer, start - on, "/lib/systemd/system/steward-backup.timer");
  if (fired !== undefined) put(stamp, start - fired);
  const time = { uptime: () => device.up, wall: () => device.wall * 1_000 };
  const unattended = createUnattended({
    ...{ root, stateDirectory: join(root, "state"), time },
    lastBackupAt: () => device.lastBackupAt,
  });
  /** The finding after a time in which the agent looked each minute at least, as it does for the needs. */
  const after = async (seconds: number, jump = 0): Promise<string | null> => {
    device.wall += jump;
    await look();
    for (let left = seconds; left > 0; left -= hour / 2) {
      const step = Math.min(left, hour / 2);
      device.up += step;
      device.wall += step;
      await look();
    }
    await look();
    return unattended.backup()?.code ?? null;
  };
  const look = async (): Promise<void> => {
    unattended.backup();
    await unattended.settled();
  };
  return { root, device, put, unattended, after, look };
}

const momentOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

describe("the daily backup", () => {
  const cases: [what: string, begun: Begun, found: boolean][] = [
    ["is off", {}, false],
    ["is on for three days, and none was made", { on: 3 * day }, true],
    ["is on for a day", { on: day }, false],
    ["is part of an image, and the device is new", { on: 300 * day, state: day }, false],
    ["is part of an image, and the device is three days old", { on: 300 * day, state: 3 * day }, true],
    ["was made yesterday", { on: 9 * day, made: day }, false],
    ["was made three days ago", { on: 9 * day, made: 3 * day }, true],
    ["was made by a device that this one replaced", { on: day, state: day, made: 9 * day }, false],
    ["was made before the device was off for a week", { on: 9 * day, made: 7 * day, up: hour }, false],
    ["the same, and the timer has fired", { on: 9 * day, made: 7 * day, fired: 6 * day, up: hour }, true],
    ["the timer has fired for the last", { on: 9 * day, made: 3 * day, fired: 3 * day, up: hour }, false],
    ["was made by a clock that was years ahead", { on: 9 * day, made: -900 * day, up: day }, false],
    ["the same, and the boot is three days ago", { on: 9 * day, made: -900 * day, up: 3 * day }, true],
  ];
  for (const [what, begun, found] of cases)
    it(`${found ? "is a finding" : "is none"}: ${what}`, async (test) => {
      assert.equal(await deviceOf(test, begun).after(0), found ? "backup_overdue" : null);
    });

  it("becomes one two days after the last, says when that was, and ends with the next", async (test) => {
    const { after, device, unattended } = deviceOf(test, { on: 9 * day, made: day });
    assert.equal(await after(day - hour), null);
    assert.equal(await after(hour), "backup_overdue");
    const { detail, remedy, level } = unattended.backup() ?? assert.fail("it has ended");
    assert.match(
      detail,
      /none has succeeded for two days\. The last one was made at 2026-11-28T00:00:00\.000Z\.$/,
    );
    assert.deepEqual([level, remedy?.line], ["attention", "steward doctor"]);
    device.lastBackupAt = momentOf(device.wall);
    assert.equal(await after(0), null);
  });

  it("has three hours after the clock was set forward by years, as at a boot without a battery", async (test) => {
    const { after } = deviceOf(test, { on: 0, state: 0 });
    assert.equal(await after(hour, 20_000 * day), null);
    assert.equal(await after(hour), null);
    assert.equal(await after(hour), "backup_overdue");
  });

  it("is off once root disables or masks the timer", async (test) => {
    const { after, root, put } = deviceOf(test, { on: 3 * day });
    assert.equal(await after(0), "backup_overdue");
    put(`${units}/steward-backup.timer`, start, "/dev/null");
    await after(120);
    assert.equal(await after(0), null);
    rmSync(join(root, units, "steward-backup.timer"));
    await after(120);
    assert.equal(await after(0), "backup_overdue");
    rmSync(join(root, timer));
    await after(120);
    assert.equal(await after(0), null);
  });
});

describe("the sending of audit lines", () => {
  const sentBy = async (test: TestContext, pids: (look: number) => string, looks: number) => {
    const { device, put, root, look, unattended } = deviceOf(test);
    put(uploader, start, "/lib/systemd/system/steward-upload.service");
    put(processes, start);
    for (let number = 0; number < looks; number += 1) {
      writeFileSync(join(root, processes), pids(number));
      device.up += 60;
      device.wall += 60;
      await look();
    }
    return unattended.upload()?.code ?? null;
  };

  it("is a finding after an hour in which no process stays up", async (test) => {
    const failing = (look: number) => (look % 2 === 0 ? `${1_000 + look}\n` : "");
    assert.equal(await sentBy(test, failing, 58), null);
    assert.equal(await sentBy(test, failing, 62), "upload_stopped");
  });

  it("is none while the process stays", async (test) => {
    assert.equal(await sentBy(test, () => "1234\n", 90), null);
  });

  it("is none where it is switched off", async (test) => {
    const { after, unattended } = deviceOf(test);
    await after(2 * hour);
    assert.equal(unattended.upload(), null);
  });
});
