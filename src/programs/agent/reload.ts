import { isDeepStrictEqual } from "node:util";
import { agentEvent, type EventFacts } from "../../journal/events/event.ts";
import type { Log } from "../../journal/logs/log.ts";
import type { HostDecisions } from "../host-file.ts";

/** What another reading of the host file has found. */
export interface Reread {
  /** Members whose new values are in use. */
  readonly changed: readonly string[];
  /** Members whose new values wait for a restart. */
  readonly needsRestart: readonly string[];
}

export interface ReloadOptions {
  /** Reads the host file. Throws `validation_failed`. */
  readonly read: () => Promise<HostDecisions>;
  /** The decisions that the agent started with. */
  readonly started: HostDecisions;
  readonly log: Log;
  /** Puts the decisions to use that need no restart. */
  readonly apply: (decisions: HostDecisions) => void;
  readonly record: (event: EventFacts) => void;
}

/**
 * Reads the host file again, one reading after the other. A file that cannot be used changes nothing: the agent goes on
 * with what it has read before.
 */
export function createReload({ read, started, log, apply, record }: ReloadOptions): () => Promise<Reread> {
  let present = started;
  const reload = async (): Promise<Reread> => {
    try {
      const next = await read();
      const changed = liveMembers.filter((name) => !isDeepStrictEqual(next[name], present[name]));
      present = next;
      apply(next);
      const needsRestart = Object.entries(next.forRooms)
        .filter(([name, value]) => !isDeepStrictEqual(value, started.forRooms[name as keyof ForRooms]))
        .map(([name]) => asInFile(name));
      const found = { changed: changed.map(asInFile), needs_restart: needsRestart };
      log(needsRestart.length > 0 ? "warning" : "notice", "the host file was read again", found);
      record(agentEvent("host_file.read", found));
      return { changed: found.changed, needsRestart };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      log("error", "the agent goes on with the host file that it has read before", { detail });
      record(agentEvent("host_file.refused", { detail }));
      throw error;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(reload, reload);
    last = next.catch(() => undefined);
    return next;
  };
}

type ForRooms = HostDecisions["forRooms"];

/** The others are read at the start alone. */
const liveMembers = ["names", "trustedProxies"] as const satisfies readonly (keyof HostDecisions)[];

/** `trustedProxies` is `trusted_proxies` there. */
function asInFile(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
