import { finding, line } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import type { Mount } from "./mount.ts";
import { reserveBytes, reserveNeedsBytes } from "./reserve.ts";
import {
  crowdedAdvice,
  fullAdvice,
  largestLine,
  mostFilesLine,
  readOnlyAdvice,
  writableLine,
} from "./storage-advice.ts";

/**
 * Free bytes on the state's file system below which health is degraded: as many as are left right after the reserve is
 * made.
 */
export const leastFreeBytes = reserveNeedsBytes - reserveBytes;

/** Free inodes below which health is degraded; a write takes one until it is done. */
export const leastFreeInodes = 256;

export interface Space {
  freeBytes: number;
  /** Null if the file system does not count them. */
  freeInodes: number | null;
}

export function readOnly(directory: string, mount: Mount): Finding {
  return finding(
    "disk_read_only",
    { path: mount.point },
    `The agent's state cannot be written. ${readOnlyAdvice(directory, mount)} ` +
      "Until then users can sign in and read, in memory; changes of accounts and settings are refused.",
    line(writableLine(directory, mount)),
  );
}

/** `space` undefined: the file system at `point` does not give it. `hasReserve` undefined: it is not known yet. */
export function spaceTrouble(
  point: string,
  space: Space | undefined,
  hasReserve: boolean | undefined,
): Finding | null {
  if (space === undefined) {
    const detail = `The file system at ${point} does not tell how much space is left on it.`;
    return finding("disk_space_unknown", { path: point }, detail);
  }
  const { freeBytes, freeInodes } = space;
  if (freeBytes < leastFreeBytes) return littleSpace(point, freeBytes, hasReserve !== false);
  if (freeInodes !== null && freeInodes < leastFreeInodes) return fewInodes(point, freeInodes);
  return hasReserve === false ? missingReserve(point) : null;
}

function littleSpace(path: string, freeBytes: number, hasReserve: boolean): Finding {
  const left = `Only ${mebibytes(freeBytes)} MiB are free on ${path}; below ${mebibytes(leastFreeBytes)} this warns.`;
  const missing = hasReserve ? "" : ` ${reserveSentence}`;
  const effect = "When the disk is full, changes of accounts and settings are refused.";
  return finding(
    "disk_space_low",
    { path, free_bytes: freeBytes, least_bytes: leastFreeBytes, has_reserve: hasReserve },
    `${left}${missing} ${effect} ${fullAdvice(path)}`,
    line(largestLine(path)),
  );
}

function fewInodes(path: string, freeInodes: number): Finding {
  const left = `Only ${freeInodes} more files can be made on ${path}; below ${leastFreeInodes} this warns.`;
  return finding(
    "disk_inodes_low",
    { path, free_inodes: freeInodes, least_inodes: leastFreeInodes },
    `${left} At none, changes of accounts and settings are refused. ${crowdedAdvice(path)}`,
    line(mostFilesLine(path)),
  );
}

export function missingReserve(path: string): Finding {
  return finding(
    "disk_reserve_missing",
    { path },
    `${reserveSentence} ${fullAdvice(path)}`,
    line(largestLine(path)),
  );
}

/** Rounded down, so that the space left is not overstated. */
function mebibytes(bytes: number): string {
  return String(Math.floor((bytes / 2 ** 20) * 10) / 10);
}

const reserveSentence =
  `The reserve of ${mebibytes(reserveBytes)} MiB, which is given up first when the disk is full, does not exist: ` +
  `it is made when ${mebibytes(reserveNeedsBytes)} MiB are free.`;
