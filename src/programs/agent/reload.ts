import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../contract/errors.ts";
import type { Finding } from "../../contract/types.ts";
import type { Reread } from "../../http/handlers/system.ts";
import { agentEvent, type EventFacts } from "../../journal/events/event.ts";
import type { Log } from "../../journal/logs/log.ts";
import { oneAtATime } from "../../store/one-at-a-time.ts";
import {
  type DecisionsInForce,
  type HostDecisions,
  HostFileRefused,
  readHostFile,
  refusedFinding,
  unknownFinding,
} from "../host-file/host-file.ts";

/** The agent that goes by the host file. */
interface Reloaded {
  /** Applies the decisions that need no restart. */
  readonly apply: (decisions: HostDecisions) => Promise<void>;
  readonly record: (event: EventFacts) => void;
}

/**
 * Reads the host file again, one reading after the other. A file that cannot be used changes nothing: the agent keeps
 * the decisions that it has read before; `started`: those with which it has begun.
 */
export function createReload(
  { path, uid, log }: { readonly path: string; readonly uid: () => number | undefined; readonly log: Log },
  started: DecisionsInForce,
  { apply, record }: Reloaded,
) {
  const { forRooms } = started.decisions;
  let present = started.decisions;
  let { trouble } = started;
  if (trouble !== null) log(started.refusal === null ? "warning" : "error", trouble.detail);
  let isAccepted = trouble?.code !== "host_file_without_copy";
  const reload = async (): Promise<Reread> => {
    try {
      const { decisions: next, unknown } = await readHostFile(path, uid());
      isAccepted = true;
      trouble = unknownFinding(path, unknown);
      if (trouble !== null) log("warning", trouble.detail);
      const changed = liveMembers.filter((name) => !isDeepStrictEqual(next[name], present[name]));
      present = next;
      await apply(next);
      const needsRestart = Object.entries(next.forRooms)
        .filter(([name, value]) => !isDeepStrictEqual(value, forRooms[name as keyof ForRooms]))
        .map(([name]) => asInFile(name));
      const found = { changed: changed.map(asInFile), needsRestart };
      log(needsRestart.length > 0 ? "warning" : "notice", "the host file was read again", detailsOf(found));
      return found;
    } catch (error) {
      const detail = messageOf(error);
      if (error instanceof HostFileRefused) trouble = await refusedFinding(path, error, isAccepted, uid());
      log("error", "the agent goes on with the host file that it has read before", { detail });
      record(agentEvent("host_file.refused", { detail }));
      // The certificates may have changed even so.
      await apply(present);
      throw error;
    }
  };
  const inTurn = oneAtATime();
  return {
    /** The present finding about the host file; null: there is none. */
    trouble: (): Finding | null => trouble,
    /** Throws HostFileRefused. */
    reload: (): Promise<Reread> => inTurn(reload),
  };
}

type ForRooms = HostDecisions["forRooms"];

/** The other members are read only at the start. */
const liveMembers = ["names", "trustedProxies", "https"] as const satisfies readonly (keyof HostDecisions)[];

/** The members as the event and the log have them. */
export function detailsOf({ changed, needsRestart }: Reread) {
  return { changed: [...changed], needs_restart: [...needsRestart] };
}

/** The name in the host file: `trustedProxies` is `trusted_proxies` there. */
function asInFile(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
