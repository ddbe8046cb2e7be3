import type { AuditEvent } from "../../contract/types.ts";
import { chainStart, isIntact } from "../../journal/events/event-chain.ts";

type LogName = AuditEvent["log"];

/** A point of a chain that is also recorded outside the log. */
export interface ChainPoint {
  readonly log: string;
  readonly seq: number;
  readonly hash: string;
}

export interface VerifiedChain {
  readonly log: LogName;
  readonly events: number;
  readonly first: AuditEvent;
  readonly head: AuditEvent;
}

/** Something that is not as it was written. */
export interface Finding {
  readonly seq: number;
  readonly what: string;
}

export type Verification = ReturnType<typeof createVerification>;

interface Chain {
  first: AuditEvent;
  head: AuditEvent;
  hashes: Map<number, string>;
}

/** Checks each chain: each event as it was, none missing, in order. Of kept changes: each as it was, and the order. */
export function createVerification() {
  const chains = new Map<LogName, Chain>();
  const found: Finding[] = [];
  const gaps: { from: number; to: number }[] = [];
  let [last, kept, begin] = [0, 0, 0];
  return {
    /** The chain of changes begins at this seq, by what the agent says with each page. */
    beginAt: (seq: number): void => {
      // A part of the chain was dropped while it was read.
      if ((chains.get("changes")?.head.seq ?? seq) < seq && seq > begin) chains.delete("changes");
      begin = seq;
    },
    /** Changes before the chain. */
    kept: () => kept,
    /** In the order in which the agent hands them out. */
    add: (event: AuditEvent): void => {
      const { seq, log } = event;
      if (seq <= last) found.push({ seq, what: `comes after ${last}: the order was changed` });
      if (seq > last + 1) gaps.push({ from: last + 1, to: seq - 1 });
      last = Math.max(last, seq);
      if (!isIntact(event)) found.push({ seq, what: "is not as it was written: its hash differs" });
      if (log === "changes" && seq < begin) {
        kept += 1;
        return;
      }
      const chain = chains.get(log);
      if (chain && chain.head.hash !== event.previous_hash) {
        const what = `does not continue ${chain.head.seq}: what the log ${log} had between them is missing or altered`;
        found.push({ seq, what });
      }
      chains.set(log, continued(chain, event));
    },
    hashOf: (log: string, seq: number): string | undefined => chains.get(log as LogName)?.hashes.get(seq),
    chains: (): readonly VerifiedChain[] =>
      [...chains].map(([log, { first, head, hashes }]) => ({ log, first, head, events: hashes.size })),
    /** The lowest seq that is wrong comes first. */
    findings: (): readonly Finding[] => {
      // Events that were dropped to make room may be missing, up to the beginning of the youngest of the logs.
      const begins = [...chains.values()].map(({ first }) =>
        first.previous_hash === chainStart ? 1 : first.seq,
      );
      const complete = Math.max(0, ...begins);
      const missing = gaps
        .filter(({ to }) => to >= complete)
        .map(({ from, to }) => missingFinding(Math.max(from, complete), to));
      return [...found, ...missing].sort((a, b) => a.seq - b.seq);
    },
  };
}

function continued(chain: Chain | undefined, event: AuditEvent): Chain {
  const known = chain ?? { first: event, head: event, hashes: new Map<number, string>() };
  known.hashes.set(event.seq, event.hash);
  return { ...known, head: event };
}

function missingFinding(from: number, to: number): Finding {
  return { seq: from, what: from === to ? "is missing" : `and those up to ${to} are missing` };
}
