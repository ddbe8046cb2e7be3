import { rethrown, StewardError } from "../../../contract/errors.ts";
import { serviceName } from "../../../contract/host-file/release-plan.ts";
import type { CommandResult, RunCommand } from "../../ports.ts";
import { printableLine } from "../../printable-text.ts";
import type { Units } from "../../release-ports.ts";
import { readJournalEntry } from "./journal-entry.ts";
import { moment } from "./journal-source.ts";

export interface LinuxUnits extends Units {
  state(unit: string): Promise<ReturnType<typeof readState>>;
}

/** Seconds: by default systemd gives a unit 90 to stop and 90 to start. */
const orderSeconds = 200;

/** Seconds: an answer takes some hundredths, and a whole health check at most 10. */
const questionSeconds = 8;

/** Characters of a line of the log. */
const longestLine = 400;

/** The units of systemd through systemctl(1) and journalctl(1). Throws RangeError for an invalid name of a service. */
export function createUnits(run: RunCommand): LinuxUnits {
  const order = async (verb: string, unit: string, options: readonly string[] = []): Promise<void> => {
    checkName(unit);
    await systemctl(run, verb, unit, orderSeconds, options);
  };
  return {
    state: async (unit) => readState(unit, await ask(run, unit)),
    restart: async (unit) => {
      await order("reset-failed", unit).catch(unlessNotLoaded);
      await order("restart", unit);
    },
    reload: (unit) => order("reload-or-restart", unit),
    begin: async (unit) => {
      await order("reset-failed", unit).catch(unlessNotLoaded);
      // Not `start`: a unit that is just stopping would count as running, and would not be started.
      await order("restart", unit, ["--no-block"]);
    },
    log: (...query) => readLog(run, ...query),
  };
}

const serviceForm = new RegExp(serviceName.pattern);

function checkName(unit: string): void {
  if (!serviceForm.test(unit)) throw new RangeError(`"${unit}" is not the name of a service`);
}

/** systemd unloads a unit that has stopped without failure, together with its counters. */
function unlessNotLoaded(error: unknown): void {
  if (error instanceof StewardError && / not loaded\.?$/.test(error.message)) return;
  throw error;
}

const properties = [
  "LoadState",
  "ActiveState",
  "SubState",
  "Result",
  "NRestarts",
  "InvocationID",
  "ExecMainCode",
  "ExecMainStatus",
] as const;

type Shown = Readonly<Record<(typeof properties)[number], string>>;

async function ask(run: RunCommand, unit: string): Promise<Shown> {
  checkName(unit);
  const options = ["--no-pager", `--property=${properties.join(",")}`];
  const text = await systemctl(run, "show", unit, questionSeconds, options);
  const lines = text.trimEnd().split("\n");
  const values = new Map(lines.map((line) => [line.replace(/=.*/, ""), line.replace(/^[^=]*=?/, "")]));
  const shown = properties.map((property) => {
    const value = values.get(property);
    if (value === undefined) throw unreadable(unit, `no ${property}`);
    return [property, value];
  });
  return Object.fromEntries(shown) as Shown;
}

function readState(unit: string, shown: Shown) {
  const { LoadState, ActiveState, SubState, Result, NRestarts, InvocationID } = shown;
  // `systemctl show` succeeds for a missing unit.
  if (LoadState === "not-found") throw new StewardError("not_found", `The unit ${unit} does not exist`);
  if (!/^\d{1,9}$/.test(NRestarts)) throw unreadable(unit, `NRestarts=${NRestarts}`);
  if (!/^([0-9a-f]{32})?$/.test(InvocationID)) throw unreadable(unit, `InvocationID=${InvocationID}`);
  const isFailed = ActiveState === "failed";
  // NRestarts counts restarts and not exits: while systemd waits for RestartSec=, it is one behind. A unit that reached
  // its start limit counts one more than its exits, because systemd has given it up.
  const hasLeft = Result !== "success" && (isFailed || SubState === "auto-restart");
  return {
    // As in `systemctl is-active`: a unit that is being reloaded runs.
    isActive: ActiveState === "active" || ActiveState === "reloading",
    isFailed,
    uncleanExits: Number(NRestarts) + (hasLeft ? 1 : 0),
    invocation: InvocationID,
    /** Its state, and how it ended: `failed, exit status 1`. */
    words: wordsOf(shown),
  };
}

