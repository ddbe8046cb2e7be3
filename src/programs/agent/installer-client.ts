import { spawn } from "node:child_process";
import { constants, watch } from "node:fs";
import { join } from "node:path";
import { ifAbsent, StewardError } from "../../contract/errors.ts";
import { createTimers } from "../../host/linux/timers.ts";
import { pauseFor } from "../../host/pause.ts";
import type { RootHelper } from "../../host/ports.ts";
import type { ApplyPlan } from "../../host/release-ports.ts";
import type { ReleaseDirectories } from "../../installer/files/release-directories.ts";
import { journalBytes, type ReleaseJournal, readReleaseJournal } from "../../releases/release-journal.ts";
import { openDispensable, readRegular } from "../../store/files/regular-file.ts";
import type { Installer, InstallRequest } from "../../updates/facts/updater-options.ts";
import type { UpdateDecisions } from "../host-file/decisions.ts";

/** The installer's place, and the way in which the agent starts it. */
export interface InstallerAccess {
  readonly directories: ReleaseDirectories;
  /** In a trial, the installer as a process of our own user; null: the root helper has systemd start it. */
  readonly program: InstallerProgram | null;
}

export interface InstallerProgram {
  /** Absolute path of the Node that runs it. */
  readonly node: string;
  /** Absolute path of installer.js. */
  readonly script: string;
  /** The state directory, from which it takes staged files. */
  readonly state: string;
  readonly hostFile: string;
}

export interface InstallerClientOptions extends InstallerAccess {
  readonly apply: UpdateDecisions["apply"];
  readonly helper: RootHelper;
}

/** Milliseconds: a payload of the largest size is copied, hashed, unpacked and tested in a few minutes on a slow card. */
const longestMilliseconds = 15 * 60_000;

/** Milliseconds between two reads of the journal if its directory cannot be watched. */
const pollMilliseconds = 30_000;

/** Seconds between two reads of the journal while our own process is installing. */
const quickPollSeconds = 0.2;

/** Bytes of the output of one run of the installer; a longer log is not read. */
const mostLogBytes = 1024 * 1024;

/** There is no installer: nothing is applied. */
export const noInstaller: Installer = {
  ask: () =>
    Promise.reject(
      new StewardError(
        "update_not_set_up",
        "Applying updates is not configured: start the agent with --releases and --trust.",
      ),
    ),
  goOn: () => undefined,
  read: async () => null,
  watch: () => () => undefined,
  isSetUp: () => false,
  rulesNeedBinary: () => false,
};

/** The installer of this host, as far as the agent may use it. */
export function createInstallerClient(plan: InstallerClientOptions): Installer {
  const { directories, program, apply, helper } = plan;
  // The directory is absolute. join() would cost memory at each start.
  const read = () => readJournal(directories);
  const requests = program ? createProgramRequests(program, directories, read) : createHelperRequests(helper);
  return {
    ...requests,
    read,
    watch: (listener) => watchDirectory(directories.releases, listener),
    isSetUp: (kind) => apply[kind] !== null,
    rulesNeedBinary: () =>
      apply.rules !== null && apply.binary !== null && haveOnePlace(apply.rules, apply.binary),
  };
}

/** True if the health of both is asked of the same unit, or at the same address. */
function haveOnePlace(one: ApplyPlan, other: ApplyPlan): boolean {
  const places = ({ unit, health }: ApplyPlan) =>
    [unit ?? [], health.http.map(({ url }) => new URL(url).host)].flat();
  return places(one).some((place) => places(other).includes(place));
}

/** True while a release of this program is on trial: undone, the former one must read all that this has written. */
export function createOwnTrialCheck(config: {
  installer: InstallerAccess | null;
  product: { name: string };
}): () => Promise<boolean> {
  const { installer, product } = config;
  if (installer === null || product.name !== "steward") return async () => false;
  const read = () => readJournal(installer.directories);
  return async () => (await journalOf(read)).slots.binary.trial !== null;
}

type Requests = Pick<Installer, "ask" | "goOn">;

/** Requests to the installer as a unit, which the root helper starts and waits for. Exported for its test. */
export function createHelperRequests(helper: RootHelper): Requests {
  return {
    ask: (request, signal) => {
      const limits = { timeoutMilliseconds: longestMilliseconds, signal };
      return request.verb === "install"
        ? helper.ask({ word: "install", id: request.id }, limits)
        : helper.ask({ word: "rollback", kind: request.kind }, limits);
    },
    // systemd starts the guard's unit at boot, and again when it has failed.
    goOn: () => undefined,
  };
}

