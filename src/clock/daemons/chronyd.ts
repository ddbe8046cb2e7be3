import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { CommandResult, RootOrder, Timers } from "../../host/ports.ts";
import { stepThresholdSeconds } from "../discipline/discipline.ts";
import { createReadAuthentications } from "./chrony-authentication.ts";
import { type ChronycReport, parseChronyc } from "./chronyc-report.ts";
import { hasReference, reportOfChrony } from "./chronyd-report.ts";
import {
  type DaemonReport,
  type DaemonTrouble,
  type ExternalDaemon,
  type ExternalDaemonOptions,
  reportOfKernel,
} from "./external-daemon.ts";

/** Milliseconds for one chronyc: it takes 5, and would try for seven seconds where packets are dropped. */
const patienceMilliseconds = 3_000;

/** Seconds that a burst of four samples may take to show in `tracking`, and between two readings of it. */
const burstSeconds = 10;
const readingSeconds = 0.5;

export interface ChronydOptions extends ExternalDaemonOptions {
  command?: string;
  /** chronyd's command port on the loopback address. */
  port?: number;
  /** The file in which the unit of the order `authdata` leaves its answer. */
  authdataFile?: string;
}

/** The orders to chronyd that the root helper passes on. */
type Verb = Exclude<Extract<RootOrder, { word: "chrony" }>["verb"], "authdata">;

/** chronyd, read with chronyc over loopback, as any user may, and ordered through the root helper, as only root may. */
export function createChronyd(options: ChronydOptions): ExternalDaemon {
  const { helper, kernelIsSynchronised } = options;
  const chronyc = createChronyc(options);
  const hostNames = createHostNames(chronyc);
  const readAuthentications = createReadAuthentications(options);
  let isReadOnly = false;
  const order = async (verb: Verb): Promise<void> => {
    try {
      await helper.ask({ word: "chrony", verb });
      isReadOnly = false;
    } catch (cause) {
      isReadOnly ||= isRefusal(cause);
      throw isRefusal(cause) ? readOnly(verb, cause) : cause;
    }
  };
  const read = async (): Promise<DaemonReport> => {
    const answer = await chronyc.report();
    if ("trouble" in answer) {
      return { ...reportOfKernel(kernelIsSynchronised() === true, answer.trouble), isReadOnly };
    }
    const { report } = answer;
    const names = report.sources.filter(({ mode }) => mode !== "#").map(({ name }) => name);
    const [hostOf, authentications] = await Promise.all([hostNames(names), readAuthentications(names)]);
    const authenticationOf = (name: string) => authentications.get(name);
    return { ...reportOfChrony(report, { hostOf, authenticationOf }), isReadOnly, trouble: null };
  };
  return {
    name: "chronyd",
    read,
    reselect: () => order("reselect"),
    sync: (force) => sync(force, options, chronyc, order),
  };
}

/**
 * The agent's own sync, performed by chronyd: measure now; leave small offsets to its slewing; step where it would slew
 * for hours; beyond the panic threshold only by force. `makestep` checks none of this and steps by all that is left, so
 * the offset is read before.
 */
async function sync(
  force: boolean,
  { timers, panicSeconds }: ChronydOptions,
  chronyc: Chronyc,
  order: (verb: Verb) => Promise<void>,
): Promise<void> {
  const before = await chronyc.report();
  await order("burst");
  // If the offset cannot be read, chronyd's own rules decide, unless the request is forced.
  if ("trouble" in before) return force ? order("makestep") : undefined;
  const { tracking } = await measuredAfter(before.report, chronyc, timers);
  const off = Math.abs(tracking.offsetSeconds);
  // chronyd slews smaller offsets without being asked, as the agent does.
  if (off < stepThresholdSeconds) return;
  if (off > panicSeconds() && !force) {
    const found = `The clock is ${off.toFixed(0)} s off by chronyd's sources, more than time.panic_threshold.`;
    throw new StewardError("panic_threshold", `${found} Only a forced sync steps that far.`);
  }
  await order("makestep");
}

