import type { FailedRelease, Release, SetAsideRelease, Updates, UpdateTrial } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { isRecall } from "../../contract/updates/update-summaries.ts";
import { countForOthers, countWords, isForOthers, passedOverWords } from "../../releases/passed-over.ts";
import { OnlyExitCode } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { type Fields, formatFields } from "../../terminal/table.ts";
import type { Command } from "../client/command.ts";
import { formatBytes } from "../system/facts-view.ts";
import { apply, kindsOf, kindsPositional, rollback, selected } from "./update-apply.ts";
import { exitOf, updateExitCodes } from "./update-ends.ts";
import { beginCheck, followUpdates, refuseFailed } from "./update-following.ts";
import { history } from "./update-history.ts";
import { orderCommands } from "./update-orders.ts";
import { checkRepository, repositoryOrFileOption } from "./update-repository.ts";
import { trustCommands } from "./update-trust.ts";
import { healthWords, releaseWords } from "./update-words.ts";

const status: Command = {
  path: ["update", "status"],
  summary: "Show installed, available and tried releases, and when the next check is",
  worksOffline: true,
  async run({ client, output }) {
    const updates = await client.call("getUpdates", {});
    await output.report(updates, updateReport(updates));
  },
};

const check: Command = {
  path: ["update", "check"],
  summary: "Check for updates now; download and apply them as far as the settings allow",
  exitCodes: updateExitCodes,
  options: [repositoryOrFileOption, { name: "no-wait", summary: "return without waiting for the result" }],
  worksOffline: true,
  async run(invocation) {
    const { client, options, output } = invocation;
    const isFollowed = !options.has("no-wait");
    const isServer = options.text("repo") === undefined;
    const before = isFollowed && isServer ? await client.call("getUpdates", {}) : undefined;
    const begin = (): Promise<Updates> => beginCheck(invocation, () => checkRepository(invocation));
    const begun = await begin();
    if (!isFollowed)
      return output.changed(begun, "The check has begun; `steward update status` shows the result.");
    let ended = await followUpdates(invocation, begun, isAppliedNext);
    // The scheduled check that it has joined may have read the server before the newest release was there.
    const joined = before?.schedule.check_id;
    if (joined !== undefined && joined === begun.schedule.check_id)
      ended = await followUpdates(invocation, await begin(), isAppliedNext);
    refuseFailed(ended);
    await output.report(ended, checkReport(ended));
    const undone = undoneSince(begun, ended);
    // The report begins with it where nothing else has come up since.
    if (ended.state !== "rolled_back")
      for (const release of undone)
        await output.remark(`${releaseWords(release)} was applied and undone. ${release.reason.detail}`);
    const exit = undone.length > 0 ? 1 : exitOf(ended, updateKinds);
    if (exit !== 0) throw new OnlyExitCode(exit);
  },
};

/** Releases that the check has applied and that were undone since. */
function undoneSince(begun: Updates, ended: Updates): SetAsideRelease[] {
  const before = [...begun.failed, ...begun.held];
  const isNew = ({ id, at }: SetAsideRelease) => !before.some((one) => one.id === id && one.at === at);
  return [...ended.failed, ...ended.held].filter(isNew);
}

/** A staged release without a hold is applied in a moment. */
function isAppliedNext({ state, available }: Updates): boolean {
  if (state !== "staged") return false;
  return [available.rules, available.binary].some((release) => release?.staged && release.hold === null);
}

