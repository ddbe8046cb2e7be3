import { readdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";

/** The name of a backup: `edge-7-2026-11-28T0130Z.age`. Names of one device sort as their times do. */
export function backupName(device: string, at: Date): string {
  const time = at.toISOString().replace(/^(\d{4}-\d\d-\d\dT\d\d):(\d\d).*$/, "$1$2Z");
  return `${plainName(device)}-${time}.age`;
}

/** A person may have named the device by any characters. */
function plainName(device: string): string {
  const plain = device.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-");
  return plain.replace(/^[-.]+|-+$/g, "") || "device";
}

/**
 * Deletes a device's older backups, so that so many are left in the directory. The one at `path` stays, also where a clock
 * that was wrong has given it the oldest name. Returns the deleted paths. Throws the system's errors.
 */
export async function removeOlder(
  directory: string,
  { path, device, keep }: { readonly path: string; readonly device: string; readonly keep: number },
): Promise<string[]> {
  const prefix = `${plainName(device)}-`;
  const isOwn = (name: string) =>
    name.startsWith(prefix) && /^\d{4}-\d\d-\d\dT\d{4}Z\.age$/.test(name.slice(prefix.length));
  const names = await readdir(directory);
  const others = names.filter((name) => isOwn(name) && name !== basename(path));
  const old = others
    .sort()
    .reverse()
    .slice(keep - 1);
  // A loss of power has left them: the agent makes one backup at a time.
  const unfinished = names.filter((name) => isOwn(/^\.(.*)\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1] ?? ""));
  for (const name of [...old, ...unfinished]) await unlink(join(directory, name));
  return old.map((name) => join(directory, name));
}
