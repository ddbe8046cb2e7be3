import { setTimeout as delay } from "node:timers/promises";
import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import { StewardError } from "../../contract/errors.ts";
import type { UpdateProgress, Updates } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Invocation } from "../client/command.ts";
import { isPassing } from "../client/follow.ts";
import { formatBytes } from "../system/facts-view.ts";
import { createProgressLine, shareOf } from "./progress-line.ts";
import { healthWords, releaseWords } from "./update-words.ts";

/** Milliseconds between two polls: short at first, for an idle check takes less than a second. */
const firstPollMilliseconds = 50;
const mostPollMilliseconds = 1_000;

/** Milliseconds that an agent may be away; on trial it may itself be the release that is restarted and undone. */
const patience = { onTrial: 600_000, else: 30_000 } as const;

/** Polls, and milliseconds between them, for which the next of several steps is awaited. */
const gap = { polls: 20, milliseconds: 250 } as const;

/** Polls until nothing is in progress or about to be, shown on a terminal. Throws CommandError: 130 at Ctrl-C, or 8. */
export async function followUpdates(
  invocation: Invocation,
  begun: Updates,
  isMoreToCome: (status: Updates) => boolean | Promise<boolean>,
): Promise<Updates> {
  const interruption = invocation.context.interruption();
  const show = createProgressLine(invocation);
  const next = async (status: Updates, milliseconds: number): Promise<Updates> => {
    await pause(milliseconds, interruption, goesOn(status));
    return nextStatus(invocation, status, interruption, show);
  };
  let status = begun;
  let milliseconds = firstPollMilliseconds;
  let idlePolls = 0;
  try {
    for (;;) {
      if (isUnderWay(status)) {
        idlePolls = 0;
        show(progressLine(status));
        status = await next(status, milliseconds);
        milliseconds = Math.min(mostPollMilliseconds, milliseconds * 1.5);
      } else if (idlePolls < gap.polls && (await isMoreToCome(status))) {
        idlePolls += 1;
        status = await next(status, gap.milliseconds);
      } else return status;
    }
  } finally {
    show("");
  }
}

/** Seconds to wait for the next check, and how often: scheduled checks count too, and none begins while the installer takes over a release. */
const turn = { mostSeconds: 10, tries: 7 } as const;

/** Begins what checks a repository; soon after another check it waits, unless `--no-wait` is given. Throws `rate_limited`, CommandError(130). */
export async function beginCheck(
  { context, options, output }: Invocation,
  begin: () => Promise<Updates>,
): Promise<Updates> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await begin();
    } catch (error) {
      const seconds = error instanceof StewardError ? error.details.retryAfterSeconds : undefined;
      const isSoon = seconds !== undefined && seconds <= turn.mostSeconds && tries < turn.tries;
      if (!isSoon || options.has("no-wait")) throw error;
      await output.remark(`The last check has just ended; the next one begins in ${seconds} s.`);
      const interruption = context.interruption();
      await pause(seconds * 1_000, interruption, "nothing was begun.");
    }
  }
}

/** Throws the error of a check that failed. */
export function refuseFailed({ schedule: { last_check } }: Updates): void {
  if (last_check?.outcome !== "failed") return;
  const detail = last_check.detail ?? "The check failed for an unknown reason.";
  const code = Object.keys(errorCodes).find((known): known is ErrorCode => known === last_check.code);
  throw code === undefined ? new CommandError(1, detail) : new StewardError(code, detail);
}

/** An update of Steward restarts the agent: it comes back as the new release or the old one. */
async function nextStatus(
  { client }: Invocation,
  status: Updates,
  interruption: AbortSignal,
  show: (line: string) => void,
): Promise<Updates> {
  const most = isApplying(status) ? patience.onTrial : patience.else;
  for (let waited = 0; ; waited += mostPollMilliseconds) {
    try {
      return await client.call("getUpdates", {});
    } catch (error) {
      if (!isPassing(error) || waited >= most) throw error;
    }
    show("The agent is restarting …");
    await pause(mostPollMilliseconds, interruption, goesOn(status));
  }
}

/** Waits for so many milliseconds. Throws CommandError(130) at Ctrl-C, with what comes of the update then. */
export async function pause(milliseconds: number, interruption: AbortSignal, end: string): Promise<void> {
  await delay(milliseconds, undefined, { signal: interruption }).catch(() => undefined);
  if (interruption.aborted) throw new CommandError(130, `Interrupted; ${end}`);
}

function goesOn(status: Updates): string {
  return isApplying(status)
    ? "the installer continues with the update; `steward update status` shows the progress."
    : "the agent continues with the check.";
}

function isUnderWay(status: Updates): boolean {
  const { state, progress } = status;
  if (isApplying(status)) return true;
  if (progress !== null) return progress.phase !== "idle";
  return state === "checking" || state === "downloading";
}

const applyingStates: readonly string[] = ["verifying", "installing", "confirming", "rolling_back"];

function isApplying({ state, trial, progress }: Updates): boolean {
  return trial !== null || applyingStates.includes(state) || applyingStates.includes(progress?.phase ?? "");
}

function progressLine({ trial, progress }: Updates): string {
  if (trial === null) return progress === null ? "" : progressWords(progress);
  const release = releaseWords(trial);
  if (trial.phase === "installing") return `Installing ${release} …`;
  if (trial.phase === "rolling_back") return `Rolling back ${release} …`;
  const until = trial.deadline_at === null ? "" : `, until ${trial.deadline_at}`;
  return `Confirming ${release}: ${healthWords(trial.health)}${until}`;
}

function progressWords({ phase, name, done_bytes, total_bytes }: UpdateProgress): string {
  const release = name ?? "a release";
  switch (phase) {
    case "idle":
    case "checking":
      return "Checking for updates …";
    case "verifying":
      return `Verifying ${release} …`;
    case "installing":
      return `Installing ${release} …`;
    case "confirming":
      return `Confirming ${release} …`;
    case "rolling_back":
      return `Rolling back ${release} …`;
    case "downloading":
      return `Downloading ${release}: ${formatBytes(done_bytes)}${shareOf(done_bytes, total_bytes)}`;
  }
}
