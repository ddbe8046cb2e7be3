import type {
  ApplyPlan,
  HealthAnswer,
  ReleaseAtWork,
  ReleaseFiles,
  ReleaseHost,
  UnitState,
  Units,
} from "../../src/host/release-ports.ts";

/** A host in memory: files, one unit, time that passes only by waiting. */
export type SimulatedReleaseHost = ReturnType<typeof createReleaseHost>;

type Entry = { readonly text: string } | { readonly link: string } | "directory";

export function createReleaseHost({ hasUnits = true } = {}) {
  const entries = new Map<string, Entry>();
  const acts: string[] = [];
  let boots = 1;
  let uptime = 100;
  let wall = Date.parse("2026-11-20T12:00:00Z");
  const step = (name: string): void => host.beforeEach(name);
  const units: Units = {
    state: async () => host.unit,
    restart: async (unit) => {
      step("restart");
      acts.push(`restart ${unit}`);
      host.unit = { ...host.unit, isFailed: false, uncleanExits: 0 };
    },
    reload: async (unit) => void acts.push(`reload ${unit}`),
    begin: async (unit) => void acts.push(`begin ${unit}`),
    log: async () => ["pump.service: it said something"],
  };
  const host = {
    /** Path → content, or where a link leads; and the orders that the service was given. */
    ...{ entries, acts },
    /** True when the release of this version is well when it is looked at. */
    isHealthy: (() => true) as (release: ReleaseAtWork) => boolean,
    unit: { isActive: true, isFailed: false, uncleanExits: 0, invocation: "1" } as UnitState,
    /** Before each operation; what it throws is a crash. */
    beforeEach: (() => undefined) as (operation: string) => void,
    /** Another boot begins. */
    reboot: () => {
      boots += 1;
      uptime = 1;
      wall += 60_000;
    },
    files: filesIn(entries, step),
    units: hasUnits ? units : null,
    uptime: () => uptime,
    get bootId() {
      return `boot-${boots}`;
    },
    now: () => new Date(wall),
    pause: async (seconds: number) => {
      uptime += seconds;
      wall += seconds * 1_000;
    },
    activate: async (_plan: ApplyPlan, { version }: ReleaseAtWork) => {
      step("activate");
      acts.push(`activate ${version}`);
    },
    askHealth: async (_plan: ApplyPlan, release: ReleaseAtWork): Promise<HealthAnswer> => {
      step("askHealth");
      const isHealthy = host.isHealthy(release);
      return { isHealthy, words: `${release.version} is ${isHealthy ? "well" : "not well"}` };
    },
    selfTest: async () => step("selfTest"),
    unpack: async (payload: string, directory: string) => {
      step("unpack");
      const entry = entries.get(payload);
      if (entry === undefined || entry === "directory" || !("text" in entry)) throw new Error("no payload");
      entries.set(directory, "directory");
      entries.set(`${directory}/content`, entry);
    },
  };
  return host satisfies ReleaseHost;
}

function filesIn(entries: Map<string, Entry>, step: (name: string) => void): ReleaseFiles {
  const below = (path: string): string[] =>
    [...entries.keys()].filter((one) => one === path || one.startsWith(`${path}/`));
  return {
    read: async (path) => {
      const entry = entries.get(path);
      return entry === undefined || entry === "directory" || !("text" in entry)
        ? null
        : Buffer.from(entry.text);
    },
    write: async (path, content) => {
      step("write");
      entries.set(path, { text: Buffer.from(content).toString("utf8") });
    },
    makeDirectory: async (path) => {
      step("makeDirectory");
      if (!entries.has(path)) entries.set(path, "directory");
    },
    names: async (directory) => {
      const names = below(directory).map((one) => one.slice(directory.length + 1).split("/")[0] ?? "");
      return [...new Set(names)].filter((name) => name !== "").sort();
    },
    remove: async (path) => {
      step("remove");
      for (const one of below(path)) entries.delete(one);
    },
    move: async (from, to) => {
      step("move");
      for (const one of below(from)) {
        const entry = entries.get(one);
        entries.delete(one);
        if (entry !== undefined) entries.set(to + one.slice(from.length), entry);
      }
    },
    link: async (path, target) => {
      step("link");
      if (target === null) entries.delete(path);
      else entries.set(path, { link: target });
    },
    linkTarget: async (path) => {
      const entry = entries.get(path);
      return entry === undefined || entry === "directory" || !("link" in entry) ? null : entry.link;
    },
    sync: async () => step("sync"),
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
  };
}
