import type { Trouble } from "../../contract/types.ts";
import { mountOf } from "./mount.ts";
import { reserveBytes, reserveNeedsBytes } from "./reserve.ts";
import { fullAdvice, readOnlyAdvice } from "./storage-advice.ts";

/** Free bytes on the state's file system below which health is degraded: what the reserve leaves when it is made. */
export const leastFreeBytes = reserveNeedsBytes - reserveBytes;

/** Free inodes below which health is degraded; a write takes one until it is done. */
export const leastFreeInodes = 256;

export interface Space {
  freeBytes: number;
  /** Null where the file system does not count them. */
  freeInodes: number | null;
}

export function readOnly(directory: string): Trouble {
  return {
    code: "disk_read_only",
    facts: { path: mountOf(directory)?.point ?? directory },
    detail:
      `The agent's state cannot be written. ${readOnlyAdvice(directory)} ` +
      "Until then users can sign in and read, in memory; changes of accounts and settings are refused.",
  };
}

/** `space` undefined: the file system at `point` does not tell. `hasReserve` undefined: it is not known yet. */
export function spaceTrouble(
  point: string,
  space: Space | undefined,
  hasReserve: boolean | undefined,
): Trouble | null {
  if (space === undefined) {
    const detail = `The file system at ${point} does not tell how much space is left on it.`;
    return { code: "disk_space_unknown", facts: { path: point }, detail };
  }
  const { freeBytes, freeInodes } = space;
  if (freeBytes < leastFreeBytes) return littleSpace(point, freeBytes, hasReserve !== false);
  if (freeInodes !== null && freeInodes < leastFreeInodes) return fewInodes(point, freeInodes);
  return hasReserve === false ? missingReserve(point) : null;
}

function littleSpace(path: string, freeBytes: number, hasReserve: boolean): Trouble {
  const left = `Only ${mebibytes(freeBytes)} MiB are free on ${path}; below ${mebibytes(leastFreeBytes)} this warns.`;
  const missing = hasReserve ? "" : ` ${reserveSentence}`;
  const effect = "When the disk is full, changes of accounts and settings are refused.";
  return {
    code: "disk_space_low",
    facts: { path, free_bytes: freeBytes, least_bytes: leastFreeBytes, has_reserve: hasReserve },
    detail: `${left}${missing} ${effect} ${fullAdvice(path)}`,
  };
}

function fewInodes(path: string, freeInodes: number): Trouble {
  const left = `Only ${freeInodes} more files can be made on ${path}; below ${leastFreeInodes} this warns.`;
  return {
    code: "disk_inodes_low",
    facts: { path, free_inodes: freeInodes, least_inodes: leastFreeInodes },
    detail: `${left} At none, changes of accounts and settings are refused. ${fullAdvice(path)}`,
  };
}

export function missingReserve(path: string): Trouble {
  return {
    code: "disk_reserve_missing",
    facts: { path },
    detail: `${reserveSentence} ${fullAdvice(path)}`,
  };
}

/** Rounded down, so that the space left is not overstated. */
function mebibytes(bytes: number): string {
  return String(Math.floor((bytes / 2 ** 20) * 10) / 10);
}

const reserveSentence =
  `The reserve of ${mebibytes(reserveBytes)} MiB, which is given up first when the disk is full, does not exist: ` +
  `it is made when ${mebibytes(reserveNeedsBytes)} MiB are free.`;
