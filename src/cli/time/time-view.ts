import type { TimeProbe, TimeSync } from "../../contract/types.ts";
import { escapeText } from "../../terminal/escape.ts";
import { type Fields, formatFields, formatTable } from "../../terminal/table.ts";
import { formatLag, formatOffset, formatSpan } from "../../terminal/time-figures.ts";
import { sourceLines } from "./source-lines.ts";

/** The whole status for people: the sentence, the figures, the sources; each line ends in a line feed. */
export function timeReport(status: TimeSync): string {
  const sources = sourceLines(status.sources).map((line) => `${line}\n`);
  const gap = sources.length === 0 ? "" : "\n";
  return `${escapeText(status.summary.detail)}\n\n${formatFields(statusFields(status))}${gap}${sources.join("")}`;
}

/** The answers of servers that may become time servers; each line ends in a line feed. */
export function probeReport({ servers, answering, agreeing }: TimeProbe): string {
  const useless = answering === 0 ? "" : ", but give no time that can be used";
  const agreed = agreeing === 0 ? useless : `, ${agreeing} agree`;
  // Until one of them has said it, the column would be empty.
  const isNtsKnown = servers.some(({ nts }) => nts !== null);
  const rows = servers.map(
    ({ host, offset_seconds, uncertainty_seconds, delay_seconds, stratum, nts, reason }) => [
      host,
      offset_seconds === null ? null : formatOffset(offset_seconds),
      uncertainty_seconds === null ? null : `+- ${formatSpan(uncertainty_seconds)}`,
      delay_seconds === null ? null : formatSpan(delay_seconds),
      stratum,
      ...(isNtsKnown ? [nts?.replace("_", " ") ?? null] : []),
      reason?.detail ?? "",
    ],
  );
  const ofNts = isNtsKnown ? ["nts"] : [];
  const heads = ["server", "offset", "uncertainty", "delay", "stratum", ...ofNts, "remark"];
  return `${answering} of ${servers.length} answer${agreed}.\n\n${formatTable({ heads, rows })}`;
}

function statusFields(status: TimeSync): Fields {
  const { discipliner, source, last_step } = status;
  return [
    ["time", status.server_time],
    ["mode", status.mode],
    ["state", status.state],
    ["trust", `${status.trust}${status.authenticated ? ", authenticated" : ""}: ${trusts[status.trust]}`],
    ["source", source && [source.host, ...sourceDetails(source)].join(", ")],
    ["offset", offsetOf(status)],
    ["frequency", frequencyOf(status.frequency_ppm)],
    ["poll", status.poll_seconds === null ? null : `every ${Math.round(status.poll_seconds)} s`],
    ["last sync", lastSync(status)],
    [
      "last step",
      last_step &&
        `${formatSpan(last_step.seconds)} ${last_step.seconds < 0 ? "back" : "forward"} at ${last_step.at}`,
    ],
    ["floor", status.floor_at],
    ["kernel", kernelOf(status.kernel)],
    ["battery clock", status.rtc],
    ...(status.leap === "insert" || status.leap === "delete" ? [["leap second", status.leap] as const] : []),
    ["set by", discipliner.name ?? "no program"],
    ...(discipliner.conflict === null ? [] : [["conflict", discipliner.conflict.detail] as const]),
    ["time.servers", serversOf(status)],
  ];
}

const trusts: Readonly<Record<TimeSync["trust"], string>> = {
  trusted: "a majority of the sources agrees",
  accepted: "from a simple daemon, a person or servers without a majority, or uncertain by more than 0.5 s",
  none: "the clock is not trusted",
};

function sourceDetails({ stratum, refid }: NonNullable<TimeSync["source"]>): string[] {
  return [...(stratum === null ? [] : [`stratum ${stratum}`]), ...(refid === null ? [] : [`refid ${refid}`])];
}

function offsetOf({ offset_seconds, uncertainty_seconds }: TimeSync): string | null {
  const reach = uncertainty_seconds === null ? "" : ` +- ${formatSpan(uncertainty_seconds)}`;
  if (offset_seconds === null) return reach === "" ? null : `not known${reach}`;
  return `${formatOffset(offset_seconds)}${reach} (this clock is ${offset_seconds < 0 ? "ahead" : "behind"})`;
}

function frequencyOf(ppm: number | null): string | null {
  if (ppm === null) return null;
  const words = Math.abs(ppm) < 0.0005 ? "" : ` (the oscillator is ${ppm < 0 ? "fast" : "slow"})`;
  return `${signedPpm(ppm)}${words}`;
}

function lastSync({ last_sync_at, last_sync_age_seconds }: TimeSync): string | null {
  if (last_sync_at === null) return null;
  return last_sync_age_seconds === null
    ? last_sync_at
    : `${formatSpan(last_sync_age_seconds)} ago, at ${last_sync_at}`;
}

function kernelOf(kernel: TimeSync["kernel"]): string | null {
  if (!kernel) return null;
  const flag = kernel.synchronised ? "synchronised" : "not synchronised";
  return `${flag}, error at most ${formatSpan(kernel.max_error_seconds)}, frequency ${signedPpm(kernel.frequency_ppm)}`;
}

function signedPpm(ppm: number): string {
  return `${ppm < 0 ? "-" : "+"}${Math.abs(ppm).toFixed(3)} ppm`;
}

function serversOf({ servers, mode }: TimeSync): string {
  const { configured, in_effect } = servers;
  if (configured.length === 0) return "none are set";
  const count = `${configured.length} ${configured.length === 1 ? "is" : "are"} set`;
  if (in_effect) return `${count}, in effect`;
  const why = mode === "delegate" ? "the time daemon uses its own list" : "they are not used now";
  return `${count}, not in effect: ${why}`;
}

/** The effect of a requested synchronisation in a sentence, from the status before and after. */
export function syncSentence(before: TimeSync, after: TimeSync): string {
  const step = after.last_step;
  const reach =
    after.uncertainty_seconds === null ? "" : `, to within ${formatSpan(after.uncertainty_seconds)}`;
  if (step !== null && step.at !== before.last_step?.at) {
    const way = step.seconds < 0 ? "back" : "forward";
    return `The clock was stepped ${way} by ${formatSpan(step.seconds)}; it is ${after.server_time} now${reach}.`;
  }
  if (after.offset_seconds === null) return after.summary.detail;
  if (after.mode !== "discipline" && after.mode !== "delegate") {
    return `Measured: this clock is ${formatLag(after.offset_seconds)}${reach}. ${after.summary.detail}`;
  }
  const was = before.offset_seconds === null ? "" : `; it was ${formatLag(before.offset_seconds)} before`;
  return `The clock is ${formatLag(after.offset_seconds)}${reach}${was}. No step was needed.`;
}
