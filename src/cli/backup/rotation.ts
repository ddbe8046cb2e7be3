import { lstat, readdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../contract/errors.ts";

/** Digits of a device's id in a name: two of 10,000 devices on one share agree in them once in five million. */
const idDigits = 12;

/** Backups are in the order of their numbers, which no clock makes: a name's date is for people. */
const mostNumber = 999_999_999;

const ownForm = /-\d{4}-\d\d-\d\dT\d{4}Z-([0-9a-f]{12})-(\d{1,9})\.age$/;

/** A name of an earlier release or of a browser's download, unfinished ones among them. */
const formWithoutId = /-\d{4}-\d\d-\d\dT\d{4}Z\.age(\.[0-9a-f]{12}\.tmp)?$/;

/** A file that stays besides those that are kept. */
export interface LeftFile {
  readonly path: string;
  /** `empty`: not counted as a backup; `not_deleted`: `detail` says why. */
  readonly why: "other_device" | "no_device_id" | "empty" | "not_deleted";
  readonly detail?: string;
}

/**
 * The name of a device's next backup in a directory: `edge-7-2026-11-28T0130Z-3f9a12c04b7d-42.age`. It has the beginning of
 * the device's id, and a number above those of its others there.
 */
export async function backupName(
  directory: string,
  { name, id }: { readonly name: string; readonly id: string },
  at: Date,
): Promise<string> {
  const short = id.slice(0, idDigits);
  // A place that can be written to and not listed has numbers of no use, and none is deleted in it.
  const present = await readdir(directory).catch(() => []);
  const numbers = present.map((one) => numbered(one, short) ?? 0);
  const number = Math.min(mostNumber, numbers.reduce((most, one) => Math.max(most, one), 0) + 1);
  const time = at.toISOString().replace(/^(\d{4}-\d\d-\d\dT\d\d):(\d\d).*$/, "$1$2Z");
  return `${plainName(name)}-${time}-${short}-${number}.age`;
}

/** A person may have named the device by any characters. */
function plainName(device: string): string {
  const plain = device.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-");
  return plain.replace(/^[-.]+|-+$/g, "") || "device";
}

/** The number in a name that has this id; null for every other name. */
function numbered(name: string, id: string): number | null {
  const [, found, number] = ownForm.exec(name) ?? [];
  return found === id ? Number(number) : null;
}

/**
 * Deletes backups of the device that has made the one at `path`, those of the lowest numbers, so that so many are left beside
 * each other. No other file is deleted, whatever it is called. Throws the system's error where the directory cannot be
 * listed.
 */
export async function removeOlder(
  path: string,
  keep: number,
): Promise<{ readonly removed: string[]; readonly left: LeftFile[] }> {
  const directory = dirname(path);
  const [, id = "", latest = ""] = ownForm.exec(path) ?? [];
  const left: LeftFile[] = [];
  const own: { readonly path: string; readonly number: number }[] = [];
  const unfinished: string[] = [];
  for (const name of (await readdir(directory)).sort()) {
    const place = join(directory, name);
    const number = numbered(name, id);
    const begun = numbered(/^\.(.*)\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1] ?? "", id);
    // A loss of power has left it; one of this number may be under way.
    if (begun !== null && begun < Number(latest)) unfinished.push(place);
    else if (number === null && ownForm.test(name)) left.push({ path: place, why: "other_device" });
    else if (formWithoutId.test(name)) left.push({ path: place, why: "no_device_id" });
    else if (number !== null && name !== basename(path)) {
      if (await hasContent(place)) own.push({ path: place, number });
      else left.push({ path: place, why: "empty" });
    }
  }
  const old = own
    .sort((one, other) => one.number - other.number)
    .slice(0, Math.max(0, own.length - keep + 1));
  const removed: string[] = [];
  for (const place of [...old.map((one) => one.path), ...unfinished])
    await unlink(place).then(
      () => removed.push(place),
      (error: unknown) => left.push({ path: place, why: "not_deleted", detail: messageOf(error) }),
    );
  return { removed, left };
}

async function hasContent(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size > 0;
}
