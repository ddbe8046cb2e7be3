import type { Release, Updates } from "../contract/types.ts";
import { escapeText } from "./escape.ts";
import { formatBytes } from "./facts-view.ts";
import { type Fields, formatFields } from "./table.ts";

/** The whole status for people: the sentence, then the figures; each line ends in a line feed. */
export function updateReport(status: Updates): string {
  return `${escapeText(status.message)}\n\n${formatFields(statusFields(status))}`;
}

/** What a check has found: the sentence, and each release that is there. */
export function checkReport(status: Updates): string {
  const found = releasesOf(status);
  const gap = found.length === 0 ? "" : `\n${formatFields(found.flatMap(releaseFields))}`;
  return `${escapeText(status.message)}\n${gap}`;
}

function statusFields(status: Updates): Fields {
  const { installed, schedule, trust } = status;
  return [
    ["state", status.state.replaceAll("_", " ")],
    ["product", `${status.product}, channel ${status.channel}`],
    ["rules", installed.rules ?? "none that is known here"],
    ["binary", installed.binary ?? "none that is known here"],
    ...releasesOf(status).flatMap(releaseFields),
    ["server", schedule.server || "none is set (update.ota.server)"],
    ["next check", nextCheck(schedule)],
    ["last check", lastCheck(schedule.last_check)],
    ["last success", schedule.last_success_at],
    ...(schedule.failures > 1 ? [["failures", `${schedule.failures} in a row`] as const] : []),
    ["windows", schedule.window_open ? "updates may be applied now" : "closed now (update.windows)"],
    ["trust", trust.established ? "established" : (trust.detail ?? "not established")],
  ];
}

function releasesOf({ available }: Updates): Release[] {
  return [available.rules, available.binary].filter((release) => release !== null);
}

function releaseFields(release: Release): Fields {
  const { kind, name, version, length_bytes, staged, urgent, due_at, hindrance, notes } = release;
  const facts = [
    `${name} ${version}`,
    formatBytes(length_bytes),
    ...(urgent ? ["urgent"] : []),
    staged ? "verified and on this device" : due_at === null ? "due now" : `due at ${due_at}`,
  ];
  return [
    [`new ${kind}`, facts.join(", ")],
    ...(hindrance === null ? [] : [["", hindrance] as const]),
    ...(notes === null || notes === "" ? [] : [["", `"${notes}"`] as const]),
  ];
}

function nextCheck({ enabled, next_check_at }: Updates["schedule"]): string {
  if (!enabled) return "none by itself (update.ota.enabled is false)";
  return next_check_at ?? "soon";
}

function lastCheck(last: Updates["schedule"]["last_check"]): string | null {
  if (!last) return null;
  const cost = `${last.requests} ${last.requests === 1 ? "request" : "requests"}, ${formatBytes(last.body_bytes)}`;
  const end = {
    ok: "all well",
    failed: `failed: ${last.detail}`,
    waiting_for_clock: "waiting for the clock",
  };
  return `${last.at}, ${end[last.outcome]} (${cost})`;
}
