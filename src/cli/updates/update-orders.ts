import { join } from "node:path";
import { ifAbsent, rethrown } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { historyEntryOf } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import {
  type JournalEntry,
  journalBytes,
  type ReleaseJournal,
  readReleaseJournal,
} from "../../releases/release-journal.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { CommandError, OnlyExitCode } from "../../terminal/command-error.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { wholeList } from "../client/all-pages.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { pause } from "./update-following.ts";
import { outcomeReport } from "./update-history.ts";

/** Root's orders for a release on trial; they work without agent and guard, for the installer is run here. */
export const orderCommands: readonly Command[] = [
  orderCommand(
    "confirm",
    "As root: accept the release on trial as healthy; works without agent and guard",
    "good",
  ),
  orderCommand("abort", "As root: undo the release on trial now; works without agent and guard", "aborted"),
];

function orderCommand(order: string, summary: string, wanted: JournalEntry["outcome"]): Command {
  return {
    path: ["update", order],
    summary,
    positionals: [{ name: "KIND", values: updateKinds, isOptional: true }],
    options: [],
    async run(invocation) {
      requireLocal(invocation.places, `update ${order}`);
      const before = await readJournal(invocation);
      const kind = kindOnTrial(invocation, before, order);
      const entry = await carriedOut(invocation, [order, kind], before.sequence);
      if (entry.outcome !== wanted) throw new OnlyExitCode(1);
    },
  };
}

/** Goes back from the present release as root, without the agent. Throws CommandError, and as the installer ends. */
export async function rollBackAsRoot(
  invocation: Invocation,
  kind: UpdateKind,
  consent: (present: string | null) => Promise<void>,
): Promise<void> {
  requireLocal(invocation.places, "update rollback --as-root");
  const { sequence, slots } = await readJournal(invocation);
  await consent(slots[kind].good.at(-1)?.version ?? null);
  const entry = await carriedOut(invocation, ["rollback", kind], sequence);
  if (entry.outcome !== "rolled_back" || entry.restored_healthy === false) throw new OnlyExitCode(1);
}

/** Has the installer do it, and reports the entry that the journal then has after `known`. */
async function carriedOut(
  invocation: Invocation,
  words: readonly [order: string, kind: UpdateKind],
  known: number,
): Promise<JournalEntry> {
  const { places, context, output } = invocation;
  const code = await context.runInstaller(words, places);
  if (code !== 0) throw new OnlyExitCode(code);
  const entry = await ending(invocation, words[1], known);
  await output.report(wholeList([historyEntryOf(entry)]), outcomeReport(historyEntryOf(entry)));
  return entry;
}

/** Throws CommandError: 5 (nothing is on trial), 2 (which one?). */
function kindOnTrial({ positionals }: Invocation, { slots }: ReleaseJournal, order: string): UpdateKind {
  const onTrial = updateKinds.filter((kind) => slots[kind].trial !== null);
  const given = positionals[0];
  const kinds = onTrial.filter((kind) => given === undefined || kind === given);
  const [kind] = kinds;
  if (kind === undefined) {
    throw new CommandError(
      5,
      `No release${given === undefined ? "" : ` of the kind ${given}`} is on trial, so there is nothing to ${order}.`,
    );
  }
  if (kinds.length > 1) {
    throw new CommandError(2, `Two releases are on trial; say which: steward update ${order} rules|binary`);
  }
  return kind;
}

/** Milliseconds between two polls, and polls: a running guard executes the order, and then watches the previous release. */
const pollMilliseconds = 250;
const mostPolls = 3_600;

/** Waits for the journal's entry about the end of the trial. Throws CommandError: 1 (it takes longer), 130. */
async function ending(invocation: Invocation, kind: UpdateKind, known: number): Promise<JournalEntry> {
  const interruption = invocation.context.interruption();
  for (let polls = 0; polls < mostPolls; polls += 1) {
    const { history } = await readJournal(invocation);
    const entry = history.findLast((one) => one.sequence > known && one.kind === kind);
    if (entry !== undefined) return entry;
    const end = "the order remains. `steward update status` shows the result.";
    await pause(pollMilliseconds, interruption, end);
  }
  throw new CommandError(
    1,
    "The order is accepted and not executed yet: `steward update status` shows the progress.",
  );
}

async function readJournal({ places }: Invocation): Promise<ReleaseJournal> {
  const path = join(places.releasesDirectory, "journal.json");
  const bytes = await readRegular(path, journalBytes)
    .catch(ifAbsent)
    .catch(rethrown((error) => fileFailure(error, path)));
  return readReleaseJournal(bytes);
}
