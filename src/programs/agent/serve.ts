import { rm } from "node:fs/promises";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { messageOf, StewardError } from "../../contract/errors.ts";
import type { Finding } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import { createTimers } from "../../host/linux/timers.ts";
import type { Reread } from "../../http/handlers/system.ts";
import { agentEvent, type EventFacts } from "../../journal/events/event.ts";
import type { Log } from "../../journal/logs/log.ts";
import { oneAtATime } from "../../store/one-at-a-time.ts";
import { installerScript } from "../build.ts";
import {
  type DecisionsInForce,
  type HostDecisions,
  HostFileRefused,
  readDecisionsInForce,
  readHostFile,
  refusedFinding,
  unknownFinding,
  usualHostFile,
} from "../host-file/host-file.ts";
import type { Program } from "../program.ts";
import { type Agent, startAgent } from "./agent.ts";
import { type AgentConfig, agentConfig, usualSealKeyFile, usualStateDirectory } from "./config.ts";

/**
 * Parts of the host that a test may replace: its time, identity, names, root helper and short processes; and the clock that
 * is measured by that time. `trustedProxies` are trusted besides those of the host file.
 */
export type Surroundings = Pick<AgentConfig, "openClock"> &
  Partial<Pick<Host, "time" | "identity" | "names" | "helper" | "startFilter">> &
  Partial<Pick<AgentConfig, "trustedProxies">>;

/** The beginning of the line for `systemctl status`. */
const readyWords = {
  serving: "Serving",
  rescue: "In rescue, see `steward doctor`",
} as const satisfies Record<Agent["mode"], string>;

/** Times that a damaged state may be found repaired and damaged again before the service manager takes over. */
const restartsAllowed = 10;

const endings = {
  stop: "stopping",
  repaired: "the state was repaired: starting again",
  reset: "a factory reset was requested: starting again",
  restored: "a backup was restored: starting again",
  socketLost:
    "the directory of the socket is gone, and only systemd can make it: ending, so that systemd starts the agent again",
  outdated:
    "the disk can be written again, but not by this process: ending, so that systemd starts the agent again",
} as const;

/** EX_TEMPFAIL of sysexits(3): systemd starts the unit again. */
const temporaryFailure = 75;

/** Seconds after which an agent has not failed to start. */
const startedSeconds = 60;

/** Runs the agent until `stopRequested` settles. Returns its exit code. Throws as `readServeOptions`, `startAgent`. */
export async function serve(
  argv: string[],
  program: Program,
  stopRequested: Promise<"stop">,
  { openClock, trustedProxies = [], ...host }: Surroundings = {},
): Promise<number> {
  const { environment, log, build } = program;
  const options = readServeOptions(argv, { ...program, script: installerScript(program) });
  const path = options.hostFile;
  const started = await readDecisionsInForce(path, program.userId());
  const { decisions, refusal } = started;
  const config: AgentConfig = {
    ...(await agentConfig(program, options.state, options.run, options.initialSettings)),
    ...options.serve,
    ...decisions.forRooms,
    hostFile: path,
    ...(openClock && { openClock }),
    host,
    ...liveOf(decisions, trustedProxies),
  };
  let running: Agent | undefined;
  const reloading = createReload({ path, uid: program.userId, log }, started, {
    apply: async (present) => {
      Object.assign(config, liveOf(present, trustedProxies));
      await running?.reload(config);
    },
    record: (event) => running?.record(event),
  });
  Object.assign(config, { reload: reloading.reload, hostFileTrouble: reloading.trouble });
  program.onReload?.(() => void reloadBySignal(config, running));
  // Removes the launcher's count of failed starts: this start has not failed.
  const forgetFailures = () => rm(join(options.run, "failed-starts"), { force: true }).catch(() => undefined);
  (host.time?.timers ?? createTimers()).after(startedSeconds, forgetFailures);
  for (let start = 0; start <= restartsAllowed; start += 1) {
    const agent: Agent = await startAgent(config);
    running = agent;
    const { mode } = agent;
    program.serviceManager?.ready(() => statusOf(agent, build.version, reloading.trouble()));
    if (start === 0 && refusal !== null)
      agent.record(agentEvent("host_file.refused", { detail: refusal.message }));
    log("notice", "listening", { mode, addresses: agent.addresses(), version: build.version });
    const why = await endOf(agent, stopRequested, environment);
    log("notice", endings[why]);
    if (why === "stop") program.serviceManager?.stopping();
    await agent.stop();
    if (why === "outdated" || why === "socketLost") return temporaryFailure;
    if (why === "stop") return forgetFailures().then(() => 0);
  }
  return 1;
}

/** The decisions that need no restart. */
function liveOf({ names, https, trustedProxies }: HostDecisions, ownProxies: readonly string[]) {
  return { https, hostNames: names, trustedProxies: [...trustedProxies, ...ownProxies] };
}

function statusOf({ mode, addresses, describe }: Agent, version: string, ofHostFile: Finding | null): string {
  const isRefused = ofHostFile !== null && ofHostFile.code !== "host_file_members_unknown";
  return [
    `${readyWords[mode]} (${addresses().join(", ")}), version ${version}`,
    ...(isRefused ? ["the host file cannot be used, see `steward doctor`"] : []),
    ...describe(),
  ].join("; ");
}

/** Never throws: the reason has been logged. */
async function reloadBySignal({ reload }: AgentConfig, agent: Agent | undefined): Promise<void> {
  const found = await reload?.().catch(() => undefined);
  if (found) agent?.record(agentEvent("host_file.read", detailsOf(found)));
}

