import { type DoctorContext, outputOf } from "./doctor-context.ts";
import { type Entry, entriesOf } from "./finding.ts";

const { ok, unseen } = entriesOf("log");

const shown = 3;

export const journalWords = [
  "--no-pager",
  "--quiet",
  "--no-hostname",
  "-u",
  "steward.service",
  "-u",
  "steward-*.service",
];

export async function lookAtLog(context: DoctorContext): Promise<Entry[]> {
  const words = [...journalWords, "-b", "-p", "err", "-o", "cat", "-n", String(shown)];
  const text = await outputOf(context, "journalctl", words);
  if (text === null) return [unseen("no_journal", "The journal cannot be read here.")];
  const lines = text.split("\n").filter((line) => line !== "");
  // To others journalctl(1) shows nothing, without an error.
  const mayRead = context.program.userId() === 0;
  if (lines.length === 0 && !mayRead)
    return [unseen("journal_closed", "This user sees no line of the journal.")];
  if (lines.length === 0) return [ok("no_errors", "No error in this boot.")];
  return [
    // Not a trouble of its own: what caused it may be over, and what is not is found elsewhere.
    ok("errors", `The last errors of this boot: ${lines.join(" | ")}`),
  ];
}
