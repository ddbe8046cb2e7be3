/** The rules of the house, as far as a program can see them in the text of the sources. */

export interface SourceFile {
  /** Relative to src, with slashes. */
  path: string;
  text: string;
}

/** Floors by room; rooms of one floor never meet. Files that lie in src itself are rooms of their own. */
const floors: Readonly<Record<string, number>> = {
  ...{ contract: 0, host: 1, store: 1, terminal: 1 },
  ...{ clock: 2, figures: 2, journal: 2, system: 2, tuf: 2 },
  ...{ accounts: 3, certificates: 3, outbox: 3, releases: 3 },
  ...{ updates: 4, device: 4, product: 4, installer: 4, publishing: 4 },
  ...{ publisher: 5, http: 5, cli: 5, programs: 6 },
};
const joining = 6;

/** The publisher's house: no room of the device imports it, and it imports only these of the rooms that both have. */
const publishersRooms = ["publishing", "publisher"];
const sharedRooms = ["contract", "host", "store", "terminal", "tuf", "releases"];
/** Reads an uploaded repository over the network, as devices do. */
const publishersJoiningFile = "publisher/check.ts";

const mains = [
  ...["cli/main.ts", "publisher/main.ts", "terminal/ending.ts"],
  ...[
    "agent/main",
    "command-line/main",
    "installer/main",
    "steward",
    "backup",
    "build",
    "process-usage",
    "program",
  ]
    .concat("nts-key-exchange", "self-check", "slow-facts", "unpack-patch")
    .map((name) => `programs/${name}.ts`),
];
/**
 * Files that go by this process's time and not by the time that the agent was given, each for its reason. Whole rooms do so:
 * the command line and the console run where a person is, and `host/linux` is where the time comes from.
 */
export const ownTime: Readonly<Record<string, string>> = {
  "accounts/oidc/provider.ts": "says how far the agent's time is from the clock that the library reads",
  "host/monotonic.ts": "is that time",
  "http/read-json.ts": "a client's body has real seconds",
  "http/server.ts": "tells how long an answer took",
  "http/wire/connections.ts": "a client's socket has real seconds",
  "http/wire/https-listener.ts": "a client's socket has real seconds",
  "http/wire/lasting-requests.ts": "a client's socket has real seconds",
  "http/wire/listeners.ts": "a client's socket has real seconds",
  "http/wire/request-queue.ts": "a client's socket has real seconds",
  "http/wire/streams.ts": "a client's socket has real seconds",
  "http/wire/uploads.ts": "a client's body has real seconds",
  "programs/agent/installer-client.ts": "looks at what another process does",
  "programs/agent/offline.ts": "keeps a command's process awake",
  "programs/agent/status/wire-metrics.ts": "measures this process's own event loop",
  "programs/program.ts": "stamps lines of the log before a host is opened",
  "store/files/store-time.ts": "the time of a command, which opens documents without a host",
};
/**
 * Files that read by Node's own calls, each for its reason. Those wait for the other end of a pipe for ever, follow links and
 * read whatever size: files below the state go through store/files/regular-file.ts. Command line and publisher read what a
 * person names, and `host/linux` the system's and root's files.
 */
export const ownReading: Readonly<Record<string, string>> = {
  "http/wire/content-codings.ts": "the program's own files",
  "journal/events/event-files.ts": "writes to a segment that regular-file.ts has read",
  "installer/files/agent-files.ts": "the same flags, below a directory that is open",
  "installer/unpack/tree-writer.ts": "makes new files",
  "installer/verify/copy-payload.ts": "makes a new file",
  "programs/agent/config.ts": "a file that a person names",
  "programs/agent/status/lost-credentials.ts": "a credential of systemd's, and root's note of them",
  "programs/process-usage.ts": "reads /proc",
  "programs/steward.ts": "the program's own files",
  "store/files/durable-file.ts": "makes a new file, and syncs directories",
  "store/files/lock.ts": "locks the directory",
  "store/files/mount.ts": "reads /proc",
  "store/files/move-directory.ts": "copies what it has found to be a file",
  "store/files/regular-file.ts": "is that reader",
  "updates/download/unpack-repository.ts": "writes new files, and reads none",
  "system/facts.ts": "reads /proc",
  "system/network-facts.ts": "reads /proc, and the system's list of name servers",
  "system/temperature.ts": "reads /sys",
  "system/unattended.ts": "reads /sys",
  "terminal/given-text.ts": "a file that a person names",
  "accounts/users/common-passwords.ts": "the program's own file",
};
const ownReadingRooms = /^(cli|console|publisher|publishing|host\/linux)\//;
const ownTimeRooms = /^(cli|console|publisher|host\/linux)\//;
const maximumLines = 400;
const maximumFilesInFolder = 20;