const postpone: Command = {
  path: ["update", "postpone"],
  summary: "Postpone the automatic updates to available releases",
  positionals: [kindsPositional],
  options: [
    {
      name: "for",
      value: "DURATION",
      summary: "5m to 30d, such as 12h; 1d if not given; 0s ends a postponement",
    },
  ],
  worksOffline: true,
  async run(invocation) {
    const { options, client, output } = invocation;
    const kind = kindsOf(invocation);
    const duration = options.text("for");
    const body = { kind, ...(duration === undefined ? {} : { for: duration }) };
    const status = await client.call("postponeUpdate", { body });
    const postponed = selected(kind).filter((one) => status.postponed[one] !== null);
    const until = postponed.map((one) => `${one} before ${status.postponed[one]}`);
    const sentence =
      until.length === 0
        ? "No longer postponed."
        : `Not applied automatically: ${until.join(", ")}. \`steward update apply\` applies them anyway.`;
    await output.changed(status, sentence);
  },
};

const dismiss: Command = {
  path: ["update", "dismiss"],
  summary: "Clear the warning about a failed update; a later failure warns again",
  positionals: [kindsPositional],
  worksOffline: true,
  async run(invocation) {
    const { client, output } = invocation;
    let status = await client.call("getUpdates", {});
    const kinds = selected(kindsOf(invocation));
    const newest = kinds.flatMap(
      (kind) => status.failed.findLast((one) => one.kind === kind && one.state === "open") ?? [],
    );
    // Each ends those of its kind that failed before it.
    for (const { id } of newest) {
      status = await client.call("dismissFailedUpdate", { body: { release_id: id } });
    }
    const sentence =
      newest.length === 0
        ? "There is no warning about a failed update."
        : `Dismissed: ${newest.map(releaseWords).join(", ")}. It stays on the blocklist, and \`steward update status\` shows it.`;
    await output.changed(status, sentence);
  },
};

export const updateCommands: readonly Command[] = [
  status,
  check,
  apply,
  rollback,
  postpone,
  dismiss,
  ...orderCommands,
  history,
  ...trustCommands,
];

/** The whole status for people: the sentence, then the figures; each line ends in a line feed. */
function updateReport(status: Updates): string {
  return `${escapeText(status.summary.detail)}\n\n${formatFields(statusFields(status))}`;
}

/** The findings of a check: the sentence, each release that is there, and those that were passed over. */
function checkReport(status: Updates): string {
  const found = [...releasesOf(status).flatMap(releaseFields), ...passedOverFields(status)];
  const gap = found.length === 0 ? "" : `\n${formatFields(found)}`;
  return `${escapeText(status.summary.detail)}\n${gap}`;
}

/** An agent that is older than this command line tells nothing of it. */
function passedOverFields({ passed_over = [], passed_over_counts: counts }: Updates): Fields {
  const words = passed_over.filter((one) => !isRecall(one)).map(passedOverWords);
  // The list names only the newest of each sort.
  const named = passed_over.filter(({ code }) => isForOthers(code)).length;
  if (counts && countForOthers(counts) > named) words.push(`in all ${countWords(counts)}`);
  return [
    ...passed_over.filter(isRecall).map((one) => ["withdrawn", passedOverWords(one)] as const),
    ...words.map((one, index) => [index === 0 ? "passed over" : "", one] as const),
  ];
}

function statusFields(status: Updates): Fields {
  const { installed, schedule, trust, trial, failed, held, postponed } = status;
  return [
    ["state", status.state.replaceAll("_", " ")],
    ["product", `${status.product}, channel ${status.channel}`],
    ["rules", installed.rules ?? "not installed"],
    ["binary", installed.binary ?? "not installed"],
    ...(trial === null ? [] : trialFields(trial)),
    ...releasesOf(status).flatMap(releaseFields),
    ...blockerFields(status),
    ...passedOverFields(status),
    ...postponedFields(postponed),
    ...failed.flatMap((release) => setAsideFields("failed", release, seenToWords[release.state])),
    ...held.flatMap((release) => setAsideFields(release.why, release)),
    ["server", schedule.server || "none is set (update.ota.server)"],
    ["next check", nextCheck(schedule)],
    ["last check", lastCheck(status)],
    ["last success", schedule.last_success_at],
    ...(schedule.failures > 1 ? [["failures", `${schedule.failures} in a row`] as const] : []),
    ["windows", schedule.window_open ? "updates may be applied now" : "closed now (update.windows)"],
    ["trust", trust.established ? "established" : trust.status.detail],
  ];
}

