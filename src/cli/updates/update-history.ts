import type { HistoryEntry } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { type Fields, formatFields } from "../../terminal/table.ts";
import { allPages } from "../client/all-pages.ts";
import type { Command } from "../client/command.ts";
import { outcomeSentence } from "./update-words.ts";

export const history: Command = {
  path: ["update", "history"],
  summary: "List what was applied, undone or refused, newest first",
  options: [
    { name: "log", value: "SEQUENCE", summary: "one entry in full, with the last lines of the failure" },
  ],
  worksOffline: true,
  async run({ options, client, output }) {
    const wanted = options.text("log");
    const sequence = wanted === undefined ? undefined : sequenceOf(wanted);
    const present = await allPages((page) => client.call("listUpdateHistory", { query: page }));
    if (sequence === undefined) return output.table(present, historyTable(present.items));
    const entry = present.items.find((one) => one.sequence === sequence);
    if (entry === undefined) {
      throw new CommandError(
        3,
        `The history has no entry ${sequence}. List its entries: steward update history`,
      );
    }
    await output.report(entry, entryReport(entry));
  },
};

/** The result of an attempt: its sentences, and the last lines of what failed; each line ends in a line feed. */
export function outcomeReport(entry: HistoryEntry): string {
  return `${escapeText(outcomeSentence(entry))}\n${logLines(entry)}`;
}

/** Throws CommandError(6). */
function sequenceOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CommandError(
    6,
    `--log takes the number of an entry, as \`steward update history\` lists them, not "${text}".`,
  );
}

function historyTable(entries: readonly HistoryEntry[]) {
  return {
    heads: ["NUMBER", "AT", "KIND", "NAME", "VERSION", "BEFORE", "OUTCOME", "LOG"],
    rows: entries.map((entry) => [
      entry.sequence,
      entry.at,
      entry.kind,
      entry.name,
      entry.version,
      entry.from_version,
      entry.outcome.replaceAll("_", " "),
      entry.log.length === 0 ? null : `${entry.log.length} ${entry.log.length === 1 ? "line" : "lines"}`,
    ]),
  };
}

function entryReport(entry: HistoryEntry): string {
  return `${escapeText(outcomeSentence(entry))}\n\n${formatFields(entryFields(entry))}${logLines(entry)}`;
}

function entryFields({ at, seconds, release_id, from_version }: HistoryEntry): Fields {
  return [
    ["ended", at],
    ["took", `${seconds.toFixed(1)} s`],
    ["before", from_version],
    ["id", release_id],
  ];
}

function logLines({ log }: HistoryEntry): string {
  if (log.length === 0) return "";
  return `\nThe last lines of the failure:\n${log.map((line) => `  ${escapeText(line)}\n`).join("")}`;
}
