import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { JournalEnd, JournalQuery } from "../../ports.ts";
import { journalFields } from "./journal-entry.ts";
import { type JournalQuestion, type JournalSource, moment } from "./journal-source.ts";

export interface JournalctlOptions {
  /** A name on the PATH, or a path. */
  command?: string;
  /** Options for a journal other than this host's: `--file=…` or `--directory=…`. */
  place?: readonly string[];
}

/** Characters kept of standard error, to explain why there is no journal. */
const complaintCharacters = 300;

/** journalctl(1): the files have no stable format. No shell, and `--option=value`: nothing in a value is an option. */
export function createJournalctl(options: JournalctlOptions = {}): JournalSource {
  const { command = "journalctl", place = [] } = options;
  const common = [
    ...place,
    // With the namespace of the audit lines (journald@steward.conf).
    "--namespace=+steward",
    "--output=json",
    `--output-fields=${journalFields}`,
    // Without it a field of more than 4 KiB comes as null.
    "--all",
    "--quiet",
    "--no-pager",
  ];
  return (question, receive, signal) => {
    const args = [...common, ...argumentsOf(question)];
    return listen(spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] }), receive, signal);
  };
}

function argumentsOf(question: JournalQuestion): string[] {
  if (question.kind === "read") return argumentsOfQuery(question.query);
  const { behind } = question;
  return ["--follow", behind === undefined ? "--no-tail" : `--after-cursor=${behind}`];
}

function argumentsOfQuery(query: JournalQuery): string[] {
  const { units, sinceMilliseconds, untilMilliseconds, leastSeverity, behind, order } = query;
  return [
    ...units.map((unit) => `--unit=${unit}`),
    ...(sinceMilliseconds === undefined ? [] : [`--since=@${moment(sinceMilliseconds)}`]),
    ...(untilMilliseconds === undefined ? [] : [`--until=@${moment(untilMilliseconds)}`]),
    ...(leastSeverity === undefined ? [] : [`--priority=${leastSeverity}`]),
    ...(behind === undefined ? [] : [`--cursor=${behind}`]),
    ...(order === "newest-first" ? ["--reverse"] : []),
  ];
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function listen(child: Child, receive: (piece: string) => void, signal: AbortSignal): Promise<JournalEnd> {
  return new Promise((resolve) => {
    let complaint = "";
    const end = (result: JournalEnd): void => {
      signal.removeEventListener("abort", stop);
      resolve(result);
    };
    const stop = (): void => {
      child.kill("SIGKILL");
      end({ kind: "bounded" });
    };
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    child.stdout.setEncoding("utf8").on("data", receive);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(0, complaintCharacters);
    });
    child.once("error", ({ message }) => end({ kind: "unreadable", detail: message }));
    child.once("close", (code, killer) => {
      if (code === 0) return end({ kind: "whole" });
      const detail = complaint.trim() || `journalctl ended with ${code ?? killer}`;
      end({ kind: "unreadable", detail });
    });
  });
}
