import type { AuditEvent } from "../../contract/types.ts";
import type { Timers } from "../../host/ports.ts";
import { createRepeats } from "../logs/repeats.ts";
import type { EventFacts } from "./event.ts";

interface Change {
  readonly facts: EventFacts;
  event: AuditEvent | undefined;
}

const longestQuietSeconds = 10 * 60;

/**
 * Counts changes that repeat: the same change by the same actor from the same place, with no other change to the
 * subject in between. The first is written at once, the others as one line after a minute. While it goes on, the lines
 * become rarer, down to one in ten minutes, so that the record stays readable when a program applies the same for a
 * week. `write` returns undefined if there was no room for the event.
 */
export function createEventRepeats(
  write: (facts: EventFacts, count: number) => AuditEvent | undefined,
  timers: Timers,
) {
  const repeats = createRepeats<Change>({
    keyOf: ({ facts: { type, subject } }) => subject?.id ?? type.slice(0, type.indexOf(".")),
    areAlike: (first, second) => identityOf(first.facts) === identityOf(second.facts),
    tell: (change, count) => {
      change.event = write(change.facts, count);
    },
    ...{ longestQuietSeconds, timers },
  });
  return {
    /** The event that it repeats, in which case it is counted and written later. Null: it was written. */
    add: (facts: EventFacts): AuditEvent | null => {
      if (facts.count !== undefined) {
        write(facts, facts.count);
        return null;
      }
      const change: Change = { facts, event: undefined };
      const before = repeats.add(change);
      if (before !== null) change.event = before.event;
      return before?.event ?? null;
    },
    /** Writes counted repeats that are not written yet. */
    close: repeats.close,
  };
}

function identityOf({ type, actor, subject, from, details }: EventFacts): string {
  return JSON.stringify([type, actor, subject?.id, from, details]);
}