/** The violations, a line each; empty when no rule is broken. */
export function violations(files: readonly SourceFile[]): string[] {
  const ofFiles = files.flatMap((file) =>
    [...fileRules(file), ...importRules(file)].map((rule) => `${file.path}: ${rule}`),
  );
  return [...ofFiles, ...folderRules(files), ...cycleRules(files), ...roomRules(files)];
}

function folderRules(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > maximumFilesInFolder ? [`${folder}: has ${count} files, more than ${maximumFilesInFolder}`] : [],
  );
}

/** Imports that lead back to where they began, imports of types among them: a line for each that is found. */
function cycleRules(files: readonly SourceFile[]): string[] {
  return circlesAmong(importsBetween(files)).map((trail) => `${trail.join(" -> ")}: imports in a circle`);
}

/**
 * A room is built of floors as well: its folders, and the files beside them, import one way. A line for each circle, with an
 * import that is part of it.
 */
function roomRules(files: readonly SourceFile[]): string[] {
  const examples = new Map<string, string>();
  const parts = new Map<string, string[]>();
  for (const [path, targets] of importsBetween(files))
    for (const target of targets) {
      const [from, to] = [partOf(path), partOf(target)];
      if (roomOf(path) !== roomOf(target) || from === to) continue;
      parts.set(from, [...(parts.get(from) ?? []), to]);
      examples.set(`${from} -> ${to}`, `${path} imports ${target}`);
    }
  // A circle of files only is one of cycleRules.
  const circles = circlesAmong(parts).filter((trail) => trail.some((part) => !/\.tsx?$/.test(part)));
  return circles.map((trail) => {
    const last = examples.get(trail.slice(-2).join(" -> ")) ?? "";
    return `${trail.join(" -> ")}: folders of a room import in a circle, the last as ${last}`;
  });
}

/** The folder or the file directly in its room that a file belongs to. */
function partOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

function importsBetween(files: readonly SourceFile[]): Map<string, string[]> {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => {
      const local = importsOf(text).filter(({ specifier }) => specifier.startsWith("."));
      return [path, local.map(({ specifier }) => resolvePath(path, specifier)).filter((to) => known.has(to))];
    }),
  );
}

/** The circles that a walk along the arrows meets; each begins and ends with the same node. */
function circlesAmong(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const follow = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      found.push([...trail.slice(trail.indexOf(node)), node]);
      return;
    }
    if (done.has(node)) return;
    for (const target of targets.get(node) ?? []) follow(target, [...trail, node]);
    done.add(node);
  };
  for (const node of targets.keys()) follow(node, []);
  return found;
}

