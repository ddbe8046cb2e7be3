import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { writeDurably } from "./durable-file.ts";
import { NotRegular, readRegularSync } from "./regular-file.ts";

/** The machine that a state directory belongs to. */
export interface StateIdentity {
  readonly device_id: string;
  /** The part of its adoption by this machine that is not recorded yet; null: all is. */
  readonly untold: Readonly<Record<string, string | number>> | null;
  /** Restoring a backup that is not recorded yet; absent: all is, or it was none. */
  readonly restored?: Readonly<Record<string, string | boolean>>;
}

/** Bytes of the identity: a name of 64 and some figures. */
const mostBytes = 65_536;

/** null: the state has no identity: it is new, of an earlier release, or its file is damaged. */
export async function readStateIdentity(directory: string): Promise<StateIdentity | null> {
  try {
    const text = readRegularSync(pathIn(directory), mostBytes).toString("utf8");
    const { device_id, untold = null, restored } = (JSON.parse(text) ?? {}) as StateIdentity;
    if (typeof device_id !== "string") return null;
    return { device_id, untold, ...(restored !== undefined && { restored }) };
  } catch (error) {
    const isDamaged = error instanceof SyntaxError || error instanceof NotRegular;
    if (isDamaged || systemErrorCode(error) === "ENOENT") return null;
    throw new StewardError("storage_unwritable", `${pathIn(directory)} cannot be read`, { cause: error });
  }
}

/** Throws `storage_full`, `storage_unwritable`. */
export function writeStateIdentity(directory: string, identity: StateIdentity): Promise<void> {
  return writeDurably(pathIn(directory), `${JSON.stringify(identity)}\n`);
}

/** Hidden, like the lock and the reserve: a directory with only these holds no state. */
function pathIn(directory: string): string {
  return `${directory}/.identity.json`;
}
