import { useEffect, useMemo } from "preact/hooks";
import { clockWordOf } from "../../contract/clock-word.ts";
import type { TimeSync } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { type Resource, useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { restriction } from "../session/session.ts";
import { Badge, type State } from "../ui/badge.tsx";
import { useIsAway } from "../ui/connection-state.tsx";
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
    // Users with a required action are not told of the clock.
    if (clock.value !== null) restriction.set(null);
  }, [clock.value]);
  useEffect(() => {
    if (clock.error !== null && !isLimited) void clock.reload();
  }, [isLimited]);
  return clock;
}

/** The clock in a word; a click leads to it. */
export function ClockState({ clock: { value } }: { readonly clock: ClockResource }) {
  const isAway = useIsAway();
  const word = value === null || isAway ? "unknown" : clockWordOf(value);
  return (
    <Link to="/system" className="clock-state">
      <Badge state={clockColours[word]}>
        <span class="wide">{t.frame.clock}</span>
        {t.frame.clockWords[word]}
        <span class="unseen">{t.frame.clockTo}</span>
      </Badge>
    </Link>
  );
}

/** How each of the four words for a clock looks. */
export const clockColours = {
  in_sync: "good",
  set_by_hand: "unknown",
  not_in_sync: "attention",
  unknown: "unknown",
} as const satisfies Readonly<Record<string, State>>;

/** The clock is trusted. */
export function isGood({ trust }: TimeSync): boolean {
  return trust !== "none";
}
