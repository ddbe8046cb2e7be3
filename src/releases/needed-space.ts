import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StewardError } from "../contract/errors.ts";

/** Bytes that are needed in a directory, which need not be there yet. */
export interface SpaceNeed {
  readonly purpose: "download" | "copy" | "unpacked" | "reserve";
  readonly directory: string;
  readonly bytes: number;
  /** They are in use already, so that they are not among the free ones. */
  readonly isTaken?: boolean;
}

/** The installer's directories: `trust` gets the copy that it verifies, `releases` the tree. */
export interface InstallationPlaces {
  readonly releases: string;
  readonly trust: string;
}

const mebibyte = 1024 ** 2;

/** Bytes that stay free where releases are unpacked. */
export const reserveBytes = 64 * mebibyte;

/**
 * The needs of an installation. Without `treeBytes` only the length of the archive is known, which the tree has at least;
 * with it the copy has been made.
 */
export function installationNeeds(
  { releases, trust }: InstallationPlaces,
  { lengthBytes, treeBytes }: { readonly lengthBytes: number; readonly treeBytes?: number },
): SpaceNeed[] {
  return [
    { purpose: "copy", directory: trust, bytes: lengthBytes, isTaken: treeBytes !== undefined },
    { purpose: "unpacked", directory: releases, bytes: treeBytes ?? lengthBytes },
    { purpose: "reserve", directory: releases, bytes: reserveBytes },
  ];
}

/**
 * Throws `storage_full` where a disk has less than all that is needed on it, with one number for each such disk. `what`:
 * subject and verb of the sentence, such as "demo 1.2.0 needs". Of two reserves on one disk the later one counts.
 */
export async function requireSpace(
  what: string,
  needs: readonly SpaceNeed[],
  freeSpace: (directory: string) => Promise<number>,
): Promise<void> {
  const disks = new Map<number, Map<string, SpaceNeed>>();
  for (const need of needs) {
    const { dev } = await stat(existing(need.directory));
    const disk = disks.get(dev) ?? new Map();
    disk.delete(need.purpose);
    disks.set(dev, disk.set(need.purpose, need));
  }
  const lacks: string[] = [];
  for (const disk of disks.values()) lacks.push(...(await lackOf([...disk.values()], freeSpace)));
  if (lacks.length > 0) throw new StewardError("storage_full", `${what} ${lacks.join(" It also needs ")}`);
}

/** Needs are rounded up and the free space down, so that the number is the sum of its parts, and the larger one. */
async function lackOf(needs: readonly SpaceNeed[], freeSpace: (directory: string) => Promise<number>) {
  const directory = existing(needs[0]?.directory ?? "/");
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const taken = needs.filter(({ isTaken }) => isTaken).map(({ bytes }) => bytes);
  const freeBytes = (await freeSpace(directory)) + sum(taken);
  if (sum(needs.map(({ bytes }) => bytes)) <= freeBytes) return [];
  const parts = needs.map(({ purpose, bytes }) => [purpose, Math.ceil(bytes / mebibyte)] as const);
  const needed = sum(parts.map(([, count]) => count));
  const free = Math.max(0, Math.floor(freeBytes / mebibyte));
  const list = parts.map((part) => part.join(" ")).join(", ");
  return [
    `${needed} MiB on the disk of ${directory} (${list}), and ${free} MiB are free. Free ${needed - free} MiB there and try again.`,
  ];
}

/** It, or the nearest directory above it that is there. */
function existing(directory: string): string {
  return existsSync(directory) ? directory : existing(dirname(directory));
}
