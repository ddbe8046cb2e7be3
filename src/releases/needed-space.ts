import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StewardError } from "../contract/errors.ts";

/** Bytes that are needed in a directory, which need not be there yet. */
export interface SpaceNeed {
  readonly purpose: "archive" | "download" | "unpacked" | "copy" | "reserve";
  readonly directory: string;
  readonly bytes: number;
  /** They are in use already, so that they are not among the free ones. */
  readonly isTaken?: boolean;
}

const mebibyte = 1024 ** 2;

/** Bytes of a disk that an update leaves to the rest of the device. */
export const reserveBytes = 64 * mebibyte;

/**
 * The needs of the installer: `trust` gets the copy that it verifies, `releases` the tree. Without `treeBytes` only the
 * length of the payload is known, which the tree has at least; with it the copy has been made.
 */
export function installationNeeds(
  { releases, trust }: { readonly releases: string; readonly trust: string },
  { lengthBytes, treeBytes }: { readonly lengthBytes: number; readonly treeBytes?: number },
): SpaceNeed[] {
  return [
    { purpose: "unpacked", directory: releases, bytes: treeBytes ?? lengthBytes },
    { purpose: "copy", directory: trust, bytes: lengthBytes, isTaken: treeBytes !== undefined },
  ];
}

/** Throws `storage_full` for all that is needed on a disk and the reserve. `what`: such as "demo 1.2.0 needs". */
export async function requireSpace(
  what: string,
  needs: readonly SpaceNeed[],
  freeSpace: (directory: string) => Promise<number>,
): Promise<void> {
  const disks = new Map<number, SpaceNeed[]>();
  for (const need of needs) {
    const directory = existing(need.directory);
    const { dev } = await stat(directory);
    const reserve = { purpose: "reserve", directory, bytes: reserveBytes } as const;
    disks.set(dev, [need, ...(disks.get(dev) ?? [reserve])]);
  }
  for (const onDisk of disks.values()) {
    const directory = onDisk.at(-1)?.directory ?? "/";
    const freeBytes = (await freeSpace(directory)) + sum(onDisk.filter(({ isTaken }) => isTaken));
    if (sum(onDisk) <= freeBytes) continue;
    // Needs are rounded up and the free space down: the number is the sum of its parts, and the larger one.
    const parts = onDisk.map((need) => ({ ...need, bytes: Math.ceil(need.bytes / mebibyte) }));
    const [needed, free] = [sum(parts), Math.floor(freeBytes / mebibyte)];
    const list = parts.map(({ purpose, bytes }) => `${purpose} ${bytes}`).join(", ");
    throw new StewardError(
      "storage_full",
      `${what} ${needed} MiB on the disk of ${directory} (${list}), and ${free} MiB are free. Free ${needed - free} MiB there and try again.`,
    );
  }
}

/** It, or the nearest directory above it that is there. */
function existing(directory: string): string {
  return existsSync(directory) ? directory : existing(dirname(directory));
}

function sum(needs: readonly Pick<SpaceNeed, "bytes">[]): number {
  return needs.reduce((all, { bytes }) => all + bytes, 0);
}
