import { StewardError } from "../../contract/errors.ts";
import type { HistoryEntry, Release, SetAsideRelease, Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { CommandError, OnlyExitCode } from "../../terminal/command-error.ts";
import type { Positional } from "../../terminal/commands/command.ts";
import { requireConsent } from "../../terminal/commands/consent.ts";
import { AgentAbsent } from "../client/agent-connection.ts";
import { allPages, wholeList } from "../client/all-pages.ts";
import { type Command, type Invocation, notSynchronised } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { exitOf, failureSentences, notApplied, updateExitCodes } from "./update-ends.ts";
import { beginCheck, followUpdates, refuseFailed } from "./update-following.ts";
import { outcomeReport } from "./update-history.ts";
import { rollBackAsRoot } from "./update-orders.ts";
import { repositoryOf, repositoryOption } from "./update-repository.ts";
import { releaseWords } from "./update-words.ts";

/** Which releases are meant; all of them if not said. */
export const kindsPositional: Positional = {
  name: "KIND",
  values: [...updateKinds, "all"],
  isOptional: true,
};

const noWait = { name: "no-wait", summary: "return without waiting for the result" } as const;

export const apply: Command = {
  path: ["update", "apply"],
  summary: "Apply available releases now, check their health, and undo them if they are not healthy",
  exitCodes: updateExitCodes,
  positionals: [kindsPositional],
  options: [repositoryOption, { name: "again", summary: "as root: also releases that failed here" }, noWait],
  async run(invocation) {
    await withAgent(async () => {
      const kind = kindsOf(invocation);
      const body = { kind, ...repositoryOf(invocation, "update apply --repo") };
      const before = await invocation.client.call("getUpdates", {});
      await requireConsent(invocation, question(invocation, before));
      if (invocation.options.has("again")) await forgive(invocation, before, selected(kind));
      const begin = () => invocation.client.call("applyUpdates", { body });
      await carriedOut(invocation, selected(kind), begin, ({ outcome }) => outcome === "good");
    });
  },
};

export const rollback: Command = {
  path: ["update", "rollback"],
  summary: "Go back to the previous release; the current one is held, and applied again only on request",
  positionals: [{ name: "KIND", values: updateKinds }],
  options: [
    noWait,
    { name: "as-root", summary: "as root: without the agent, even after its limit of 72 hours" },
  ],
  async run(invocation) {
    const [kind] = selected(invocation.positionals[0] ?? "");
    if (kind === undefined) return;
    const consent = (version: string | null): Promise<void> => {
      const present = version === null ? `the present ${kind}` : `${kind} ${version}`;
      return requireConsent(
        invocation,
        `Go back from ${present} to the previous release?${restarted([kind])}`,
      );
    };
    if (invocation.options.has("as-root")) return rollBackAsRoot(invocation, kind, consent);
    await withAgent(async () => {
      await consent((await invocation.client.call("getUpdates", {})).installed[kind]);
      const begin = () => invocation.client.call("rollBackUpdate", { body: { kind } });
      const isWanted = ({ outcome, restored_healthy }: HistoryEntry) =>
        outcome === "rolled_back" && restored_healthy !== false;
      await carriedOut(invocation, [kind], begin, isWanted);
    });
  },
};

export function selected(word: string): Kinds {
  return updateKinds.filter((kind) => word === "all" || word === kind);
}

export function kindsOf({ positionals }: Invocation): Release["kind"] | "all" {
  return updateKinds.find((kind) => kind === positionals[0]) ?? "all";
}

/** Only a running agent can go on with it. Throws CommandError(8) with what to do instead. */
async function withAgent(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof AgentAbsent)) throw error;
    throw new CommandError(
      8,
      `${error.message} Only the agent can start this. \`steward update confirm\`, \`steward update abort\` and \`steward update rollback KIND --as-root\` work without the agent.`,
    );
  }
}

function question({ options, positionals }: Invocation, { available }: Updates): string {
  const kinds = selected(positionals[0] ?? "all");
  const directory = options.text("repo");
  if (directory !== undefined) return `Apply what the repository in ${directory} offers?${restarted(kinds)}`;
  const releases = kinds.flatMap((kind) => available[kind] ?? []);
  if (releases.length === 0) return "Check for updates, and apply those that are found?";
  return `Apply ${releases.map(releaseWords).join(" and ")}?${restarted(releases.map(({ kind }) => kind))}`;
}