/** In a trial: a process of our own user, which outlives the agent as root's would. */
function createProgramRequests(
  program: InstallerProgram,
  directories: ReleaseDirectories,
  read: Installer["read"],
): Requests {
  const logFile = join(program.state, "updates", "installer.log");
  const start = async (...args: string[]): Promise<Run> => {
    const log = await openDispensable(logFile, constants.O_WRONLY | constants.O_TRUNC).catch(() => null);
    try {
      return begin(program, directories, { args, output: log?.fd ?? "ignore" });
    } finally {
      await log?.close();
    }
  };
  return {
    ask: async (request, signal) => {
      const before = await journalOf(read);
      const running = await start(...argumentsOf(request));
      // Monotonic, because the wall clock may be stepped meanwhile.
      const limit = AbortSignal.timeout(longestMilliseconds);
      while (!limit.aborted) {
        signal.throwIfAborted();
        // Read before the journal, which then has the last result.
        const { isOver } = running;
        if (hasBegun(before, await journalOf(read))) return;
        if (isOver) throw await failureOf(running.status, logFile);
        await pauseFor(quickPollSeconds, { timers: createTimers(), signal });
      }
      throw new StewardError("internal_error", "The installer took longer than 15 minutes.");
    },
    goOn: () => void start("guard").catch(() => undefined),
  };
}

/** A run of the installer, and its exit status once it is over; null: it was killed, or not started. */
interface Run {
  readonly isOver: boolean;
  readonly status: number | null;
}

function begin(
  { node, script, state, hostFile }: InstallerProgram,
  { releases, trust }: ReleaseDirectories,
  { args, output }: { args: readonly string[]; output: number | "ignore" },
): Run {
  const where = ["--releases", releases, "--trust", trust, "--state", state, "--host-file", hostFile];
  const run: Run = { isOver: false, status: null };
  const child = spawn(node, [script, ...args, ...where], {
    detached: true,
    stdio: ["ignore", output, output],
  });
  child.unref();
  child.once("exit", (status) => Object.assign(run, { isOver: true, status }));
  child.once("error", () => Object.assign(run, { isOver: true }));
  return run;
}

function argumentsOf(request: InstallRequest): string[] {
  return request.verb === "install" ? ["install", request.id] : ["install", `rollback${request.kind}`];
}

/** True after an outcome, or when the trial needs no more files of the agent's. */
function hasBegun(before: ReleaseJournal, present: ReleaseJournal): boolean {
  if (present.sequence !== before.sequence) return true;
  return [present.slots.rules.trial, present.slots.binary.trial].some(
    (trial) => trial !== null && trial.phase !== "installing",
  );
}

/** Empty if it cannot be read; the updates room reports that. */
async function journalOf(read: Installer["read"]): Promise<ReleaseJournal> {
  try {
    return readReleaseJournal(await read());
  } catch {
    return readReleaseJournal(null);
  }
}

async function failureOf(status: number | null, logFile: string): Promise<StewardError> {
  const log = await readRegular(logFile, mostLogBytes).catch(() => "");
  const said =
    log.toString("utf8").trim().split("\n").at(-1)?.slice(0, 300).toWellFormed() || "it gave no reason";
  const how = status === null ? "was killed or could not be started" : `ended with ${status}`;
  return new StewardError("internal_error", `The installer ${how}: ${said}`);
}

/** Watches by inotify; if that is not possible, by polling until it is. */
function watchDirectory(directory: string, listener: () => void): () => void {
  let stop = (): void => undefined;
  const begin = (): boolean => {
    try {
      const watcher = watch(directory, { persistent: false }, (_, name) => {
        if (name === null || name === "journal.json") listener();
      });
      watcher.once("error", () => poll());
      stop = () => watcher.close();
      return true;
    } catch {
      return false;
    }
  };
  const poll = (): void => {
    stop();
    const timer = setInterval(() => {
      listener();
      if (!begin()) return;
      clearInterval(timer);
      listener();
    }, pollMilliseconds).unref();
    stop = () => clearInterval(timer);
  };
  if (!begin()) poll();
  return () => stop();
}

function readJournal({ releases }: ReleaseDirectories): Promise<Uint8Array | null> {
  return readRegular(`${releases}/journal.json`, journalBytes).catch(ifAbsent);
}
