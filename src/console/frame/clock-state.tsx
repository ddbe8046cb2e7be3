import { useEffect, useMemo } from "preact/hooks";
import type { TimeSync } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { type Resource, useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { restriction } from "../session/session.ts";
import { Badge, type State } from "../ui/badge.tsx";
import { deviceTimeSaid } from "../ui/device-time.ts";

export type ClockResource = Resource<TimeSync>;

/** Seconds between two looks at the clock, which is always in sight. */
const everySeconds = 30;

/** How the clock is, for the frame and the banners. */
export function useClock(isLimited: boolean): ClockResource {
  const clock = useResource("getTimeSync", {}, { everySeconds });
  // Before anything is drawn by it.
  useMemo(() => clock.value && deviceTimeSaid(clock.value.server_time), [clock.value]);
  useEffect(() => {
    // Whoever has something else to do first is not told of the clock.
    if (clock.value !== null) restriction.set(null);
  }, [clock.value]);
  useEffect(() => {
    if (clock.error !== null && !isLimited) void clock.reload();
  }, [isLimited]);
  return clock;
}

/** The clock in a word; a click leads to it. */
export function ClockState({ clock: { value } }: { readonly clock: ClockResource }) {
  const text = value === null ? t.frame.clockUnknown : isGood(value) ? t.frame.clockGood : t.frame.clockWrong;
  const state: State = value === null ? "unknown" : isGood(value) ? "good" : "attention";
  return (
    <Link to="/system" className="clock-state">
      <Badge state={state}>
        {text}
        <span class="unseen"> {t.frame.clockTo(text)}</span>
      </Badge>
    </Link>
  );
}

/** Somebody vouches for it. */
export function isGood({ trust }: TimeSync): boolean {
  return trust !== "none";
}
