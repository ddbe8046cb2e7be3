import { StewardError } from "../../contract/errors.ts";
import type { RunCommand } from "../../host/ports.ts";
import {
  type DaemonReport,
  type DaemonSource,
  type ExternalDaemon,
  type ExternalDaemonOptions,
  type ReadKernelFlag,
  reportOfKernel,
} from "./external-daemon.ts";
import { parseTimesync, type TimesyncdReport } from "./timesyncd-report.ts";

/** Milliseconds for one timedatectl; it may have to wait for timedated to start. */
const patienceMilliseconds = 5_000;

const unit = "systemd-timesyncd.service";

/**
 * systemd-timesyncd, a client of one server at a time: its time is `accepted` at most. It has no command to measure now:
 * its unit is restarted, after which it polls its servers at once and steps by what it finds, forced or not.
 */
export function createTimesyncd({
  run,
  helper,
  kernelIsSynchronised,
}: Pick<ExternalDaemonOptions, "run" | "helper" | "kernelIsSynchronised">): ExternalDaemon {
  let isReadOnly = false;
  const limits = { timeoutMilliseconds: patienceMilliseconds };
  const restart = async (): Promise<void> => {
    try {
      await helper.ask({ word: "restart-timesyncd" });
      isReadOnly = false;
    } catch (cause) {
      if (!(cause instanceof StewardError && cause.code === "forbidden")) throw cause;
      isReadOnly = true;
      const said = `${unit} can be read here and not restarted. ${cause.message} Until then, as root: systemctl restart ${unit}.`;
      throw new StewardError("forbidden", said, { cause });
    }
  };
  return {
    name: "systemd-timesyncd",
    read: async () => {
      const [isSynchronised, report] = await Promise.all([
        isSynchronisedBy(kernelIsSynchronised, run),
        outputOf(run("timedatectl", ["show-timesync", "--all"], limits)).then(
          (output) => output !== null && parseTimesync(output),
        ),
      ]);
      if (report) return { ...reportOf(report, isSynchronised), isReadOnly };
      const code = report === null ? "unknown_format" : "no_answer";
      return { ...reportOfKernel(isSynchronised, { code, cause: null }), isReadOnly };
    },
    reselect: restart,
    sync: restart,
  };
}

/** The kernel's flag; where that cannot be read, timedated's, although that starts a service.*/
async function isSynchronisedBy(kernelIsSynchronised: ReadKernelFlag, run: RunCommand): Promise<boolean> {
  const flag = kernelIsSynchronised();
  if (flag !== null) return flag;
  const args = ["show", "--property=NTPSynchronized"];
  const output = await outputOf(run("timedatectl", args, { timeoutMilliseconds: patienceMilliseconds }));
  return output?.trim() === "NTPSynchronized=yes";
}

/** null: the command failed, or could not be run. */
async function outputOf(running: ReturnType<RunCommand>): Promise<string | null> {
  const result = await running.catch(() => null);
  return result?.status === 0 ? result.stdout : null;
}

function reportOf(report: TimesyncdReport, isSynchronised: boolean): DaemonReport {
  const { server, message } = report;
  const source = server === null ? null : sourceOf(server, message);
  return {
    // Its timestamps are whole seconds, so neither its last offset nor a bound of its error is known.
    ...reportOfKernel(isSynchronised, null),
    rootDelaySeconds: message?.rootDelaySeconds ?? null,
    rootDispersionSeconds: message?.rootDispersionSeconds ?? null,
    frequencyPpm: report.frequencyPpm,
    leap: (["none", "insert", "delete"] as const)[message?.leap ?? 3] ?? "unknown",
    pollSeconds: report.pollSeconds,
    source:
      source === null || message === null
        ? null
        : { id: source.id, host: source.host, stratum: message.stratum, refid: message.reference },
    sources: source === null ? [] : [source],
    configured: report.configured,
  };
}

function sourceOf(
  { name, address }: { name: string; address: string | null },
  message: TimesyncdReport["message"],
): DaemonSource {
  return {
    id: address ?? name,
    host: name,
    address,
    ...stateOf(message),
    offset_seconds: null,
    uncertainty_seconds: null,
    delay_seconds: null,
    jitter_seconds: message?.jitterSeconds ?? null,
    stratum: message?.stratum ?? null,
    reach: null,
    nts: false,
    authenticated: false,
  };
}

function stateOf(message: TimesyncdReport["message"]): Pick<DaemonSource, "state" | "reason"> {
  if (message === null) return { state: "unreachable", reason: { code: "not_heard", cause: null } };
  if (message.isIgnored) return { state: "suspect", reason: { code: "spike", cause: null } };
  return { state: "selected", reason: null };
}
