import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { finding, line } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";
import type { HostTime } from "../host/host.ts";

interface UnattendedOptions {
  /** The root of the system's paths: /, except in a test. */
  readonly root: string;
  readonly stateDirectory: string;
  readonly time: Pick<HostTime, "uptime" | "wall">;
  /** RFC 3339; null: there was none. */
  readonly lastBackupAt: () => string | null;
}

/** Seconds without a backup, of which one is due each day. */
const overdueSeconds = 2 * 86_400;

/**
 * Seconds after a boot, or a jump of the clock, in which the timer catches up: more than its RandomizedDelaySec. A timer that
 * has fired this long after the last success has had its chance.
 */
const catchUpSeconds = 3 * 3_600;

/** Seconds by which the clock is set: less is no jump that makes a backup overdue. */
const jumpSeconds = 3_600;

/** Seconds between two looks at the files. */
const lookSeconds = 60;

/** Seconds for which an uploader stays up that has reached its collector: a connection is given up earlier. */
const steadySeconds = 600;

/** Seconds without such an uploader, as for a receiver of messages. */
const silentSeconds = 3_600;

/**
 * Work of systemd's that no one waits for: its failure is a finding, as nobody would hear of it otherwise. systemd's links
 * and stamps say it without D-Bus, which a device need not have: when a unit was switched on, and when its timer fired.
 */
export function createUnattended(options: UnattendedOptions) {
  const { root, stateDirectory, lastBackupAt } = options;
  const { uptime, wall } = options.time;
  const begun = uptime();
  const uploader = { pid: "", since: begun, up: begun };
  let [lookedAt, steadyFrom, offset] = [-lookSeconds, 0, wall() / 1_000 - begun];
  let seen = { timer: 0, state: 0, fired: 0, isUploading: false };
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    lookedAt = uptime();
    const pid = await pidOf(root, "steward-upload.service");
    if (pid !== uploader.pid) Object.assign(uploader, { pid, since: lookedAt });
    if (pid !== "" && lookedAt - uploader.since >= steadySeconds) uploader.up = lookedAt;
    seen = await lookAt(root, stateDirectory);
    if (!seen.isUploading) uploader.up = lookedAt;
  };
  const lookAgain = (): void => {
    if (uptime() - lookedAt >= lookSeconds) looking = look();
    const present = wall() / 1_000 - uptime();
    if (Math.abs(present - offset) > jumpSeconds) steadyFrom = uptime();
    offset = present;
  };
  lookAgain();
  return {
    /** Settles when no look at the files is under way. */
    settled: () => looking,
    backup: (): Finding | null => {
      lookAgain();
      if (seen.timer === 0) return null;
      const now = wall() / 1_000;
      const steady = uptime() - steadyFrom;
      // One of the future is of a clock that has been put back since.
      const made = lastBackupAt();
      const last = Date.parse(made ?? "") / 1_000 || 0;
      const known = [seen.timer, seen.state, last];
      const since = Math.max(...known.map((at) => (at > now ? now - steady : at)));
      const hadChance = steady >= catchUpSeconds || seen.fired > since + catchUpSeconds;
      if (now - since < overdueSeconds || !hadChance) return null;
      const particulars = made === null ? "None was ever made." : `The last one was made at ${made}.`;
      return finding("backup_overdue", {}, particulars, line("steward doctor"));
    },
    /** The sending of audit lines. */
    upload: (): Finding | null => {
      lookAgain();
      if (!seen.isUploading || uptime() - uploader.up < silentSeconds) return null;
      const lines = "journalctl -u steward-upload.service -n 20 --no-pager";
      return finding("upload_stopped", {}, "Its last lines say why.", line(lines));
    },
  };
}

async function lookAt(root: string, stateDirectory: string) {
  return {
    timer: await switchedOn(root, "timers.target.wants", "steward-backup.timer"),
    // Written when this machine makes the state its own, also after a restore.
    state: await changedAt(join(stateDirectory, ".identity.json")),
    fired: await changedAt(join(root, "/var/lib/systemd/timers/stamp-steward-backup.timer")),
    isUploading: (await switchedOn(root, "multi-user.target.wants", "steward-upload.service")) > 0,
  };
}

/** Seconds since 1970; 0: it is off. `systemctl enable` makes the link, and a mask leaves it. */
async function switchedOn(root: string, wants: string, unit: string): Promise<number> {
  const mask = await readlink(join(root, "etc/systemd/system", unit)).catch(() => "");
  if (mask === "/dev/null") return 0;
  const links = ["etc", "run", "usr/lib"].map((place) => join(root, place, "systemd/system", wants, unit));
  return Math.max(...(await Promise.all(links.map(changedAt))));
}

/** Seconds since 1970; 0: it is not there. */
async function changedAt(path: string): Promise<number> {
  return (await lstat(path).catch(() => ({ mtimeMs: 0 }))).mtimeMs / 1_000;
}

/** The process of a service, in whichever hierarchy systemd has (cgroups(7)); empty: none runs. */
async function pidOf(root: string, service: string): Promise<string> {
  const paths = ["", "unified", "systemd"].map((hierarchy) =>
    join(root, "sys/fs/cgroup", hierarchy, "system.slice", service, "cgroup.procs"),
  );
  const found = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")));
  return found.find((text) => text !== "")?.trim() ?? "";
}
