import { stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCodes } from "../../contract/error-codes.ts";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { changeUserKeepingTimeCapability } from "../../host/linux/clock/time-capability.ts";
import { isJournalStream } from "../../host/linux/systemd/journal-stream.ts";
import { openNativeJournal } from "../../host/linux/systemd/native-journal.ts";
import { openServiceManager, type ServiceManager } from "../../host/linux/systemd/service-manager.ts";
import { journalFieldsOf } from "../../journal/logs/journal-fields.ts";
import { createLog, syslogNumbers } from "../../journal/logs/log.ts";
import { createOwnLines } from "../../journal/logs/own-lines.ts";
import type { Build } from "../../system/version.ts";
import { createCommandContext, type Terminal } from "../command-context.ts";
import { type Program, serve } from "./serve.ts";

/** Put in by the build; a program run from its sources has no version. */
declare const STEWARD_BUILD: Build | undefined;
const build: Build =
  typeof STEWARD_BUILD === "undefined"
    ? { version: "0.0.0-source", commit: null, date: null }
    : STEWARD_BUILD;

/** By its number: whoever asks process.stderr for it makes Node open the stream at each start. */
const standardError = 2;

const ownLines = createOwnLines();
const isLogInJournal = isJournalStream(process.env.JOURNAL_STREAM, standardError);
const isSource = import.meta.url.endsWith(".ts");
/** Next to this file; run from the sources, in what the last build left. */
const assetsDirectory = isSource ? join(import.meta.dirname, "../../../dist") : import.meta.dirname;
const addon = join(assetsDirectory, "clock-steering.node");

const journal = isLogInJournal
  ? openNativeJournal({ addon, socket: process.env.STEWARD_JOURNAL_SOCKET })
  : undefined;
const log = createLog(
  (line, severity, said) => {
    if (!journal?.send(journalFieldsOf(line, severity, said))) {
      // sd-daemon(3): how journald learns the severity; it takes the mark off again.
      process.stderr.write(isLogInJournal ? `<${syslogNumbers[severity]}>${line}` : line);
    }
    ownLines.add(line, severity);
  },
  () => new Date(),
);

const program: Program = {
  assetsDirectory,
  factsWorker: new URL(isSource ? "../../system/facts-worker.ts" : "./facts-worker.js", import.meta.url),
  build,
  nodeVersion: process.version,
  node: process.execPath,
  environment: process.env,
  // Asked for when it is needed: the command line becomes another.
  userId: () => process.geteuid?.(),
  log,
  ownLines,
  isLogInJournal,
};

async function main(): Promise<number> {
  // In ps, top and the journal; else it would be "node".
  process.title = "steward";
  // Whatever is made from here on belongs to this user alone.
  process.umask(0o077);
  const [command, ...rest] = process.argv.slice(2);
  if (command === "serve" && !rest.includes("--help") && !rest.includes("-h"))
    return serve(rest, { ...program, serviceManager: serviceManager() }, stopRequested());
  const { runCommandLine } = await import("../../cli/main.ts");
  return runCommandLine(process.argv.slice(2), createCommandContext(program, terminal()));
}

function serviceManager(): ServiceManager {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = process.env;
  // systemd speaks to this process, not to those that it starts.
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete process.env[name];
  return openServiceManager({ NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }, { addon, pid: process.pid });
}

function stopRequested(): Promise<"stop"> {
  return new Promise((resolve) => {
    // `on`, not `once`: conf brings when-exit, which sends a signal again when its own handler has run.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve("stop"));
  });
}

function terminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout,
    stderr,
    interruption: () => {
      const interruption = new AbortController();
      process.once("SIGINT", () => interruption.abort());
      return interruption.signal;
    },
    becomeOwner,
  };
}

/** Root works on the state as its owner, for good: no file changes hands, and none is opened that is not theirs. */
async function becomeOwner(directory: string, clockAddon?: string): Promise<void> {
  const { uid, gid } = await stat(directory).catch((cause: unknown) => {
    throw new StewardError("not_found", `There is no state in ${directory}: the agent has never run here.`, {
      cause,
    });
  });
  const present = process.getuid?.();
  if (present === uid) return;
  if (present !== 0) {
    throw new StewardError(
      "forbidden",
      `The state in ${directory} belongs to another user. Run this as root or as that user.`,
    );
  }
  const change = (): void => {
    takeGroups(gid);
    process.setgid?.(gid);
    process.setuid?.(uid);
  };
  if (clockAddon === undefined) return change();
  changeUserKeepingTimeCapability(clockAddon, change);
}

/** The groups that the unit gives the agent: the second one opens the journal, where there is one. */
function takeGroups(gid: number): void {
  try {
    process.setgroups?.([gid, "systemd-journal"]);
  } catch {
    process.setgroups?.([gid]);
  }
}

function fail(error: unknown): void {
  process.stderr.write(`steward: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof StewardError) process.exitCode = errorCodes[error.code].exit;
  else process.exitCode = systemErrorCode(error)?.startsWith("ERR_PARSE_ARGS") ? 2 : 1;
}

process.on("uncaughtException", (error) => {
  log("error", "an error nobody expected: the agent ends", { cause: error.stack ?? error.message });
  process.exit(1);
});

main().then((code) => {
  process.exitCode = code;
}, fail);
