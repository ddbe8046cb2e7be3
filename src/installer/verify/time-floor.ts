import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import type { Uptime } from "../../host/ports.ts";
import { removeLeftovers, writeDurably } from "../../store/files/durable-file.ts";

/**
 * What expiry is held against on root's side. The agent may set the clock: set back, it must not bring to life what has
 * expired; set forward, it must not spoil what is to come.
 */
export interface TimeFloor {
  /** The latest of what is known: the build, the wall clock, the floor, and how far monotonic time has run on from it. */
  now(): Date;
  /**
   * Keeps a `now` under which signed metadata were found to be unexpired, so that the floor never lies beyond an expiry
   * that somebody has signed. Throws `storage_full`, `storage_unwritable`.
   */
  raise(to: Date): Promise<void>;
}

export interface TimeFloorOptions {
  /** Root's own. */
  readonly directory: string;
  readonly builtAt: Date;
  readonly wall: () => Date;
  readonly uptime: Uptime;
  readonly bootId: string;
}

/** Milliseconds since 1970, and when it was known: seconds of monotonic time in that boot. */
interface Stored {
  readonly milliseconds: number;
  readonly bootId: string;
  readonly uptime: number;
}

export async function openTimeFloor(options: TimeFloorOptions): Promise<TimeFloor> {
  const { builtAt, wall, uptime, bootId } = options;
  const path = join(options.directory, "time-floor.json");
  let stored = await read(path);
  const floor = (): number => {
    if (stored === null) return builtAt.getTime();
    const sinceThen = stored.bootId === bootId ? Math.max(0, uptime() - stored.uptime) : 0;
    return Math.max(builtAt.getTime(), stored.milliseconds + Math.floor(sinceThen * 1_000));
  };
  return {
    now: () => new Date(Math.max(floor(), wall().getTime())),
    raise: async (to) => {
      const milliseconds = Math.max(to.getTime(), stored?.milliseconds ?? 0);
      const next = { milliseconds, bootId, uptime: uptime() };
      const text = JSON.stringify({
        floor: new Date(milliseconds).toISOString(),
        boot_id: bootId,
        uptime: next.uptime,
      });
      // What writers left that were killed in the middle.
      await removeLeftovers(path);
      await writeDurably(path, `${text}\n`);
      stored = next;
    },
  };
}

/** null: there is none. What a disk has damaged comes back with the next release that is taken in. */
async function read(path: string): Promise<Stored | null> {
  let members: { floor?: unknown; boot_id?: unknown; uptime?: unknown } | null;
  try {
    members = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
  const { floor, boot_id: bootId, uptime } = members ?? {};
  const milliseconds = typeof floor === "string" ? Date.parse(floor) : Number.NaN;
  if (Number.isNaN(milliseconds)) return null;
  const isOfABoot = typeof bootId === "string" && typeof uptime === "number";
  return isOfABoot ? { milliseconds, bootId, uptime } : { milliseconds, bootId: "", uptime: 0 };
}