async function endOf(
  agent: Agent,
  stopRequested: Promise<"stop">,
  environment: Program["environment"],
): Promise<keyof typeof endings> {
  const ends: Promise<keyof typeof endings>[] = [
    stopRequested,
    agent.repaired.then(() => "repaired"),
    agent.reset,
  ];
  // systemd.exec(5): systemd sets it at each start of a unit; elsewhere no one would start another agent.
  if (environment.INVOCATION_ID !== undefined)
    ends.push(
      agent.outdated.then(() => "outdated"),
      agent.socketLost.then(() => "socketLost"),
    );
  return Promise.race(ends);
}

/** The way in which this process was started, and the way to start the installer. */
interface Started {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  /** Absolute path of installer.js. */
  readonly script: string;
}

/** Reads the arguments of `serve`. Throws `validation_failed`, and the errors of node:util for unknown options. */
function readServeOptions(argv: string[], started: Started) {
  const { environment } = started;
  const { values } = parseArgs({
    args: argv,
    options: {
      state: { type: "string", default: environment.STATE_DIRECTORY ?? usualStateDirectory },
      run: { type: "string", default: environment.RUNTIME_DIRECTORY ?? "/run/steward" },
      listen: { type: "string", default: "127.0.0.1:8470" },
      "initial-settings": { type: "string" },
      "seal-key": { type: "string", default: usualSealKeyFile },
      "host-file": { type: "string", default: usualHostFile },
      releases: { type: "string" },
      trust: { type: "string" },
      "steer-clock": { type: "boolean", default: false },
    },
  });
  return {
    state: values.state,
    run: values.run,
    hostFile: values["host-file"],
    initialSettings: values["initial-settings"] ?? environment.STEWARD_INITIAL_SETTINGS,
    serve: {
      ...ownInstaller(values, started),
      listen: loopback(values.listen),
      sealKeyFile: values["seal-key"],
      maySteerClock: values["steer-clock"],
    },
  };
}

/** The directories of a trial, in which the installer is a process of our own user. */
function ownInstaller(
  values: { releases?: string; trust?: string; state: string; "host-file": string },
  { node, script }: Started,
): Partial<Pick<AgentConfig, "installer">> {
  const { releases, trust } = values;
  if (releases === undefined && trust === undefined) return {};
  if (releases === undefined || trust === undefined)
    throw new StewardError("validation_failed", "Give --releases and --trust together, or neither of them");
  const directories = { releases: resolve(releases), trust: resolve(trust) };
  const [state, hostFile] = [resolve(values.state), resolve(values["host-file"])];
  return { installer: { directories, program: { node, script, state, hostFile } } };
}

/** `address:port` or `[v6]:port`. Plain HTTP stays on loopback, where no other machine can read it. */
function loopback(text: string): { host: string; port: number } {
  const [, v6, v4, port] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = v6 ?? v4 ?? "";
  const isLoopback = host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (isLoopback && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new StewardError(
    "validation_failed",
    `--listen must be a loopback address and a port such as 127.0.0.1:8470, not "${text}"`,
  );
}

/** The agent that goes by the host file. */
interface Reloaded {
  /** Applies the decisions that need no restart. */
  readonly apply: (decisions: HostDecisions) => Promise<void>;
  readonly record: (event: EventFacts) => void;
}

/**
 * Reads the host file again, one reading after the other. A file that cannot be used changes nothing: the agent keeps
 * the decisions that it has read before; `started`: those with which it has begun.
 */
function createReload(
  { path, uid, log }: { readonly path: string; readonly uid: () => number | undefined; readonly log: Log },
  started: DecisionsInForce,
  { apply, record }: Reloaded,
) {
  const { forRooms } = started.decisions;
  let present = started.decisions;
  let { trouble } = started;
  if (trouble !== null) log(started.refusal === null ? "warning" : "error", trouble.detail);
  let isAccepted = trouble?.code !== "host_file_without_copy";
  const reload = async (): Promise<Reread> => {
    try {
      const { decisions: next, unknown } = await readHostFile(path, uid());
      isAccepted = true;
      trouble = unknownFinding(path, unknown);
      if (trouble !== null) log("warning", trouble.detail);
      const changed = liveMembers.filter((name) => !isDeepStrictEqual(next[name], present[name]));
      present = next;
      await apply(next);
      const needsRestart = Object.entries(next.forRooms)
        .filter(([name, value]) => !isDeepStrictEqual(value, forRooms[name as keyof ForRooms]))
        .map(([name]) => asInFile(name));
      const found = { changed: changed.map(asInFile), needsRestart };
      log(needsRestart.length > 0 ? "warning" : "notice", "the host file was read again", detailsOf(found));
      return found;
    } catch (error) {
      const detail = messageOf(error);
      if (error instanceof HostFileRefused) trouble = await refusedFinding(path, error, isAccepted, uid());
      log("error", "the agent goes on with the host file that it has read before", { detail });
      record(agentEvent("host_file.refused", { detail }));
      // The certificates may have changed even so.
      await apply(present);
      throw error;
    }
  };
  const inTurn = oneAtATime();
  return {
    /** The present finding about the host file; null: there is none. */
    trouble: (): Finding | null => trouble,
    /** Throws HostFileRefused. */
    reload: (): Promise<Reread> => inTurn(reload),
  };
}

type ForRooms = HostDecisions["forRooms"];

/** The other members are read only at the start. */
const liveMembers = ["names", "trustedProxies", "https"] as const satisfies readonly (keyof HostDecisions)[];

/** The members as the event and the log have them. */
function detailsOf({ changed, needsRestart }: Reread) {
  return { changed: [...changed], needs_restart: [...needsRestart] };
}

/** The name in the host file: `trustedProxies` is `trusted_proxies` there. */
function asInFile(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