function fileRules({ path, text }: SourceFile): string[] {
  const code = withoutCommentsAndStrings(text);
  const found: string[] = [];
  const lines = text.split("\n").length - 1;
  if (lines > maximumLines) found.push(`has ${lines} lines, more than ${maximumLines}`);
  if (/(^|\/)(lib|utils?|helpers?|common|misc|shared)(\/|\.tsx?$)/.test(path)) {
    found.push("is named after nothing in particular");
  }
  if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.tsx?$/.test(path.split("/").at(-1) ?? ""))
    found.push("is not named in kebab-case");
  if (/(?::|<|\bas|\||&|,|=)\s*any\b(?!\s*[(:])/.test(code)) found.push("uses any");
  if (/\bexport default\b/.test(code)) found.push("has a default export");
  if (/\b(enum|namespace)\s+\w+\s*\{/.test(code)) found.push("uses an enum or a namespace");
  if (/\bexport\s+(\*|\{[^}]*\})\s+from\b/.test(code)) found.push("hands on what another file holds");
  if (!mains.includes(path) && /(?<![\w.])process\s*(\.|\[)/.test(code))
    found.push("touches process outside the mains");
  if (!ownTimeRooms.test(path) && !(path in ownTime) && goesByOwnTime(code))
    found.push("goes by this process's time, not by that of Host");
  if (!ownReadingRooms.test(path) && !(path in ownReading) && readsByItself(text))
    found.push("reads files by Node's calls, not by store/files/regular-file.ts");
  return found;
}

/** By its imports. */
export function readsByItself(text: string): boolean {
  const calls = /^(copyFile|createReadStream|open|readFile)(Sync)?(as\w+)?$/;
  return importsOf(text).some(
    ({ specifier, isType, names }) =>
      /^node:fs(\/promises)?$/.test(specifier) &&
      !isType &&
      (names.startsWith("*") || names.split(",").some((name) => calls.test(name))),
  );
}

/** By the text without comments and strings, in which an import of timers/promises shows by its use. */
export function goesByOwnTime(code: string): boolean {
  return /(?<!\.)\bset(Timeout|Interval)\b|\b(Date|performance)\.now\b|\bmonotonicMilliseconds\b|\bnew Date\(\)/.test(
    code,
  );
}

interface Import {
  specifier: string;
  isType: boolean;
  names: string;
}

function importRules({ path, text }: SourceFile): string[] {
  const room = roomOf(path);
  const floor = floors[room];
  if (room !== "console" && floor === undefined) return [`lies in "${room}", which is no room of the house`];
  return importsOf(text).flatMap((one) => {
    if (one.specifier.startsWith(".")) return localRules(path, room, floor ?? 0, one);
    return packageRules(path, room, one);
  });
}

function localRules(path: string, room: string, floor: number, { specifier, isType }: Import): string[] {
  const target = resolvePath(path, specifier);
  const targetRoom = roomOf(target);
  if (targetRoom === room) return [];
  if (room === "console") return pageRules(target, isType);
  if (target.startsWith("host/linux/") && floor < joining && path !== publishersJoiningFile)
    return [`imports ${target}, which only the joining files may know`];
  if (
    ["host/host.ts", "host/ports.ts", "host/release-ports.ts", "host/certificate-ports.ts"].includes(
      target,
    ) &&
    !isType
  )
    return [`imports ${target} as more than types`];
  const house = houseRules(room, target);
  if (house.length > 0) return house;
  const targetFloor = floors[targetRoom];
  if (targetFloor === undefined) return [`imports ${target}, which is in no room of the house`];
  if (floor === joining || targetFloor < floor) return [];
  return [
    targetFloor > floor ? `imports ${target}, a higher floor` : `imports ${target}, a room of its own floor`,
  ];
}

function houseRules(room: string, target: string): string[] {
  const targetRoom = roomOf(target);
  const isPublishers = publishersRooms.includes(room);
  if (!isPublishers && publishersRooms.includes(targetRoom))
    return [`imports ${target}, which is the publisher's and not on a device`];
  if (isPublishers && ![...publishersRooms, ...sharedRooms].includes(targetRoom))
    return [`imports ${target}, which is the device's and not the publisher's`];
  return [];
}

/** A page may have these of the contract besides types. The build makes a small table of operations.ts. */
const smallValues = [
  ...["operations", "schemas/console", "console/accents", "shapes", "scopes", "update-facts", "update-kinds"],
  ...["updates/update-holds", "updates/update-summaries", "event-types", "event-records", "error-codes"],
  ...["clock/clock-word", "clock/source-intervals", "clock/time-server", "need-areas", "text/names"],
  ...["notifications/chat-services", "text/text-of", "text/visible-text"],
];

function pageRules(target: string, isType: boolean): string[] {
  if (roomOf(target) !== "contract") return [`imports ${target}, but a page sees the contract only`];
  if (isType || smallValues.some((name) => target === `contract/${name}.ts`)) return [];
  // The build takes of them what each file uses.
  if (target.startsWith("contract/words/")) return [];
  return [`imports ${target} as more than types, which would bring the page its schemas`];
}

function packageRules(path: string, room: string, { specifier, isType, names }: Import): string[] {
  const isProcess = specifier === "node:process" || specifier === "process";
  // Its id, and how long it has run: monotonic time, which the global `performance` loads a dozen modules for.
  const isHarmless = /^(pid|uptime(as\w+)?)$/.test(names);
  if (isProcess && !mains.includes(path) && !isHarmless) return ["touches process outside the mains"];
  if (room === "contract" && !(isType && specifier === "json-schema-to-ts")) {
    return [`imports ${specifier}, but the contract is pure data`];
  }
  return [];
}

export function importsOf(text: string): Import[] {
  const pattern =
    /\b(?:import|export)\s+(type\s+)?([^;"']*?)\s*from\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm;
  return [...text.matchAll(pattern)].map(([, type, names = "", from, dynamic, bare]) => ({
    specifier: from ?? dynamic ?? bare ?? "",
    isType: type !== undefined,
    names: names.replace(/[{}\s]/g, ""),
  }));
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

function roomOf(path: string): string {
  return path.split("/")[0] ?? path;
}

export function resolvePath(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

export function withoutCommentsAndStrings(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/(^|[^:"'`\\])\/\/.*$/gm, "$1")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}
