import { useEffect, useMemo } from "preact/hooks";
import type { Status } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { deviceSaid } from "../client/connection.ts";
import { deviceTimeSaid } from "../client/device-time.ts";
import { type Resource, useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { clockHow } from "../needs/how.ts";
import { restriction } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { useIsAway } from "../ui/connection-state.tsx";

export function useStatus(isLimited: boolean): Resource<Status> {
  const status = useResource("getStatus");
  // Before anything is drawn by it.
  useMemo(() => {
    if (status.value === null) return;
    deviceTimeSaid(status.value.server_time, status.value.time_zone);
    deviceSaid(status.value);
  }, [status.value]);
  useEffect(() => {
    // The agent refuses the status to users with a required action.
    if (status.value !== null) restriction.set(null);
  }, [status.value]);
  useEffect(() => {
    if (status.error !== null && !isLimited) void status.reload();
  }, [isLimited]);
  return status;
}

export function ClockState({ status }: { readonly status: Status | null }) {
  const isAway = useIsAway();
  const how = status === null || isAway ? clockHow("unknown", []) : clockHow(status.clock.word, status.needs);
  return (
    <Link to="/system" className="clock-state">
      <Badge state={how.state}>
        <span class="wide">{t.frame.clock}</span>
        <span class="clock-word">{how.word}</span>
        <span class="unseen">{t.frame.clockTo}</span>
      </Badge>
    </Link>
  );
}
