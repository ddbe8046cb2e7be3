import { setTimeout as delay } from "node:timers/promises";
import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import type { UpdateProgress, Updates } from "../contract/types.ts";
import { StewardError } from "../errors.ts";
import type { Invocation } from "./command.ts";
import { CommandError } from "./context.ts";
import { escapeText } from "./escape.ts";
import { formatBytes } from "./facts-view.ts";

/** Milliseconds between two looks: quick at first, for an idle check takes less than a second. */
const firstLookMilliseconds = 50;
const mostLookMilliseconds = 1_000;

/** ECMA-48 EL: erases the line that the cursor stands on. */
const eraseLine = "\r\u001b[K";

/** Looks until nothing is under way any more; on a terminal it shows how far it is. Throws CommandError(130) at Ctrl-C. */
export async function followCheck(invocation: Invocation, begun: Updates): Promise<Updates> {
  const { client, context } = invocation;
  const interruption = context.interruption();
  const show = createProgressLine(invocation);
  let status = begun;
  let milliseconds = firstLookMilliseconds;
  try {
    while (isUnderWay(status)) {
      show(status.progress);
      await delay(milliseconds, undefined, { signal: interruption }).catch(() => undefined);
      if (interruption.aborted) throw new CommandError(130, "Interrupted; the agent goes on with the check.");
      milliseconds = Math.min(mostLookMilliseconds, milliseconds * 1.5);
      status = await client.call("getUpdates", {});
    }
  } finally {
    show(null);
  }
  return status;
}

/** Throws what a check that failed says of itself. */
export function refuseFailed({ schedule: { last_check } }: Updates): void {
  if (last_check?.outcome !== "failed") return;
  const detail = last_check.detail ?? "The check failed, and nothing is known of why.";
  const code = Object.keys(errorCodes).find((known): known is ErrorCode => known === last_check.code);
  throw code === undefined ? new CommandError(1, detail) : new StewardError(code, detail);
}

function isUnderWay({ state, progress }: Updates): boolean {
  if (progress !== null) return progress.phase !== "idle";
  return state === "checking" || state === "downloading";
}

/** One line that is written over; nothing where nobody would see it. */
function createProgressLine({ context, options }: Invocation): (progress: UpdateProgress | null) => void {
  const { stderr } = context;
  if (!stderr.isTTY || options.has("quiet")) return () => undefined;
  let shown = "";
  return (progress) => {
    const line = progress === null ? "" : progressWords(progress);
    if (line === shown) return;
    shown = line;
    stderr.write(`${eraseLine}${line}`);
  };
}

function progressWords({ phase, name, done_bytes, total_bytes }: UpdateProgress): string {
  if (phase !== "downloading") return "Looking for updates …";
  const share = total_bytes
    ? ` of ${formatBytes(total_bytes)} (${Math.floor((done_bytes / total_bytes) * 100)} %)`
    : "";
  return escapeText(`Fetching ${name ?? "a release"}: ${formatBytes(done_bytes)}${share}`);
}
