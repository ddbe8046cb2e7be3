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
export interface SimulatedReleaseHost extends ReleaseHost {
  /** Path → content, or where a link leads. */
  readonly entries: Map<string, Entry>;
  /** The service was given these orders, in order. */
  readonly acts: string[];
  /** True when the release of this version is well when it is looked at. */
  isHealthy: (release: ReleaseAtWork) => boolean;
  unit: UnitState;
  /** Another boot begins. */
  reboot(): void;
  /** Before each operation; what it throws is a crash. */
  beforeEach: (operation: string) => void;
}

type Entry = { readonly text: string } | { readonly link: string } | "directory";

export function createReleaseHost({ hasUnits = true } = {}): SimulatedReleaseHost {
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
  const host: SimulatedReleaseHost = {
    entries,
    acts,
    isHealthy: () => true,
    unit: { isActive: true, isFailed: false, uncleanExits: 0, invocation: "1" },
    beforeEach: () => undefined,
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
    pause: async (seconds) => {
      uptime += seconds;
      wall += seconds * 1_000;
    },
    activate: async (_plan: ApplyPlan, { version }) => {
      step("activate");
      acts.push(`activate ${version}`);
    },
    askHealth: async (_plan, release): Promise<HealthAnswer> => {
      step("askHealth");
      const isHealthy = host.isHealthy(release);
      return { isHealthy, words: `${release.version} is ${isHealthy ? "well" : "not well"}` };
    },
    selfTest: async () => step("selfTest"),
    unpack: async (payload, directory) => {
      step("unpack");
      const entry = entries.get(payload);
      if (entry === undefined || entry === "directory" || !("text" in entry)) throw new Error("no payload");
      entries.set(directory, "directory");
      entries.set(`${directory}/content`, entry);
    },
  };
  return host;
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
