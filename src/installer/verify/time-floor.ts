import { join } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import type { Uptime } from "../../host/ports.ts";
import type { BootTime } from "../../releases/agent-rollback.ts";
import { removeLeftovers, writeDurably } from "../../store/files/durable-file.ts";
import { NotRegular, readRegular } from "../../store/files/regular-file.ts";

export interface TimeFloorOptions {
  /** The installer's own. */
  readonly directory: string;
  readonly builtAt: Date;
  /** The wall clock, which the agent may set. */
  readonly wall: () => Date;
  readonly uptime: Uptime;
  readonly bootId: string;
}

/** The time for expiry. The agent may set the clock: back must not revive expired metadata, forward not block later ones. */
export async function openTimeFloor(options: TimeFloorOptions) {
  const { builtAt, wall, uptime, bootId } = options;
  const path = join(options.directory, "time-floor.json");
  let stored = await read(path);
  const floor = (): number => {
    if (stored === null) return builtAt.getTime();
    const sinceThen = stored.bootId === bootId ? Math.max(0, uptime() - stored.uptime) : 0;
    return Math.max(builtAt.getTime(), stored.milliseconds + Math.floor(sinceThen * 1_000));
  };
  return {
    /** The latest of the build date, the wall clock, and the floor carried on by monotonic time. */
    now: (): Date => new Date(Math.max(floor(), wall().getTime())),
    /**
     * Stores a `now` at which signed metadata had not expired, so that the floor is never later than a signed expiry
     * date. Throws `storage_full`, `storage_unwritable`.
     */
    raise: async (to: Date): Promise<void> => {
      const milliseconds = Math.max(to.getTime(), stored?.milliseconds ?? 0);
      const next = { milliseconds, bootId, uptime: uptime() };
      const text = JSON.stringify({
        floor: new Date(milliseconds).toISOString(),
        boot_id: bootId,
        uptime: next.uptime,
      });
      // Temporary files of killed writers.
      await removeLeftovers(path);
      await writeDurably(path, `${text}\n`);
      stored = next;
    },
  };
}

/** Bytes of the floor's file: three short members. */
const mostBytes = 4_096;

/** Milliseconds since 1970, and when that was known; null: absent or damaged, until the next verified release. */
async function read(path: string): Promise<(BootTime & { readonly milliseconds: number }) | null> {
  const bytes = await readRegular(path, mostBytes).catch((error: unknown) => {
    if (error instanceof NotRegular || systemErrorCode(error) === "ENOENT") return "";
    throw error;
  });
  const { floor, boot_id: bootId, uptime } = objectIn(bytes.toString("utf8")) ?? {};
  const milliseconds = typeof floor === "string" ? Date.parse(floor) : Number.NaN;
  if (Number.isNaN(milliseconds)) return null;
  const isOfABoot = typeof bootId === "string" && typeof uptime === "number";
  return isOfABoot ? { milliseconds, bootId, uptime } : { milliseconds, bootId: "", uptime: 0 };
}
