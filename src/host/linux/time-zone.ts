import { open, readFile, readlink } from "node:fs/promises";

/** tzfile(5). */
const zoneinfo = "/usr/share/zoneinfo";
const magic = "TZif";

/**
 * The time zone of this host, by its name in the database: the target of localtime(5), else the name that Debian writes
 * into a file.
 */
export async function readTimeZone(): Promise<string> {
  const target = await readlink("/etc/localtime").catch(() => "");
  const [, name] = /\/zoneinfo\/(.+)$/.exec(target) ?? [];
  if (name !== undefined) return name;
  const written = await readFile("/etc/timezone", "utf8").catch(() => "");
  return written.trim() || "UTC";
}

/** True if the database of this host has the zone. `name`: of the form that the contract allows. */
export async function hasTimeZone(name: string): Promise<boolean> {
  const file = await open(`${zoneinfo}/${name}`, "r").catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length);
    return buffer.toString("latin1", 0, bytesRead) === magic;
  } catch {
    // A directory of zones, such as Europe.
    return false;
  } finally {
    await file.close();
  }
}
