import type { Timers } from "../../host/ports.ts";
import { createRepeats } from "../logs/repeats.ts";
import type { EventFacts } from "./event.ts";

interface Refusal {
  readonly facts: EventFacts;
  readonly code: string;
}

/**
 * Writes the first refusal of a kind and source at once, and then at most one line a minute for all like it, with the
 * facts of the last of those that it counts. `maximum`: kinds and sources that are counted apart.
 */
export function createRefusalCounts(
  write: (facts: EventFacts, code: string, count: number) => void,
  { timers, maximum }: { timers: Timers; maximum?: number | undefined },
) {
  const repeats = createRepeats<Refusal>({
    keyOf: ({ facts: { type, actor, from, details }, code }) =>
      JSON.stringify([type, code, details.operation, from, actor.kind, actor.id]),
    amongOthers: ({ facts, code }) => ({ facts: others(facts), code }),
    tell: ({ facts, code }, count) => write(facts, code, count),
    ...{ maximum, timers },
  });
  return {
    add: (facts: EventFacts, code: string): void => void repeats.add({ facts, code }),
    /** Writes counted refusals that are not written yet. */
    close: repeats.close,
  };
}

/** The one event for refusals from many clients. */
function others(facts: EventFacts): EventFacts {
  const actor = { kind: "anonymous", id: null, name: null } as const;
  return { ...facts, type: "request.refused", actor, subject: null, from: "others", details: {} };
}
