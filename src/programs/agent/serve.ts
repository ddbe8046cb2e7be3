import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import { createTimers } from "../../host/linux/timers.ts";
import { agentEvent } from "../../journal/events/event.ts";
import { installerScript } from "../build.ts";
import { type HostDecisions, readDecisionsInForce } from "../host-file/host-file.ts";
import type { Program } from "../program.ts";
import { type Agent, startAgent } from "./agent.ts";
import { type AgentConfig, agentConfig } from "./config.ts";
import { readServeOptions } from "./options.ts";
import { createReload, detailsOf } from "./reload.ts";

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
