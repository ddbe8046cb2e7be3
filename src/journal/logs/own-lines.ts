import { randomBytes } from "node:crypto";
import type { Timers } from "../../host/ports.ts";
import type { KeptLines } from "./kept-lines.ts";
import type { Severity } from "./log.ts";

/** A JSON line of the agent's own log, without its line feed; numbered from 1 on in each run of the agent. */
export interface OwnLine {
  readonly sequence: number;
  readonly text: string;
}

/** The last lines of the agent's own log: all that can be read if there is no journal. */
export type OwnLines = ReturnType<typeof createOwnLines>;

/** Bounds of the ring: some hours of a busy agent, all of an idle one. */
const mostLines = 1_000;
const mostCharacters = 262_144;

/** Seconds between two writes at least, so that a busy day does not wear the flash. */
const leastPauseSeconds = 30;

export function createOwnLines() {
  const lines: OwnLine[] = [];
  const receivers = new Set<(line: OwnLine) => void>();
  const keeper = createKeeper();
  let characters = 0;
  let sequence = 0;
  let run: string | undefined;
  const add = (line: string, severity: Severity): void => {
    sequence += 1;
    const own = { sequence, text: line.trimEnd() };
    lines.push(own);
    characters += own.text.length;
    while (lines.length > mostLines || characters > mostCharacters) {
      characters -= lines.shift()?.text.length ?? 0;
    }
    // Requests are most of the lines, and what a reader after a restart needs least.
    if (severity !== "info") keeper.add(own.text);
    for (const receive of receivers) receive(own);
  };
  return {
    /** The name of this run: its numbers mean nothing in another. */
    // A program that runs one command loads nothing for it.
    get run(): string {
      run ??= randomBytes(8).toString("hex");
      return run;
    },
    add,
    /** The oldest first. Lines of earlier runs come before, numbered from 0 down. */
    read: async (): Promise<readonly OwnLine[]> => {
      const earlier = await keeper.earlier();
      const numbered = earlier.map((text, index) => ({ sequence: index + 1 - earlier.length, text }));
      return [...numbered, ...lines];
    },
    /** Calls `receive` for each new line; returns a function that stops it. */
    subscribe: (receive: (line: OwnLine) => void): (() => void) => {
      receivers.add(receive);
      return () => void receivers.delete(receive);
    },
    /** From now on important lines are also kept for the next run. */
    keepIn: keeper.keepIn,
    /** Writes lines that are not stored yet. */
    close: keeper.close,
  };
}

/** Writes lines in batches. While the disk takes nothing they wait in memory; no caller waits for them. */
function createKeeper() {
  const waiting: string[] = [];
  let kept: KeptLines | undefined;
  let earlier: Promise<readonly string[]> | undefined;
  let timers: Timers | undefined;
  let takeBack: (() => void) | undefined;
  // Read before the first write, or this run's own lines would be among those of earlier runs.
  const readEarlier = async (): Promise<readonly string[]> => {
    earlier ??= kept?.read();
    return (await earlier) ?? [];
  };
  const write = async (): Promise<void> => {
    takeBack?.();
    takeBack = undefined;
    await readEarlier();
    const lines = waiting.splice(0);
    await kept?.append(lines).catch(() => {
      // They wait for a disk that can be written again.
      waiting.unshift(...lines);
      dropOldest(waiting);
      plan();
    });
  };
  const plan = (): void => {
    if (!kept || takeBack || waiting.length === 0) return;
    takeBack = timers?.after(leastPauseSeconds, () => void write());
  };
  return {
    add: (text: string): void => {
      waiting.push(text);
      dropOldest(waiting);
      plan();
    },
    earlier: readEarlier,
    keepIn: (place: KeptLines, by: Timers): void => {
      kept = place;
      timers = by;
      plan();
    },
    close: async (): Promise<void> => {
      if (kept && waiting.length > 0) await write();
      takeBack?.();
      takeBack = undefined;
      kept = undefined;
    },
  };
}

/** No more lines wait than the ring holds. */
function dropOldest(lines: string[]): void {
  let characters = lines.reduce((sum, line) => sum + line.length, 0);
  while (lines.length > mostLines || characters > mostCharacters) characters -= lines.shift()?.length ?? 0;
}
