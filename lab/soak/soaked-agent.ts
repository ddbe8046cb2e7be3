import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { type FakedClock, fakeClock } from "../agents/faked-time.ts";
import { type AgentOptions, type AgentProcess, adminName, testProxy } from "../agents/running-agent.ts";
import { startWithoutClockRight } from "../agents/without-clock-right.ts";
import { limitMemory, unitMemoryMiB } from "../basics/memory-limit.ts";
import { publishDemoRelease } from "../run/demo-product/publish.ts";
import { makeLargeState } from "../state/large-state.ts";
import { type MemoryReading, memoryFileVariable } from "./memory-probe.ts";

/** An agent that is started again on the same state, and whose wall clock moves without that of this machine. */
export type SoakedAgent = Awaited<ReturnType<typeof startSoakedAgent>>;

/** The resources of a process. */
export interface Measured {
  /** MiB by memory-probe.ts: what V8 cannot collect, and all anonymous pages. */
  readonly held: number;
  readonly anonymous: number;
  /** MiB that the process has had at the most, at any moment. */
  readonly most: number;
  readonly files: number;
}

/** The accounts and the API tokens of a large device. */
export const largeCounts = { users: 2_000, tokens: 5_000 } as const;

/** The password of everyone here. */
export const password = "seven calm otters by the river";

/** Its users: one of each role beside the administrator. */
export const usernames = { admin: adminName, operator: "soak-operator", readonly: "soak-reader" } as const;

const probeSource = join(import.meta.dirname, "memory-probe.ts");

/**
 * Starts the built agent under the unit's memory limit, with users, time servers and a repository to look for updates in;
 * `isLarge`: on the state of a large device.
 */
export async function startSoakedAgent(
  name: string,
  { servers, isLarge }: { readonly servers: readonly string[]; readonly isLarge: boolean },
) {
  const directory = mkdtempSync(join(process.getuid?.() === 0 ? "/run" : tmpdir(), "steward-soak-"));
  // On a disk: what a process writes to a file system in memory counts as its memory.
  const stateDirectory = mkdtempSync(join(tmpdir(), "steward-soak-state-"));
  const clock = fakeClock(join(directory, "time"));
  const limit = limitMemory(unitMemoryMiB);
  const prepared = await prepare(directory, servers, clock);
  /** API tokens of programs, beside that of the monitor. */
  const tokens: readonly string[] = isLarge
    ? (await makeLargeState(stateDirectory, largeCounts, prepared.environment)).tokens
    : [];
  const options = { ...prepared, stateDirectory, ...(limit !== null && { prefix: [...limit.prefix] }) };
  let [offsetSeconds, restarts, killedAt] = [0, 0, 0];
  let agent: AgentProcess | null = await startWithoutClockRight(options);
  const formerErrors: string[] = [];
  await makeUsers(agent, options.fingerprint);
  return {
    name,
    tokens,
    /** Processes of it that the kernel has killed because of the unit's limit; null: it has no limit on this machine. */
    kills: () => limit?.kills() ?? null,
    /** Null while it is being started again. */
    present: () => agent,
    /** The number of restarts that have begun. */
    restarts: () => restarts,
    /** When it was last ended by SIGKILL, by performance.now(); 0: never. */
    killedAt: () => killedAt,
    /** Ends it by this signal and starts it again. Gives the exit code. */
    restart: async (signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
      const ending = agent;
      if (!ending) return null;
      restarts += 1;
      if (signal === "SIGKILL") killedAt = performance.now();
      agent = null;
      ending.process.kill(signal);
      const code = await ending.stop();
      formerErrors.push(...errorsOf(ending.log()));
      agent = await startWithoutClockRight(options);
      return code;
    },
    /** Its wall clock jumps by so many seconds. */
    stepClock: (seconds: number): void => {
      offsetSeconds += seconds;
      clock.move(offsetSeconds);
    },
    /** Null while it is being started again, and until its memory was measured for the first time. */
    measure: () => (agent ? measureProcess(agent.pid, options.memoryFile) : null),
    /** Lines of its log with the severity error, of all its processes. */
    errors: () => [...formerErrors, ...errorsOf(agent?.log() ?? "")],
    dispose: async (): Promise<void> => {
      await agent?.dispose();
      limit?.remove();
      for (const made of [directory, stateDirectory]) rmSync(made, { recursive: true, force: true });
    },
  };
}

interface Prepared extends AgentOptions {
  readonly environment: Record<string, string>;
  readonly fingerprint: string;
  readonly memoryFile: string;
}

/** Prepares root's decisions, a publisher, and the start of an agent that reads the time from a file. */
async function prepare(directory: string, servers: readonly string[], clock: FakedClock): Promise<Prepared> {
  clock.move(0);
  const inside = (name: string) => join(directory, name);
  const places = { publisher: inside("publisher"), root: inside("update-root.json") };
  const { server, fingerprint } = await publishDemoRelease(places);
  const settings = { time: { mode: "observe", servers }, update: { ota: { server } } };
  writeFileSync(inside("settings.json"), JSON.stringify(settings));
  const host = { product: "demo", update: { allow_local_servers: true }, trusted_proxies: [testProxy] };
  writeFileSync(inside("steward.json"), JSON.stringify(host), { mode: 0o600 });
  const own = [
    "--host-file",
    inside("steward.json"),
    "--releases",
    inside("releases"),
    "--trust",
    inside("trust"),
  ];
  const [memoryFile, probe] = [inside("memory.json"), inside("memory-probe.mjs")];
  buildSync({
    entryPoints: [probeSource],
    outfile: probe,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  return {
    ...{ fingerprint, memoryFile },
    arguments: own,
    environment: {
      // V8 takes its limit from the unit's, not from this machine's memory.
      NODE_OPTIONS: `--max-old-space-size=${unitMemoryMiB} --import=${probe}`,
      [memoryFileVariable]: memoryFile,
      ...clock.environment,
      STEWARD_INITIAL_SETTINGS: inside("settings.json"),
    },
  };
}

async function makeUsers(agent: AgentProcess, fingerprint: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await agent.call("POST", path, { body, local: true });
    if (status >= 300) throw new Error(`POST ${path}: ${text}`);
  };
  for (const [role, username] of Object.entries(usernames))
    await post("/api/users", { username, password, role });
  await post("/api/updates/trust", { fingerprint });
}

function measureProcess(pid: number, memoryFile: string): Measured | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const { heldBytes, anonymousBytes } = JSON.parse(readFileSync(memoryFile, "utf8")) as MemoryReading;
    return {
      held: heldBytes / 1_024 ** 2,
      anonymous: anonymousBytes / 1_024 ** 2,
      most: Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024,
      files: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch {
    return null;
  }
}

function errorsOf(log: string): string[] {
  return log.split("\n").filter((line) => line.includes('"severity":"error"'));
}
