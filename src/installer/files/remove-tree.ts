import { lstatSync, opendirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes what lies there, a directory with all that is in it, never what a link leads to; nothing where it is absent.
 * Name by name: `rm` of node:fs takes 50 MiB for the 65,536 entries that a release may have.
 */
export function removeTree(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) removeDirectory(path);
  else unlinkSync(path);
}

function removeDirectory(path: string): void {
  // Again until there is none: what a file system tells of a directory that shrinks meanwhile may have gaps.
  while (removeSome(path) > 0);
  rmdirSync(path);
}

function removeSome(path: string): number {
  const directory = opendirSync(path);
  let removed = 0;
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) removeDirectory(inside);
      else unlinkSync(inside);
      removed += 1;
    }
  } finally {
    directory.closeSync();
  }
  return removed;
}
