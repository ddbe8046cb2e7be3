import type { Timers } from "../../host/ports.ts";
import { createRepeats, maximumKinds } from "../logs/repeats.ts";
import type { EventFacts } from "./event.ts";

/**
 * Writes the first refusal of a kind at once, and then ever fewer lines for all like it, from one a minute to one in ten
 * minutes, with the facts of the last of those that it counts. Alike are those of one reason, at one account, from one
 * client; names that no account has are alike, so that inventing them adds no kinds. `maximum`: kinds counted apart.
 */
export function createRefusalCounts(
  write: (facts: EventFacts, code: string, count: number) => void,
  { timers, maximum = maximumKinds }: { timers: Timers; maximum?: number | undefined },
) {
  const repeats = createRepeats<{ readonly facts: EventFacts; readonly code: string }>({
    keyOf: ({ facts: { type, actor, subject, from, client = from, details }, code }) =>
      JSON.stringify([type, code, details, client, actor.kind, actor.id, subject?.id]),
    // Half of the kinds are for accounts, so that strangers with many addresses leave them theirs.
    maximumOf: ({ facts: { actor, subject } }) => ((actor.id ?? subject) ? maximum : maximum / 2),
    amongOthers: ({ facts, code }) => othersOf(facts).map((form) => ({ facts: form, code })),
    tell: ({ facts, code }, count) => write(facts, code, count),
    ...{ timers, longestQuietSeconds: 10 * 60 },
  });
  return {
    add: (facts: EventFacts, code: string): void => void repeats.add({ facts, code }),
    /** Writes counted refusals that are not written yet. */
    close: repeats.close,
  };
}

/** The same reason from many clients: at this account; and, with too many accounts, at any. */
function othersOf({ details: { operation: _, ...details }, ...facts }: EventFacts): readonly EventFacts[] {
  const fromMany = { ...facts, from: "others", client: "others", details };
  const actor = { kind: "anonymous", id: null, name: null } as const;
  const { reason } = details;
  return [fromMany, { ...fromMany, actor, subject: null, details: reason === undefined ? {} : { reason } }];
}
