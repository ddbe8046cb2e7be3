import { resolve } from "node:path";
import type { TrustedOwners } from "../host/host.ts";
import { type HostFile, plainHostFile, readHostFile } from "../host/linux/host-file/host-file.ts";
import { updateRootFile } from "../host/linux/host-file/installed-root.ts";
import type { RoomsConfig } from "./agent/config.ts";

export const usualHostFile = "/etc/steward/steward.json";

/** What root has decided about this device. */
export interface HostDecisions {
  names: readonly string[];
  trustedProxies: readonly string[];
  forRooms: Pick<RoomsConfig, "logUnits" | "product" | "update">;
}

/** Reads the host file. `uid`: the user who runs this. Throws `validation_failed`. */
export async function readDecisions(path: string, uid: number | undefined): Promise<HostDecisions> {
  const owners = ownersOf(path, uid);
  return decisionsOf(path, owners, await readHostFile(path, owners));
}

/** The same for the command line: one that cannot be used keeps an agent from starting, and must not keep it from being mended. */
export async function readDecisionsOrNone(path: string, uid: number | undefined): Promise<HostDecisions> {
  try {
    return await readDecisions(path, uid);
  } catch (error) {
    const unusable = error instanceof Error ? error.message : String(error);
    const { forRooms, ...others } = decisionsOf(path, ownersOf(path, uid), plainHostFile);
    return { ...others, forRooms: { ...forRooms, update: { ...forRooms.update, unusable } } };
  }
}

/** What a program decides that reads no host file. */
export const noDecisions = decisionsOf(usualHostFile, {}, plainHostFile);

/** At its usual place only root's counts; at any other also one of the user who runs this, for a trial. */
function ownersOf(path: string, uid: number | undefined): TrustedOwners {
  return resolve(path) === usualHostFile ? {} : { own: uid };
}

function decisionsOf(path: string, owners: TrustedOwners, host: HostFile): HostDecisions {
  const { names, trustedProxies, logUnits, product } = host;
  const update = { ...host.update, ...owners, rootFile: updateRootFile(path) };
  return { names, trustedProxies, forRooms: { logUnits, product, update } };
}
