import { areaOf } from "../../contract/finding.ts";
import type { Area } from "../../contract/need-areas.ts";
import type { AuditEvent, Need, Status } from "../../contract/types.ts";
import { OnlyExitCode } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { type Fields, formatFields } from "../../terminal/table.ts";
import { formatLag, formatSpan } from "../../terminal/time-figures.ts";
import { type Command, needsPerson } from "../client/command.ts";
import { formatSeconds, remedyLines, share } from "./facts-view.ts";
import { productWords } from "./version.ts";

export const status: Command = {
  path: ["status"],
  summary:
    "Show a summary of the device: clock, updates, users, host, needs and the latest events; exit code 0 if nothing needs attention, otherwise 10",
  examples: [
    { line: "steward status", what: "is everything all right and, if not, what needs doing?" },
    { line: "steward -o json status", what: "the same for a program, each need with a code" },
  ],
  async run({ client, output }) {
    const document = await client.call("getStatus", {});
    await output.report(document, statusReport(document));
    if (document.state !== "ok") throw new OnlyExitCode(needsPerson);
  },
};

/** For people; each line ends in a line feed. */
function statusReport(status: Status): string {
  const { device_name, state, needs, latest } = status;
  const count = `${needs.length} ${needs.length === 1 ? "thing needs" : "things need"} attention`;
  const head = `${escapeText(device_name)}: ${needs.length === 0 ? "all is well" : `${state}, ${count}`}`;
  const gap = needs.length === 0 ? "" : `\n${needs.map(needLine).join("")}`;
  const events = (latest ?? []).toReversed().map(eventFields);
  const lately = events.length === 0 ? "" : `\nLately\n${formatFields(events)}`;
  return `${head}\n\n${formatFields(fieldsOf(status))}${gap}${lately}`;
}

/** An agent of an earlier release names no remedy. */
function needLine({ code, level, detail, remedy = null }: Need): string {
  const mark = level === "failing" ? "FAILING " : "";
  const lines = remedyLines(remedy).map((text) => `  ${escapeText(text)}\n`);
  return `* ${mark}${escapeText(code.replaceAll("_", " "))}: ${escapeText(detail)}\n${lines.join("")}`;
}

/** When, and what by whom. */
function eventFields({ time, type, actor, subject, code, count }: AuditEvent): Fields[number] {
  const about = subject === null || subject.id === actor.id ? "" : `: ${subject.name}`;
  const more = [...(code === null ? [] : [code]), ...(count > 1 ? [`${count} times`] : [])].join(", ");
  return [time, `${type} by ${actor.name ?? actor.kind}${about}${more === "" ? "" : ` (${more})`}`];
}

function fieldsOf({
  clock,
  updates,
  people,
  host,
  needs,
  version,
  event_reach: reach = null,
  last_backup_at: backup,
  server_time: now,
  product,
}: Status): Fields {
  const { disk, memory, temperature_celsius: heat } = host;
  const how = (area: Area): string => howIs(area, needs);
  return [
    ["clock", how("clock") + clockWords(clock)],
    ...(updates === null ? [] : updateFields(updates, how("updates"))),
    ...(people === null ? [] : [["people", how("people") + peopleWords(people)] as const]),
    ["disk", disk && `${how("disk")}${share(disk.available_bytes, disk.size_bytes)}, ${disk.path}`],
    ["memory", share(memory.available_bytes, memory.total_bytes)],
    ...(heat === null ? [] : [["temperature", `${heat.toFixed(0)} °C`] as const]),
    ["load", `${host.load.map((figure) => figure.toFixed(2)).join(" ")} on ${host.cores} cores`],
    ...(reach === null ? [] : [["events", reachWords(reach)] as const]),
    ...(backup === undefined ? [] : [["last backup", backupWords(backup, now)] as const]),
    ["up for", formatSeconds(host.uptime_seconds)],
    ...(product === undefined ? [] : [["product", productWords(product)] as const]),
    ["version", version],
  ];
}

/** Before the figures of a part that needs a person: they may look well all the same. */
function howIs(area: Area, needs: readonly Need[]): string {
  const [gravest] = needs.filter(({ code }) => areaOf(code) === area);
  if (gravest === undefined) return "";
  return gravest.level === "failing" ? "FAILING; " : "needs attention; ";
}

/** An agent of an earlier release says nothing. */
function reachWords({ complete_since }: NonNullable<Status["event_reach"]>): string {
  return complete_since === null ? "complete" : `complete since ${complete_since}`;
}

/** Days, since that is what decides if it is old. */
function backupWords(at: string | null, now: string): string {
  if (at === null) return "never";
  const days = Math.floor((Date.parse(now) - Date.parse(at)) / 86_400_000);
  if (days < 1) return at;
  return `${at}, ${days} ${days === 1 ? "day" : "days"} ago`;
}

function clockWords({ word, offset_seconds, uncertainty_seconds, source, last_sync_at }: Status["clock"]) {
  const reach = uncertainty_seconds === null ? "" : ` +- ${formatSpan(uncertainty_seconds)}`;
  return [
    word.replaceAll("_", " "),
    ...(offset_seconds === null ? [] : [`${formatLag(offset_seconds)}${reach}`]),
    ...(source === null ? [] : [`by ${source}`]),
    ...(last_sync_at === null ? [] : [`last sync ${last_sync_at}`]),
  ].join(", ");
}

type InShort = NonNullable<Status["updates"]>;

function updateFields(
  { state, kinds, last_check, next_check_at, is_automatic }: InShort,
  how: string,
): Fields {
  const isWhole = kinds.every(({ blocker }) => blocker?.code !== "not_verifiable");
  const ends = {
    ok: isWhole ? "succeeded" : "succeeded, but one kind could not be verified",
    failed: "failed",
    waiting_for_clock: "waiting for the clock",
  };
  const last = last_check === null ? "never" : `${last_check.at}, ${ends[last_check.outcome]}`;
  const next = is_automatic ? `next ${next_check_at ?? "soon"}` : "not scheduled";
  return [
    ["updates", how + state.replaceAll("_", " ")],
    ...kinds.map((kind) => [kind.kind, kindWords(kind)] as const),
    ["checked", `${last}; ${next}`],
  ];
}

function kindWords({ installed, available, staged, blocker }: InShort["kinds"][number]): string {
  const present = installed ?? "not installed";
  const offer =
    available === null ? present : `${present}; ${available} is available${staged ? " and verified" : ""}`;
  return blocker === null ? offer : `${offer}. ${blocker.detail}`;
}

function peopleWords(people: NonNullable<Status["people"]>): string {
  const { accounts, administrators, disabled, locked, two_factor_missing, without_two_factor, tokens } =
    people;
  const parts: [count: number, what: string][] = [
    [disabled, "disabled"],
    [locked, "locked"],
    [two_factor_missing, "without the second factor that is required"],
    [without_two_factor - two_factor_missing, "without a second factor"],
  ];
  return [
    `${accounts} ${accounts === 1 ? "account" : "accounts"}`,
    `${administrators} ${administrators === 1 ? "administrator" : "administrators"}`,
    ...parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`),
    `${tokens} API ${tokens === 1 ? "token" : "tokens"}`,
  ].join(", ");
}
