import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { finding, line } from "../../contract/finding.ts";
import { timeZone } from "../../contract/schemas/system.ts";
import type { HostNames } from "../host.ts";

/** localtime(5) and tzfile(5). `database`: a directory called zoneinfo. */
const usualPlaces = { etc: "/etc", database: "/usr/share/zoneinfo" };

/** Bytes; the largest file of the database has 4 KiB. */
const mostBytes = 256 * 1024;

/** Links on the way from /etc/localtime, as many as the kernel follows. */
const mostLinks = 40;

const zoneForm = new RegExp(timeZone.pattern);

const legacy = "apt install tzdata-legacy";

interface Found {
  readonly name: string;
  /** The zone that this process can go by; null: none but UTC. */
  readonly goesBy: string | null;
  /** The database has no such zone: what /etc/localtime leads to. Null: it has. */
  readonly path: string | null;
  readonly isCopy: boolean;
}

type TimeZone = Pick<HostNames, "timeZone" | "timeZoneFault" | "timeZoneTrouble">;

/** The time zone of this host, and the database of zones. Both are root's, and may change at any time. */
export function openTimeZone(places = usualPlaces): TimeZone & { toBeAdopted(): string | null } {
  const { database } = places;
  const find = createSearch(places);
  return {
    timeZone: async () => find().name,
    timeZoneFault: (name) => {
      if (zoneIn(database, name)) return null;
      const now = successor(database, name);
      if (now !== null)
        return `is a former name of ${now}: \`steward system time-zone ${now}\` sets that, and as root \`${legacy}\` brings the former one`;
      return zoneIn(database, "UTC")
        ? `is no time zone of this device: "${name}" is not in its database. \`timedatectl list-timezones\` lists them`
        : "cannot be set: this device has no time zone database. Install it as root: apt install tzdata";
    },
    timeZoneTrouble: () => {
      const { name, goesBy, path, isCopy } = find();
      if (path === null) return null;
      const now = successor(database, name);
      const set = `steward system time-zone ${now ?? goesBy ?? "UTC"}`;
      const others = isCopy ? "It is a copy, and backups do not have its name" : "Programs go by UTC";
      const former = now && ` It is a former name of ${now}; as root, \`${legacy}\` brings it back.`;
      const particulars = `${others}; update windows go by ${goesBy ?? "UTC"}.${former ?? ""} \`${set}\` sets a zone, \`timedatectl list-timezones\` lists others.`;
      return finding("time_zone_unknown", { path }, particulars, line(set));
    },
    toBeAdopted: () => {
      const { goesBy, path, isCopy } = find();
      return path !== null || isCopy ? goesBy : null;
    },
  };
}

/** A copy is looked for once: that reads all of the database. */
function createSearch({ etc, database }: typeof usualPlaces): () => Found {
  const link = join(etc, "localtime");
  let copy: { key: string; found: Found } | undefined;
  return () => {
    const end = endOf(link);
    // localtime(5): without the file it is UTC.
    if (end === null) return { name: "UTC", goesBy: "UTC", path: null, isCopy: false };
    const [, name = ""] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(end) ?? [];
    if (zoneIn(database, name)) return { name, goesBy: name, path: null, isCopy: false };
    const goesBy = [name, successor(database, name) ?? name].find(isKnown) ?? null;
    if (zoneForm.test(name) && name !== "Factory") return { name, goesBy, path: end, isCopy: false };
    const stats = tried(() => statSync(link));
    const key = `${stats?.ino} ${stats?.mtimeMs}`;
    if (copy?.key !== key)
      copy = { key, found: original(link, textOf(join(etc, "timezone")).trim(), database) };
    return copy.found;
  };
}

/** The zone that a copy is of. `hint`: the name that Debian writes into a file. */
function original(path: string, hint: string, database: string): Found {
  const content = contentOf(path);
  if (content === null) return { name: "unknown", goesBy: null, path, isCopy: false };
  const all = [hint, ...namesIn(database)];
  const isAlike = (name: string) => ruleOf(zoneIn(database, name)) === ruleOf(content);
  // A copy of another release of the database has the rules of its zone, and other years of the past.
  const name = all.find((one) => zoneIn(database, one)?.equals(content)) ?? (isAlike(hint) ? hint : null);
  if (name !== null) return { name, goesBy: name, path: null, isCopy: true };
  return {
    name: "unknown",
    goesBy: all.find((one) => isAlike(one) && isKnown(one)) ?? null,
    path,
    isCopy: true,
  };
}

/** The first place in the database that it leads to, or its last; null: it does not exist. */
function endOf(link: string): string | null {
  let path = link;
  for (let left = mostLinks; left > 0 && !path.includes("/zoneinfo/"); left -= 1) {
    const target = tried(() => readlinkSync(path));
    if (target === null) return path === link && tried(() => statSync(path)) === null ? null : path;
    path = resolve(dirname(path), target);
  }
  return path;
}

/** Null: it has no such zone. Factory is its word for one that was never set. */
function zoneIn(database: string, name: string): Buffer | null {
  return zoneForm.test(name) && name !== "Factory" ? contentOf(join(database, name)) : null;
}

/** The present name of a zone that has a former one. */
function successor(database: string, former: string): string | null {
  const lines = textOf(join(database, "tzdata.zi")).split("\n");
  const [, name = ""] =
    lines.find((one) => one.startsWith("L ") && one.endsWith(` ${former}`))?.split(" ") ?? [];
  return zoneIn(database, name) && name;
}

/** All names; of names for one content that which people use is first. */
function namesIn(database: string): string[] {
  const tables = ["zone1970.tab", "zone.tab"].map((name) => textOf(join(database, name))).join("\n");
  const used = [...tables.matchAll(/^[^#\t]*\t[^\t]*\t([^\t\n]+)/gm)].map(([, name = ""]) => name);
  const all = tried(() => readdirSync(database, { recursive: true, encoding: "utf8" })) ?? [];
  return ["UTC", ...used, ...all.sort()];
}

/** RFC 9636 §3.1; null: it is no such file. */
function contentOf(path: string): Buffer | null {
  const stats = tried(() => statSync(path));
  const content = stats?.isFile() && stats.size <= mostBytes ? tried(() => readFileSync(path)) : null;
  return content?.toString("latin1", 0, 4) === "TZif" ? content : null;
}

/** What it says of the present and the future: the footer, RFC 9636 §3.3. */
function ruleOf(content: Buffer | null): unknown {
  return /\n([^\n]+)\n$/.exec(content?.toString("latin1") ?? "")?.[1] ?? content;
}

function isKnown(timeZone: string): boolean {
  return tried(() => new Intl.DateTimeFormat("en", { timeZone })) !== null;
}

function textOf(path: string): string {
  return tried(() => readFileSync(path, "utf8")) ?? "";
}

function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