/** The sentence above says why, unless it tells of something more urgent. */
function blockerFields({ blockers }: Updates): Fields {
  return updateKinds.flatMap((kind) => {
    const blocker = blockers?.[kind];
    return blocker ? [["blocked", `${kind}: ${blocker.code}`] as const] : [];
  });
}

function releasesOf({ available }: Updates): Release[] {
  return [available.rules, available.binary].filter((release) => release !== null);
}

function releaseFields(release: Release): Fields {
  const { kind, name, version, length_bytes, staged, urgent, due_at, hold, notes, more_notes = [] } = release;
  const facts = [
    `${name} ${version}`,
    formatBytes(length_bytes),
    ...(urgent ? ["urgent"] : []),
    ...(staged ? ["verified and on this device"] : due_at === null ? [] : [`its wave comes at ${due_at}`]),
  ];
  return [
    [`new ${kind}`, facts.join(", ")],
    ...(hold === null ? [] : [["", hold.detail] as const]),
    ...(notes === null || notes === "" ? [] : [["", `"${notes}"`] as const]),
    ...more_notes.filter((line) => line.trim() !== "").map((line) => ["", line] as const),
  ];
}

/** The release on trial: how far it is, until when it has to be healthy, and what comes next. */
function trialFields(trial: UpdateTrial): Fields {
  const { phase, begun_at, deadline_at, health, boots, crashes, next } = trial;
  const last = health.last === null ? "not asked yet" : `${health.last.detail} (${health.last.at})`;
  const unclean = `${crashes} unclean ${crashes === 1 ? "exit" : "exits"}`;
  return [
    ["on trial", `${releaseWords(trial)}, ${phase.replaceAll("_", " ")} since ${begun_at}`],
    ["healthy by", deadline_at],
    ["health", `${healthWords(health)} in a row; last: ${last}`],
    ...(boots > 1 || crashes > 0 ? [["troubles", `${unclean}, boot ${boots}`] as const] : []),
    ["next step", next.detail],
  ];
}

function postponedFields({ rules, binary }: Updates["postponed"]): Fields {
  return [
    ...(rules === null ? [] : [["postponed", `rules, until ${rules}`] as const]),
    ...(binary === null ? [] : [["postponed", `binary, until ${binary}`] as const]),
  ];
}

/** An open failure needs no words: it is among the needs. */
const seenToWords: Readonly<Record<FailedRelease["state"], string>> = {
  open: "",
  dismissed: "; dismissed",
  overtaken: "; a newer one is installed",
};

function setAsideFields(why: SetAsideRelease["why"], release: SetAsideRelease, seenTo = ""): Fields {
  const until = release.until === null ? "" : `, until ${release.until}`;
  return [
    [why, `${releaseWords(release)}, since ${release.at}${until}${seenTo}`],
    ["", release.reason.detail],
  ];
}

function nextCheck({ enabled, server, next_check_at }: Updates["schedule"]): string {
  if (!enabled) return "none by schedule (update.ota.enabled is off)";
  return server === "" ? "none (no server is set)" : (next_check_at ?? "soon");
}

function lastCheck(status: Updates): string | null {
  const last = status.schedule.last_check;
  if (!last) return null;
  const isWhole = blockerFields(status).length === 0;
  const cost = `${last.requests} ${last.requests === 1 ? "request" : "requests"}, ${formatBytes(last.body_bytes)}`;
  const end = {
    ok: isWhole ? "succeeded" : "succeeded, but one kind could not be verified",
    failed: `failed: ${last.detail}`,
    waiting_for_clock: "waiting for the clock",
  };
  return `${last.at}, ${end[last.outcome]} (${cost})`;
}
