import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Journal, JournalEnd, JournalEntry, JournalQuery } from "../../ports.ts";
import { journalFields, readJournalEntry } from "./journal-entry.ts";

export interface JournalReaderOptions {
  /** A name on the PATH, or a path. */
  command?: string;
  /** Options for a journal other than this host's: `--file=…` or `--directory=…`. */
  place?: readonly string[];
  /** How long one reading may take. */
  timeoutMilliseconds?: number;
  /** How many entries one reading may pass on. */
  entryLimit?: number;
}

/** Milliseconds for one reading: a page comes within some 50, a search through 20,000 entries within 2,000. */
const patienceMilliseconds = 5_000;

/** Entries of one reading; a longer search asks for the next page. */
const usualEntryLimit = 20_000;

/** Characters of JSON of one entry. A longer one is skipped, because it would have to be kept in memory. */
const longestLine = 1_048_576;

/** Characters kept of standard error, to explain why there is no journal. */
const complaintCharacters = 300;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Reads the systemd journal through journalctl(1): its files have no stable format, and libsystemd would have to be
 * linked. No shell, and each argument is `--option=value`, so nothing in a value can become an option.
 */
export function createJournalReader(options: JournalReaderOptions = {}): Journal {
  const { command = "journalctl", place = [], timeoutMilliseconds = patienceMilliseconds } = options;
  const { entryLimit = usualEntryLimit } = options;
  // --all: without it a field of more than 4 KiB comes as null.
  const common = [
    ...place,
    "--output=json",
    `--output-fields=${journalFields}`,
    "--all",
    "--quiet",
    "--no-pager",
  ];
  const start = (args: readonly string[]) =>
    spawn(command, [...common, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  return {
    read: (query, visit) =>
      read(start(argumentsOf(query)), { query, visit, timeoutMilliseconds, entryLimit }),
    follow: (behind, receive, signal) => {
      const position = behind === undefined ? "--no-tail" : `--after-cursor=${behind}`;
      return follow(start(["--follow", position]), receive, signal);
    },
  };
}

function argumentsOf(query: JournalQuery): string[] {
  const { units, sinceMilliseconds, untilMilliseconds, leastSeverity, behind, order } = query;
  return [
    ...units.map((unit) => `--unit=${unit}`),
    ...(sinceMilliseconds === undefined ? [] : [`--since=${moment(sinceMilliseconds)}`]),
    ...(untilMilliseconds === undefined ? [] : [`--until=${moment(untilMilliseconds)}`]),
    ...(leastSeverity === undefined ? [] : [`--priority=${leastSeverity}`]),
    ...(behind === undefined ? [] : [`--cursor=${behind}`]),
    ...(order === "newest-first" ? ["--reverse"] : []),
  ];
}

/** systemd.time(7): seconds since the epoch, whatever the time zone. */
function moment(milliseconds: number): string {
  return `@${(milliseconds / 1_000).toFixed(3)}`;
}

interface Reading {
  query: JournalQuery;
  visit: (entry: JournalEntry) => boolean;
  timeoutMilliseconds: number;
  entryLimit: number;
}

function read(child: Child, { query, visit, timeoutMilliseconds, entryLimit }: Reading): Promise<JournalEnd> {
  return new Promise((resolve) => {
    let entries = 0;
    let isOver = false;
    const end = (result: JournalEnd): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      child.kill("SIGKILL");
      resolve(result);
    };
    const timer = setTimeout(() => end({ kind: "bounded" }), timeoutMilliseconds);
    const complaint = complaintOf(child);
    child.stdout.setEncoding("utf8").on(
      "data",
      eachEntry((entry) => {
        // --cursor begins with the entry itself; --after-cursor would skip one too many if that entry is gone.
        if (isOver || entry.cursor === query.behind) return;
        if (entries === entryLimit) return end({ kind: "bounded" });
        entries += 1;
        if (!visit(entry)) end({ kind: "stopped" });
      }),
    );
    child.once("error", ({ message }) => end({ kind: "unreadable", detail: message }));
    child.once("close", (code, signal) => {
      if (code === 0) return end({ kind: "whole" });
      end({ kind: "unreadable", detail: complaint() || `journalctl ended with ${code ?? signal}` });
    });
  });
}

function follow(child: Child, receive: (entry: JournalEntry) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const kill = () => child.kill("SIGKILL");
    const settle = (): void => {
      signal.removeEventListener("abort", kill);
      resolve();
    };
    if (signal.aborted) kill();
    signal.addEventListener("abort", kill);
    child.stderr.resume();
    child.stdout.setEncoding("utf8").on(
      "data",
      eachEntry((entry) => {
        if (!signal.aborted) receive(entry);
      }),
    );
    child.once("error", settle);
    child.once("close", settle);
  });
}

function complaintOf({ stderr }: Child): () => string {
  let text = "";
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(0, complaintCharacters);
  });
  return () => text.trim();
}

/** Chunks in, entries out. */
function eachEntry(receive: (entry: JournalEntry) => void): (chunk: string) => void {
  let rest = "";
  let isSkipping = false;
  return (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const entry = isSkipping ? undefined : readJournalEntry(line);
      isSkipping = false;
      if (entry) receive(entry);
    }
    if (rest.length <= longestLine) return;
    rest = "";
    isSkipping = true;
  };
}