function wordsOf({ LoadState, ActiveState, SubState, Result, ExecMainCode, ExecMainStatus }: Shown): string {
  const what = [ActiveState === SubState ? ActiveState : `${ActiveState}, ${SubState}`];
  if (LoadState !== "loaded") what.push(LoadState);
  if (Result !== "success") what.push(endOf(Result, ExecMainCode, ExecMainStatus));
  return printableLine(what.join(", "), 120);
}

/** waitid(2): 1 is CLD_EXITED, 2 CLD_KILLED, 3 CLD_DUMPED. */
function endOf(result: string, code: string, status: string): string {
  if (result === "exit-code" && code === "1") return `exit status ${status}`;
  if (result === "signal" || result === "core-dump") return `killed by signal ${status}`;
  return result;
}

function unreadable(unit: string, what: string): StewardError {
  return new StewardError(
    "internal_error",
    `systemctl show ${unit} printed an unexpected value: ${printableLine(what, 100)}`,
  );
}

/** Oldest first. */
async function readLog(
  run: RunCommand,
  ...[unit, sinceMilliseconds, mostLines]: Parameters<Units["log"]>
): Promise<string[]> {
  checkName(unit);
  const args = [
    `--unit=${unit}`,
    `--since=@${moment(sinceMilliseconds)}`,
    `--lines=${mostLines}`,
    // Newest first, because excess output is cut off at its end.
    "--reverse",
    "--output=json",
    "--output-fields=MESSAGE,STEWARD_JSON",
    "--all",
    "--quiet",
    "--no-pager",
  ];
  const limits = { timeoutMilliseconds: questionSeconds * 1_000 };
  const { status, stdout, stderr } = await run("journalctl", args, limits).catch(
    rethrown((cause) => new StewardError("internal_error", "journalctl could not be run", { cause })),
  );
  // Killed for too much output, or at the timeout: the lines so far are the newest.
  if (status !== 0 && status !== null) {
    const complaint = printableLine(stderr, 200) || "it did not say why";
    throw new StewardError("internal_error", `journalctl failed with status ${status}: ${complaint}`);
  }
  const entries = stdout.split("\n").flatMap((line) => readJournalEntry(line) ?? []);
  const lines = entries
    .reverse()
    .filter(({ message, ownLine }) => !auditLine.test(ownLine ?? message))
    .flatMap(({ message }) => message.trimEnd().split("\n"));
  return lines.slice(-mostLines).map((line) => printableLine(line, longestLine));
}

/** Audit lines of the agent are left out: they are for administrators, and every user can read this log. */
const auditLine = /^\{"time":.*"audit":true/;

/** Calls systemctl(1). Throws `forbidden`, `not_found`, `internal_error`. Callers check names: no path, no pattern. */
async function systemctl(
  run: RunCommand,
  verb: string,
  unit: string,
  /** Seconds to wait; systemd may still complete the job afterwards. */
  patienceSeconds: number,
  options: readonly string[] = [],
): Promise<string> {
  const args = ["--no-ask-password", verb, ...options, "--", unit];
  const limits = { timeoutMilliseconds: patienceSeconds * 1_000 };
  const result = await run("systemctl", args, limits).catch(
    rethrown((cause) => new StewardError("internal_error", "systemctl could not be run", { cause })),
  );
  if (result.status !== 0) throw refusal(`systemctl ${verb} ${unit}`, result, patienceSeconds);
  return result.stdout;
}

/** The reason for the failure, from the messages of the C locale. */
function refusal(command: string, { status, stderr }: CommandResult, patienceSeconds: number): StewardError {
  if (status === null)
    return new StewardError("internal_error", `${command} took longer than ${patienceSeconds} s`);
  const complaint = stderr.trim().split("\n")[0] ?? "";
  const said = `${command} failed with status ${status}: ${complaint || "without a message"}`;
  // Answers to a user who is not root.
  if (/access denied|interactive authentication required/i.test(complaint))
    return new StewardError("forbidden", said);
  if (/\bUnit .+ not found\b/.test(complaint)) return new StewardError("not_found", said);
  return new StewardError("internal_error", said);
}
