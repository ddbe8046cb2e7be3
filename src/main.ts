import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CommandContext } from "./cli/context.ts";
import type { AgentConfig } from "./compose.ts";
import { errorCodes } from "./contract/error-codes.ts";
import type { SettingsChange } from "./contract/types.ts";
import { StewardError, systemErrorCode } from "./errors.ts";
import { isJournalStream } from "./host/linux/journal-stream.ts";
import { changeUserKeepingTimeCapability } from "./host/linux/time-capability.ts";
import { noDecisions, readDecisions, readDecisionsOrNone, usualHostFile } from "./host-decisions.ts";
import { usualPlaces } from "./installing/places.ts";
import { createLog, syslogNumbers } from "./journal/log.ts";
import { createOwnLines } from "./journal/own-lines.ts";
import { readServeOptions, usualSealKeyFile, usualStateDirectory } from "./serve-options.ts";
import { makeDirectory } from "./store/durable-file.ts";
import { takeLock } from "./store/lock.ts";
import type { Build } from "./version/version.ts";

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
const log = createLog(
  (line, severity) => {
    // sd-daemon(3): how journald learns the severity; it takes the mark off again.
    process.stderr.write(isLogInJournal ? `<${syslogNumbers[severity]}>${line}` : line);
    ownLines.add(line, severity);
  },
  () => new Date(),
);

const isSource = import.meta.url.endsWith(".ts");
/** Next to this file; run from the sources, in what the last build left. */
const assetsDirectory = isSource ? join(import.meta.dirname, "../dist") : import.meta.dirname;

/** How often a damaged state may be found repaired and damaged again before the service manager takes over. */
const restartsAllowed = 10;

async function main(): Promise<number> {
  // Whatever is made from here on belongs to this user alone.
  process.umask(0o077);
  const [command, ...rest] = process.argv.slice(2);
  if (command === "serve" && !rest.includes("--help") && !rest.includes("-h")) return serve(rest);
  const { runCommandLine } = await import("./cli/main.ts");
  return runCommandLine(process.argv.slice(2), commandContext());
}

async function serve(argv: string[]): Promise<number> {
  const script = join(assetsDirectory, "installer.js");
  const options = readServeOptions(argv, { environment: process.env, node: process.execPath, script });
  const stopRequested = new Promise<"stop">((resolve) => {
    // `on`, not `once`: conf brings when-exit, which sends a signal again when its own handler has run.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve("stop"));
  });
  await makeDirectory(options.state);
  // Taken while the rest of the program loads: it waits for a process.
  let lock = takeLock(options.state);
  lock.catch(() => undefined);
  const { startAgent } = (await import("./parts.ts")).parts;
  const host = await readDecisions(options.hostFile, process.geteuid?.());
  const config = {
    ...(await agentConfig(options.state, options.run, options.initialSettings)),
    ...options.serve,
    ...host.forRooms,
    hostNames: host.names,
    trustedProxies: host.trustedProxies,
  };
  for (let start = 0; start <= restartsAllowed; start += 1) {
    const agent = await startAgent(config, lock);
    log("notice", "listening", { mode: agent.mode, addresses: agent.addresses, version: build.version });
    const why = await Promise.race([stopRequested, agent.repaired.then(() => "repaired" as const)]);
    log("notice", why === "stop" ? "stopping" : "the state was repaired: starting again");
    await agent.stop();
    if (why === "stop") return 0;
    lock = takeLock(options.state);
  }
  return 1;
}

async function agentConfig(state: string, run: string, initialSettings?: string): Promise<AgentConfig> {
  return {
    stateDirectory: state,
    runDirectory: run,
    assetsDirectory,
    factsWorker: new URL(isSource ? "./system/facts-worker.ts" : "./facts-worker.js", import.meta.url),
    initialSettings: await readInitialSettings(initialSettings),
    build,
    nodeVersion: process.version,
    log,
    credentialsDirectory: process.env.CREDENTIALS_DIRECTORY,
    sealKeyFile: usualSealKeyFile,
    // The state of the service itself; any other belongs to a trial, which leaves the host's clock and root alone.
    maySteerClock: state === usualStateDirectory,
    installing: state === usualStateDirectory ? { places: usualPlaces, program: null } : null,
    clockAddon: join(assetsDirectory, "clock-steering.node"),
    ownLines,
    isLogInJournal,
    ...noDecisions.forRooms,
  };
}

/** What the product's maker wants a new device to begin with; checked against the contract where it is merged. */
async function readInitialSettings(path: string | undefined): Promise<SettingsChange> {
  return path ? (JSON.parse(await readFile(path, "utf8")) as SettingsChange) : {};
}

function commandContext(): CommandContext {
  const { stdin, stdout, stderr, env } = process;
  return {
    stdin,
    stdout,
    stderr,
    environment: env,
    programVersion: build.version,
    interruption: () => {
      const interruption = new AbortController();
      process.once("SIGINT", () => interruption.abort());
      return interruption.signal;
    },
    openOffline: async (stateDirectory) => {
      const config = await agentConfig(stateDirectory, stateDirectory, env.STEWARD_INITIAL_SETTINGS);
      await becomeOwner(stateDirectory, config.clockAddon);
      const hostFile = env.STEWARD_HOST_FILE || usualHostFile;
      const { forRooms } = await readDecisionsOrNone(hostFile, process.geteuid?.());
      const { openOfflineClient } = (await import("./parts.ts")).parts;
      const { installingOf } = await import("./installer-process.ts");
      const program = { node: process.execPath, script: join(assetsDirectory, "installer.js") };
      const installing = installingOf(env, { ...program, state: stateDirectory, hostFile });
      return openOfflineClient({ ...config, ...forRooms, ...(installing && { installing }) });
    },
    runInstaller: async (words, places) => {
      const { runInstaller } = await import("./installer-process.ts");
      const program = join(assetsDirectory, "installer.js");
      return runInstaller({ node: process.execPath, program }, words, places);
    },
    readRootOfTrust: async (bytes) => {
      const { workshop } = await import("./updates/workshop.ts");
      return workshop.readRootOfTrust(bytes);
    },
    openState: async (stateDirectory) => {
      const initialSettings = await readInitialSettings(env.STEWARD_INITIAL_SETTINGS);
      await becomeOwner(stateDirectory);
      const { openStateTools } = (await import("./parts.ts")).parts;
      return openStateTools(stateDirectory, initialSettings);
    },
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