/** chronyd's report as soon as it has used a newer measurement than that of `before`. */
async function measuredAfter(
  before: ChronycReport,
  chronyc: Chronyc,
  timers: Timers,
): Promise<ChronycReport> {
  for (let waited = 0; waited < burstSeconds; waited += readingSeconds) {
    await new Promise<void>((resolve) => timers.after(readingSeconds, resolve));
    const answer = await chronyc.report();
    if ("trouble" in answer) continue;
    const { report } = answer;
    const isNewer = report.tracking.referenceTimeSeconds !== before.tracking.referenceTimeSeconds;
    if (isNewer && hasReference(report)) return report;
  }
  throw new StewardError(
    "no_time_source",
    `chronyd measured nothing that it could use within ${burstSeconds} s.`,
  );
}

function isRefusal(error: unknown): error is StewardError {
  return error instanceof StewardError && (error.code === "forbidden" || error.code === "not_found");
}

function readOnly(verb: Verb, cause: StewardError): StewardError {
  const said = `chronyd can be read here and not ordered. ${cause.message} Until then, as root: chronyc ${verb}.`;
  return new StewardError("forbidden", said, { cause });
}

type Answer = { readonly report: ChronycReport } | { readonly trouble: DaemonTrouble };

type Chronyc = ReturnType<typeof createChronyc>;

function createChronyc({ run, command = "chronyc", port }: ChronydOptions) {
  // -n: no name is looked up. -m: each argument is a command, so that one process answers all.
  const common = ["-c", "-n", "-h", "127.0.0.1", ...(port === undefined ? [] : ["-p", String(port)]), "-m"];
  const call = (commands: readonly string[]) =>
    run(command, [...common, ...commands], { timeoutMilliseconds: patienceMilliseconds });
  return {
    /** null: it could not be run. */
    ask: (commands: readonly string[]): Promise<CommandResult | null> => call(commands).catch(() => null),
    report: async (): Promise<Answer> => {
      try {
        return answerOf(await call(["tracking", "sources", "sourcestats"]));
      } catch (error) {
        return { trouble: { code: "command_failed", cause: systemErrorCode(error) ?? "it did not start" } };
      }
    },
  };
}

function answerOf({ status, stdout }: CommandResult): Answer {
  if (status !== 0) {
    const said =
      status === null ? "no answer within 3 s" : (stdout.trim().split("\n").pop() ?? "").slice(0, 200);
    return { trouble: { code: "no_answer", cause: said } };
  }
  const report = parseChronyc(stdout);
  if (report !== null) return { report };
  return { trouble: { code: "unknown_format", cause: null } };
}

/** The name of a source in chronyd's configuration: at most as long as a DNS name. */
const hostPattern = /^[\x21-\x7e]{1,253}$/;

/** Reads the names of chronyd's sources in its configuration, once for each address. */
function createHostNames(chronyc: Chronyc): (names: readonly string[]) => Promise<(name: string) => string> {
  let known = new Map<string, string>();
  return async (names) => {
    known = new Map([...known].filter(([name]) => names.includes(name)));
    // Only an address goes into a command of chronyc's.
    const unknown = names.filter((name) => !known.has(name) && /^[0-9a-fA-F.:]+$/.test(name));
    if (unknown.length > 0) {
      const answer = await chronyc.ask(unknown.map((name) => `sourcename ${name}`));
      const hosts = answer?.status === 0 ? answer.stdout.trim().split("\n") : [];
      // A source that was removed meanwhile gives an error: then all are read again at the next reading.
      if (hosts.length !== unknown.length) return (name) => known.get(name) ?? name;
      for (const [n, name] of unknown.entries()) {
        const host = hosts[n] ?? "";
        known.set(name, hostPattern.test(host) ? host : name);
      }
    }
    return (name) => known.get(name) ?? name;
  };
}
