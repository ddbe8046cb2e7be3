import { lstat, readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../contract/errors.ts";

/** Digits of a device's id in a name: two of 10,000 devices on one share agree in them once in five million. */
const idDigits = 12;

/** Backups are in the order of their numbers, which no clock makes: the date is for people. */
const ownForm = /-\d{4}-\d\d-\d\dT\d{4}Z-([0-9a-f]{12})-(\d{1,9})\.age$/;

/** A name of an earlier release or of a browser's download, unfinished ones among them. */
const formWithoutId = /-\d{4}-\d\d-\d\dT\d{4}Z\.age(\.[0-9a-f]{12}\.tmp)?$/;

export interface Rotation {
  readonly removed: string[];
  /** Files that stay besides those that are kept. */
  readonly left: { readonly path: string; readonly why: string }[];
}

const withoutId =
  "no device id in its name, as from an earlier release or a browser: it may be another device's";

/** The next backup's name, `edge-7-2026-11-28T0130Z-3f9a12c04b7d-42.age`: the id's beginning, and the highest number. */
export async function backupName(
  directory: string,
  { name, id }: { readonly name: string; readonly id: string },
  at: Date,
): Promise<string> {
  const short = id.slice(0, idDigits);
  // A place that can be written to and not listed has numbers of no use, and none is deleted in it.
  const present = await readdir(directory).catch(() => []);
  const number = Math.max(0, ...present.map((one) => numbered(one, short) ?? 0)) + 1;
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

/** Deletes the lowest-numbered backups of `path`'s device, but for so many, and no other file. Throws the system's error. */
export async function removeOlder(path: string, keep: number): Promise<Rotation> {
  const [, id = "", latest = ""] = ownForm.exec(path) ?? [];
  const left: Rotation["left"] = [];
  const own: { readonly path: string; readonly number: number }[] = [];
  const removable: string[] = [];
  for (const name of (await readdir(dirname(path))).sort()) {
    const place = join(dirname(path), name);
    const number = numbered(name, id);
    const unfinished = numbered(/^\.(.*)\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1] ?? "", id);
    // A loss of power has left it; one of this number may be under way.
    if (unfinished !== null && unfinished < Number(latest)) removable.push(place);
    else if (number !== null && (await hasContent(place))) own.push({ path: place, number });
    else if (number !== null) left.push({ path: place, why: "not counted, since it is empty or not a file" });
    else if (ownForm.test(name)) left.push({ path: place, why: "another device's" });
    else if (formWithoutId.test(name)) left.push({ path: place, why: withoutId });
  }
  const others = own.filter((one) => one.path !== path).sort((one, next) => next.number - one.number);
  removable.push(...others.slice(keep - 1).map((one) => one.path));
  const removed: string[] = [];
  for (const place of removable)
    await unlink(place).then(
      () => removed.push(place),
      (error: unknown) => left.push({ path: place, why: `it cannot be deleted: ${messageOf(error)}` }),
    );
  return { removed, left };
}

async function hasContent(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() === true && stats.size > 0;
}
