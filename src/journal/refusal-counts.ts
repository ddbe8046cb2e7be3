import type { EventFacts } from "./event.ts";

/** Writes down the first refusal of a kind and source at once, and then at most one line a minute for all like it. */
export interface RefusalCounts {
  add(facts: EventFacts, code: string): void;
  /** Writes what was counted and not yet written. */
  close(): void;
}

/** A refusal to be written: as the last of those it stands for was. */
export type WriteRefusal = (facts: EventFacts, code: string, count: number) => void;

/** Milliseconds between two lines of one kind and source. */
const quietMilliseconds = 60_000;

/** Kinds and sources told apart, some 500 bytes each; what comes beyond them shares one line. */
const maximumKinds = 512;

interface Counted {
  facts: EventFacts;
  code: string;
  /** Refusals since the last line. */
  count: number;
  timer: NodeJS.Timeout | undefined;
}

export function createRefusalCounts(write: WriteRefusal, maximum = maximumKinds): RefusalCounts {
  const kinds = new Map<string, Counted>();
  const due = (key: string, counted: Counted): void => {
    if (counted.count === 0) {
      kinds.delete(key);
      return;
    }
    begin(key, counted);
    write(counted.facts, counted.code, counted.count);
    counted.count = 0;
  };
  const begin = (key: string, counted: Counted): void => {
    counted.timer = setTimeout(() => due(key, counted), quietMilliseconds).unref();
  };
  return {
    add: (facts, code) => {
      const isTold = kinds.has(keyOf(facts, code)) || kinds.size < maximum;
      const meant = isTold ? facts : others(facts);
      const key = isTold ? keyOf(facts, code) : "others";
      const known = kinds.get(key);
      if (known) {
        Object.assign(known, { facts: meant, code, count: known.count + 1 });
        return;
      }
      const counted = { facts: meant, code, count: 0, timer: undefined };
      kinds.set(key, counted);
      begin(key, counted);
      write(meant, code, 1);
    },
    close: () => {
      for (const { facts, code, count, timer } of kinds.values()) {
        clearTimeout(timer);
        if (count > 0) write(facts, code, count);
      }
      kinds.clear();
    },
  };
}

function keyOf({ type, actor, from, details }: EventFacts, code: string): string {
  return JSON.stringify([type, code, details.operation, details.session, from, actor.kind, actor.id]);
}

/** What is left to say of many from everywhere. */
function others(facts: EventFacts): EventFacts {
  const actor = { kind: "anonymous", id: null, name: null } as const;
  return { ...facts, type: "request.refused", actor, subject: null, from: "others", details: {} };
}