function restarted(kinds: Kinds): string {
  return kinds.includes("binary") ? " The service of a binary is restarted." : "";
}

type Kinds = readonly Release["kind"][];

async function carriedOut(
  invocation: Invocation,
  kinds: Kinds,
  begin: () => Promise<Updates>,
  isWanted: (entry: HistoryEntry) => boolean,
): Promise<void> {
  const { options, output } = invocation;
  const known = (await newEntries(invocation, 0))[0]?.sequence ?? 0;
  const begun = await beginCheck(invocation, begin);
  if (options.has("no-wait")) {
    return output.changed(begun, "It has begun; `steward update status` shows the progress.");
  }
  let entries: HistoryEntry[] = [];
  const ended = await followUpdates(invocation, begun, async (status) => {
    entries = await newEntries(invocation, known);
    return isMoreToCome(begun, status, kinds, entries);
  });
  if (entries.length === 0) return nothingDone(invocation, begun, ended, kinds);
  await output.report(wholeList(entries), entries.toReversed().map(outcomeReport).join("\n"));
  if (!entries.every(isWanted)) throw new OnlyExitCode(1);
  const others = kinds.filter((kind) => !entries.some((entry) => entry.kind === kind));
  for (const failure of failureSentences(ended, others)) await output.remark(failure);
  const exit = exitOf(ended, others);
  if (exit !== 0) throw new OnlyExitCode(exit);
}

/** Between the steps there are moments in which nothing is in progress: the installer takes over one kind after the other. */
function isMoreToCome(
  begun: Updates,
  status: Updates,
  kinds: Kinds,
  entries: readonly HistoryEntry[],
): boolean {
  if (entries.some(({ outcome }) => outcome !== "good")) return false;
  const hasChecked = status.schedule.last_check?.at !== begun.schedule.last_check?.at;
  if (entries.length === 0 && !hasChecked) return true;
  const isStaged = (kind: Release["kind"]) => status.available[kind]?.staged === true;
  return kinds.some((kind) => isStaged(kind) && !entries.some((entry) => entry.kind === kind));
}

/** Newest first; those behind the entry with this number. */
async function newEntries({ client }: Invocation, known: number): Promise<HistoryEntry[]> {
  const { items } = await allPages((page) => client.call("listUpdateHistory", { query: page }));
  return items.filter(({ sequence }) => sequence > known);
}

/** It ended before the installer was started: says why. */
async function nothingDone(
  { output }: Invocation,
  begun: Updates,
  ended: Updates,
  kinds: Kinds,
): Promise<void> {
  if (ended.schedule.last_check?.at !== begun.schedule.last_check?.at) refuseFailed(ended);
  if (ended.state === "waiting_for_clock") {
    await output.report(ended, `${ended.summary.detail}\n`);
    throw new OnlyExitCode(notSynchronised);
  }
  const failed = failureSentences(ended, kinds);
  if (failed.length > 0) throw new CommandError(exitOf(ended, kinds), failed.join(" "));
  const release = kinds.flatMap((kind) => ended.available[kind] ?? [])[0];
  if (release === undefined) throw new StewardError("no_update_available", ended.summary.detail);
  throw new CommandError(1, notApplied(release, ended));
}

/**
 * Has the installer forget that these releases failed here: the available ones, else the last of each kind, for a stick
 * may hold it. Held and deferred releases need no such permission. Throws CommandError: 5 (there is none), and what the installer ends with.
 */
async function forgive(
  { places, context, output }: Invocation,
  status: Updates,
  kinds: Kinds,
): Promise<void> {
  requireLocal(places, "update apply --again");
  const releases = kinds.flatMap((kind) => failedOf(status, kind));
  if (releases.length === 0) {
    throw new CommandError(
      5,
      "No release of that kind has failed here; leave out --again. See steward update status.",
    );
  }
  for (const release of releases) {
    const code = await context.runInstaller(["forgive", release.id], places);
    if (code !== 0) throw new OnlyExitCode(code);
    await output.remark(`${releaseWords(release)} may be tried again.`);
  }
}

function failedOf({ available, failed }: Updates, kind: Release["kind"]): SetAsideRelease[] {
  const all = failed.filter((release) => release.kind === kind);
  const onOffer = all.filter(({ id }) => id === available[kind]?.id);
  if (onOffer.length > 0) return onOffer;
  return all.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, 1);
}
