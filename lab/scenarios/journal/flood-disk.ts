import { mkdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";

/** Mounts a file system of its own there, and returns the name of its block device. */
export async function diskAt(guest: Guest, path: string, mebibytes: number): Promise<string> {
  const file = `/var/tmp/${basename(path)}.img`;
  const ran = async (command: string, ...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await guest.run(command, args);
    if (status !== 0) throw new Error(`${command}: ${stderr}`);
    return stdout.trim();
  };
  await ran("truncate", `--size=${mebibytes}M`, file);
  await ran("mkfs.ext4", "-q", file);
  mkdirSync(path, { recursive: true });
  await ran("mount", "-o", "loop", file, path);
  return basename(await ran("findmnt", "--noheadings", "--output=SOURCE", path));
}

/** MiB that have been written to a block device, what waits in memory included. */
export async function writtenTo(guest: Guest, device: string): Promise<number> {
  await guest.run("sync");
  // Documentation/block/stat.rst: the seventh number counts sectors of 512 bytes.
  const sectors = readFileSync(`/sys/block/${device}/stat`, "utf8").trim().split(/\s+/)[6];
  return Math.round(Number(sectors) / 204.8) / 10;
}
