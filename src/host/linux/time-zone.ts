import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { finding, line } from "../../contract/finding.ts";
import { timeZone } from "../../contract/schemas/system.ts";
import type { HostNames } from "../host.ts";
import { tried } from "./tried.ts";

/** localtime(5) and tzfile(5). `database`: a directory called zoneinfo. */
const usualPlaces = { etc: "/etc", database: "/usr/share/zoneinfo" };

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
        ? `is not a time zone of this device: "${name}" is not in its database. \`timedatectl list-timezones\` lists them`
        : "cannot be set: this device has no time zone database. Install it as root: apt install tzdata";
    },
    timeZoneTrouble: () => {
      const { name, goesBy, path, isCopy } = find();
      if (path === null) return null;
      const now = successor(database, name);
      const set = [now, goesBy, "UTC"].find((one) => one !== null && zoneIn(database, one));
      const typed = set === undefined ? "apt-get install tzdata" : `steward system time-zone ${set}`;
      const others = isCopy ? "It is a copy, and backups do not have its name" : "Programs go by UTC";
      const former = now && ` It is a former name of ${now}; as root, \`${legacy}\` brings it back.`;
      const particulars = `${others}; update windows go by ${goesBy ?? "UTC"}.${former ?? ""} \`${typed}\` ends this; \`timedatectl list-timezones\` lists the zones.`;
      return finding("time_zone_unknown", { path }, particulars, line(typed));
    },
    toBeAdopted: () => {
      const { goesBy, path, isCopy } = find();
      return path !== null || isCopy ? goesBy : null;
    },
  };
}

/** The names of a copy are looked for once: that reads all of the database. */
function createSearch({ etc, database }: typeof usualPlaces): () => Found {
  const link = join(etc, "localtime");
  let copy: { content: Buffer; found: Found } | undefined;
  // Each look at the status and at the metrics asks: what was right is read again when its file is another one.
  let right: { stamp: string; found: Found } | undefined;
  return () => {
    const end = endOf(link);
    const stamp = stampOf(end ?? link);
    if (right?.stamp === stamp) return right.found;
    // localtime(5): without the file it is UTC.
    if (end === null) return { name: "UTC", goesBy: "UTC", path: null, isCopy: false };
    const [, name = ""] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(end) ?? [];
    if (zoneIn(database, name)) {
      right = { stamp, found: { name, goesBy: name, path: null, isCopy: false } };
      return right.found;
    }
    const goesBy = [name, successor(database, name) ?? name].find(isKnown) ?? null;
    if (isName(name)) return { name, goesBy, path: end, isCopy: false };
    const content = contentOf(link);
    if (content === null) return { name: "unknown", goesBy: null, path: link, isCopy: false };
    const hint = textOf(join(etc, "timezone")).trim();
    if (!copy?.content.equals(content))
      copy = { content, found: original(link, content, { hint, database }) };
    return copy.found;
  };
}

/** The zone that a copy is of. `hint`: the name that Debian writes into a file. */
function original(
  path: string,
  content: Buffer,
  { hint, database }: { hint: string; database: string },
): Found {
  const all = [hint, ...namesIn(database)];
  const isAlike = (name: string) => ruleOf(zoneIn(database, name)) === ruleOf(content);
  // A copy of another release of the database has the rules of its zone, and other years of the past.
  const same = all.find((one) => zoneIn(database, one)?.equals(content)) ?? (isAlike(hint) ? hint : null);
  const goesBy = same ?? all.find((one) => isAlike(one) && isKnown(one)) ?? null;
  return { name: same ?? "unknown", goesBy, path: same === null ? path : null, isCopy: true };
}

/** The first place in the database that it leads to, or its last; null: it does not exist. */
function endOf(link: string): string | null {
  let path = link;
  // As many links as the kernel follows.
  for (let left = 40; left > 0 && !path.includes("/zoneinfo/"); left -= 1) {
    const target = tried(() => readlinkSync(path));
    if (target === null) return path === link && tried(() => statSync(path)) === null ? null : path;
    path = resolve(dirname(path), target);
  }
  return path;
}

/** Factory is the database's word for a zone that was never set. */
function isName(name: string): boolean {
  return zoneForm.test(name) && name !== "Factory";
}

function zoneIn(database: string, name: string): Buffer | null {
  return isName(name) ? contentOf(join(database, name)) : null;
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
  const used = textOf(join(database, "zone.tab")).matchAll(/^[^#\t]*\t[^\t]*\t([^\t\n]+)/gm);
  const all = tried(() => readdirSync(database, { recursive: true, encoding: "utf8" })) ?? [];
  return ["UTC", ...[...used].map(([, name = ""]) => name), ...all.sort()];
}

/** RFC 9636 §3.1; null: it is no such file. */
function contentOf(path: string): Buffer | null {
  const content = tried(() => (statSync(path).isFile() ? readFileSync(path) : null));
  return content?.toString("latin1", 0, 4) === "TZif" ? content : null;
}

/** Differs for each file, and each content of it. */
function stampOf(path: string): string {
  const { ino = 0, mtimeMs = 0, size = 0 } = tried(() => statSync(path)) ?? {};
  return `${path} ${ino} ${mtimeMs} ${size}`;
}

/** The rule for the present and the future: the footer, RFC 9636 §3.3. */
function ruleOf(content: Buffer | null): unknown {
  return /\n([^\n]+)\n$/.exec(content?.toString("latin1") ?? "")?.[1] ?? content;
}

function isKnown(timeZone: string): boolean {
  return tried(() => new Intl.DateTimeFormat("en", { timeZone })) !== null;
}

function textOf(path: string): string {
  return tried(() => readFileSync(path, "utf8")) ?? "";
}
