import type { Host } from "../../../host/host.ts";
import { createWord } from "../../../product/word.ts";
import { openNeeds } from "../../../system/need-watch.ts";
import type { RoomsConfig } from "../config.ts";
import type { State } from "../state.ts";
import { eventsOfNeeds } from "../status/need-events.ts";

/** Judges what the product's units report. `start`: takes up the needs that the record has, before the product is heard. */
export function openWord(
  { product: { reports } }: Pick<RoomsConfig, "product">,
  { time }: Pick<Host, "time">,
  { events }: Pick<State, "events">,
) {
  const word = createWord({ reports, ...time, record: (facts) => void events.record(facts) });
  const adopt = async () => word.adopt(openNeeds(await eventsOfNeeds(events)).values());
  // A record that cannot be read says so in health; the product repeats its needs.
  return { ...word, start: () => adopt().catch(() => undefined) };
}
