import { finding, line } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import { terminalFormat } from "../../contract/words/format.ts";
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

/** Free bytes on the state's file system below which health is degraded: those left right after the reserve is made. */
const leastFreeBytes = reserveNeedsBytes - reserveBytes;

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
    readOnlyAdvice(directory, mount),
    line(writableLine(directory, mount)),
  );
}

/** `space` undefined: the file system at `point` does not give it. */
export function spaceTrouble(point: string, space: Space | undefined, hasReserve: boolean): Finding | null {
  if (space === undefined) return finding("disk_space_unknown", { path: point });
  const { freeBytes, freeInodes } = space;
  if (freeBytes < leastFreeBytes) return littleSpace(point, freeBytes, hasReserve);
  if (freeInodes !== null && freeInodes < leastFreeInodes) return fewInodes(point, freeInodes);
  return hasReserve ? null : missingReserve(point);
}

function littleSpace(path: string, freeBytes: number, hasReserve: boolean): Finding {
  return finding(
    "disk_space_low",
    { path, free_bytes: freeBytes, least_bytes: leastFreeBytes, has_reserve: hasReserve },
    `${hasReserve ? "" : `${reserveSizes} `}${fullAdvice(path)}`,
    line(largestLine(path)),
  );
}

function fewInodes(path: string, freeInodes: number): Finding {
  return finding(
    "disk_inodes_low",
    { path, free_inodes: freeInodes, least_inodes: leastFreeInodes },
    crowdedAdvice(path),
    line(mostFilesLine(path)),
  );
}

export function missingReserve(path: string): Finding {
  return finding(
    "disk_reserve_missing",
    { path },
    `${reserveSizes} As root, \`${largestLine(path)}\` shows what takes the space.`,
    line(largestLine(path)),
  );
}

const { bytes } = terminalFormat;

const reserveSizes = `The reserve takes ${bytes(reserveBytes)}, and is made when ${bytes(reserveNeedsBytes)} are free.`;
