import { fillingSentence } from "../publishing/fullness.ts";
import type { Report, RoleReport, TargetReport } from "../publishing/inspect.ts";
import { type Count, describeLack, type KeyHolders, lacking } from "../publishing/keys/signing.ts";
import { readEntry } from "../publishing/release-entry.ts";
import type { RenewResult } from "../publishing/renew.ts";
import { draftedRoles, type RoleName } from "../publishing/roles.ts";
import type { State } from "../publishing/state.ts";
import { escapeText } from "../terminal/escape.ts";
import { formatFields, formatTable } from "../terminal/table.ts";
import { formatSpan } from "../terminal/time-figures.ts";

type DraftView = Omit<RenewResult, "keys">;

/** The drafts that people sign. */
export function draftsOf(state: State): DraftView[] {
  return draftedRoles.flatMap((role) => {
    const draft = state.drafts[role];
    if (draft === null) return [];
    const { version, expires } = draft.signed;
    return [{ role, version, expires, lacking: lacking(role, draft, state) }];
  });
}

/** The missing signatures, one line each. */
export function draftLines(drafts: readonly DraftView[], holders: KeyHolders): string[] {
  const unsigned = drafts.filter(({ lacking: counts }) => counts.length > 0);
  return unsigned.map(({ role, lacking: counts }) => nextSentence(role, counts, holders));
}

/** Says what a draft needs next: signatures, or to be published. */
export function nextSentence(role: RoleName, counts: readonly Count[], holders: KeyHolders): string {
  return counts.length === 0
    ? `It is signed. Next: steward-publisher publish ${holders.directory}`
    : `Before it is published, ${describeLack(role, counts, holders)}`;
}

/** A repository as a text for people. */
export function repositoryReport(report: Report, directory: string): string {
  const { fingerprint, product, published, drafts, targets, problems, key_owners: owners } = report;
  const head = formatFields([
    ["repository", directory],
    ...(product === null ? [] : ([["product", product]] as const)),
    ...(fingerprint === null && drafts.length === 0
      ? []
      : ([["fingerprint", fingerprint ?? "none before the first publish"]] as const)),
    ["problems", problems.length === 0 ? "none" : problems.length],
  ]);
  return [
    head,
    ...problems.map((problem) => `  ${escapeText(problem)}\n`),
    ...report.fillings.map((filling) => `${escapeText(fillingSentence(filling))}\n`),
    ...section("PUBLISHED", published.length === 0 ? "" : roleTable(published)),
    ...section(
      "DRAFTS",
      drafts.length === 0 ? "" : roleTable(drafts) + draftNeeds(drafts, { directory, owners }),
    ),
    ...section("TARGETS", targets.length === 0 ? "" : targetTable(targets)),
  ].join("");
}

export function section(head: string, text: string): string[] {
  return text === "" ? [] : [`\n${head}\n${text}`];
}

function roleTable(roles: readonly RoleReport[]): string {
  return formatTable({
    heads: ["ROLE", "VERSION", "EXPIRES", "", "SIGNED", "KEYS (* signed)"],
    rows: roles.flatMap(({ role, version, expires, expires_in_seconds, signatures }) =>
      signatures.map(({ by, keyids, signedBy, threshold, missing, isRequired }, index) => {
        const first = index === 0;
        const rest = signatures.length > 1 ? ` as ${by} says${isRequired ? "" : " (if it can be)"}` : "";
        return [
          first ? role : " ",
          first ? version : " ",
          first ? expires : " ",
          first ? expiry(expires_in_seconds) : " ",
          `${threshold - missing} of ${threshold}${rest}`,
          keyids.map((id) => `${id.slice(0, 16)}${signedBy.includes(id) ? "*" : ""}`).join(" "),
        ];
      }),
    ),
  });
}

/** `in 12.3 d`, `EXPIRED 3.00 h ago`. */
export function expiry(seconds: number): string {
  return seconds > 0 ? `in ${formatSpan(seconds)}` : `EXPIRED ${formatSpan(seconds)} ago`;
}

function draftNeeds(drafts: readonly RoleReport[], holders: KeyHolders): string {
  const needs = drafts.flatMap(({ role, signatures }) => {
    const counts = signatures.filter(({ isRequired, missing }) => isRequired && missing > 0);
    return counts.length === 0 ? [] : [`  ${escapeText(describeLack(role, counts, holders))}\n`];
  });
  return needs.length > 0
    ? needs.join("")
    : `  all are signed: steward-publisher publish ${escapeText(holders.directory)}\n`;
}

function targetTable(targets: readonly TargetReport[]): string {
  return formatTable({
    heads: ["TARGET", "STATE", "BYTES", "PRODUCT", "ARCH", "HASH", "MORE"],
    rows: targets.map(({ path, length, hashes, custom, is_missing, ...target }) => {
      const entry = readEntry(custom);
      const state = [
        target.is_draft ? "draft" : "published",
        ...(target.is_dropped ? ["dropped by the draft"] : []),
        ...(is_missing ? ["PAYLOAD MISSING"] : []),
      ].join(", ");
      const id = (hashes.sha512 ?? hashes.sha256)?.slice(0, 16);
      return [
        path,
        state,
        length,
        entry?.product,
        entry?.arch,
        id,
        entry ? more(entry) : "not of this program",
      ];
    }),
  });
}

function more(entry: NonNullable<ReturnType<typeof readEntry>>): string {
  const { floor, min_agent, waves, urgent, security, withdrawn, paused, notes, more_notes = [] } = entry;
  return [
    ...(withdrawn === undefined ? [] : [`WITHDRAWN: ${withdrawn}`]),
    ...(paused === undefined ? [] : [`paused since ${paused.at}`]),
    ...(security ? ["security"] : []),
    ...(urgent ? ["urgent"] : []),
    ...(floor === undefined ? [] : [`floor ${floor}`]),
    ...(min_agent === undefined ? [] : [`agent ${min_agent} or later`]),
    ...(waves === undefined ? [] : [`${waves.steps.length} waves from ${waves.start}`]),
    ...(notes === undefined ? [] : [notes]),
    ...(more_notes.length === 0 ? [] : [`${more_notes.length} more lines of notes`]),
  ].join("; ");
}
