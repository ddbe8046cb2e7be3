/**
 * `make soak`: the built agent, with the unit's memory limit, under a load by everyone for SOAK_MINUTES (30). Ends with a
 * table, and with exit code 1 where an answer was not expected, or where memory, open files or state grow. STEWARD_SEED
 * repeats the order of things, not their times.
 */
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buildSync } from "esbuild";
import { type AgentProcess, testProxy } from "../agents/running-agent.ts";
import { startWithoutClockRight } from "../agents/without-clock-right.ts";
import { createChance } from "../basics/chance.ts";
import { limitMemory, unitMemoryMiB } from "../basics/memory-limit.ts";
import { linesOf } from "../basics/table.ts";
import { startChronyd } from "../host/chronyd.ts";
import { publishDemoRelease } from "../run/demo-product/publish.ts";
import { growthOf } from "./growth.ts";
import { loadAgent, people, type Tally } from "./load.ts";

/** Share of the run after which V8 has compiled what is used often and the caches are full. */
const warmUpShare = 0.4;
/** Minutes after the warm-up below which what comes and goes looks like what grows: not judged. */
const leastJudgedMinutes = 15;
const sampleSeconds = 5;

/**
 * Growth an hour from which on the run fails. What V8 holds is measured exactly: a leak of a request's data would be many
 * times this. The anonymous memory of the process moves by more with V8's compiled code and glibc's arenas; 6 MiB an hour
 * would fill what systemd/steward.service leaves above the usual 100 MiB within a day.
 */
const mostGrowth = { "held, MiB": 2, "anonymous, MiB": 6, "open files": 10 };
type Grown = keyof typeof mostGrowth;

/** MiB: events take 9 of them at the most (docs/logs-and-events.md), however many come. */
const mostStateMiB = 16;

type Sample = Readonly<Record<Grown, number>> & { readonly atSeconds: number; readonly stateMiB: number };

const minutes = Number(process.env.SOAK_MINUTES ?? 30);
if (!(minutes >= 1)) {
  console.error("SOAK_MINUTES must be a number of minutes, at least 1.");
  process.exit(2);
}
const seed = Number(process.env.STEWARD_SEED ?? randomInt(2 ** 31));
console.log(`seed ${seed}; ${minutes} minutes`);
const chance = createChance(seed);
const ending = new AbortController();
process.once("SIGINT", () => ending.abort());
const directory = mkdtempSync(join(process.getuid?.() === 0 ? "/run" : tmpdir(), "steward-soak-"));
const inside = (name: string) => join(directory, name);
// On a disk: what a process writes to a file system in memory counts as its memory.
const stateDirectory = mkdtempSync(join(tmpdir(), "steward-soak-state-"));
const limit = limitMemory(unitMemoryMiB);
if (limit === null) console.log("without a memory limit: this process can make no control group here");
const timeServer = await startChronyd();
const agent = await begin();
try {
  await soak();
} finally {
  ending.abort();
  await agent.dispose();
  limit?.remove();
  await timeServer.stop();
  for (const made of [directory, stateDirectory]) rmSync(made, { recursive: true, force: true });
}

/** Starts the agent with root's decisions, a time server, a repository to look for updates in, and a user of each role. */
async function begin(): Promise<AgentProcess> {
  const places = { publisher: inside("publisher"), root: inside("update-root.json") };
  const { server, fingerprint } = await publishDemoRelease(places);
  const time = { mode: "observe", servers: [`127.0.0.1:${timeServer.port}`] };
  writeFileSync(inside("settings.json"), JSON.stringify({ time, update: { ota: { server } } }));
  const host = { product: "demo", update: { allow_local_servers: true }, trusted_proxies: [testProxy] };
  writeFileSync(inside("steward.json"), JSON.stringify(host), { mode: 0o600 });
  const probe = inside("memory-probe.mjs");
  const target = { format: "esm", platform: "node", target: "node20" } as const;
  buildSync({ entryPoints: [join(import.meta.dirname, "memory-probe.ts")], outfile: probe, ...target });
  const started = await startWithoutClockRight({
    stateDirectory,
    ...(limit !== null && { prefix: [...limit.prefix] }),
    arguments: ["host-file steward.json", "releases releases", "trust trust"]
      .map((words) => words.split(" "))
      .flatMap(([option, name = ""]) => [`--${option}`, inside(name)]),
    environment: {
      // V8 takes its limit from the unit's, not from this machine's memory.
      NODE_OPTIONS: `--max-old-space-size=${unitMemoryMiB} --import=${probe}`,
      STEWARD_SOAK_MEMORY: inside("memory.json"),
      STEWARD_INITIAL_SETTINGS: inside("settings.json"),
    },
  });
  const bodies = [...people.map((body) => ["/api/users", body]), ["/api/updates/trust", { fingerprint }]];
  for (const [path, body] of bodies) {
    const { status, text } = await started.call("POST", String(path), { body, local: true });
    if (status >= 300) throw new Error(`POST ${path}: ${text}`);
  }
  return started;
}

async function soak(): Promise<void> {
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  const tally: Tally = { callers: new Map(), faults: new Map(), events: 0 };
  const [samples] = await Promise.all([
    measure(),
    loadAgent({ agent, chance: chance.fork(), tally, signal: ending.signal }),
  ]);
  clearTimeout(timer);
  const errors = agent.log().match(/^.*"severity":"error".*$/gm) ?? [];
  const faults = [...tally.faults].map(([what, count]) => `${what} (${count} times)`);
  faults.push(...errors.slice(0, 3).map((line) => `the log has an error: ${line.slice(0, 300)}`));
  faults.push(...faultsOf(samples));
  console.log(`\n${linesOf([["caller", "requests"], ...tally.callers]).join("\n")}\n`);
  console.log(`events read from the stream, each once: ${tally.events}\nfaults: ${faults.length}`);
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function measure(): Promise<Sample[]> {
  const begun = performance.now();
  const samples: Sample[] = [];
  while (await passes()) {
    const { held, anonymous } = JSON.parse(readFileSync(inside("memory.json"), "utf8"));
    const state = readdirSync(stateDirectory, { recursive: true, encoding: "utf8" });
    samples.push({
      atSeconds: (performance.now() - begun) / 1_000,
      ...{ "held, MiB": held / 1_024 ** 2, "anonymous, MiB": anonymous / 1_024 ** 2 },
      "open files": readdirSync(`/proc/${agent.pid}/fd`).length,
      stateMiB: state.reduce((sum, name) => sum + sizeOf(join(stateDirectory, name)), 0) / 1_024 ** 2,
    });
  }
  return samples;
}

/** 0 for a file that was renamed or removed meanwhile. The reserve is for a full disk and has one size. */
function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() && !path.endsWith("/.reserve") ? found.size : 0;
}

function faultsOf(samples: readonly Sample[]): string[] {
  const status = readFileSync(`/proc/${agent.pid}/status`, "utf8");
  const peakMiB = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
  const stateMiB = Math.max(...samples.map((sample) => sample.stateMiB));
  console.log(`\nat most: ${peakMiB.toFixed(0)} MiB of memory, ${stateMiB.toFixed(1)} MiB of state`);
  const faults = [
    ...(peakMiB <= unitMemoryMiB ? [] : [`it took ${peakMiB.toFixed(0)} MiB, and may take ${unitMemoryMiB}`]),
    ...(stateMiB <= mostStateMiB ? [] : [`its state has more than ${mostStateMiB} MiB`]),
    ...(limit?.kills() ? ["the kernel killed it for its memory"] : []),
  ];
  const isJudged = minutes * (1 - warmUpShare) >= leastJudgedMinutes;
  if (!isJudged) console.log("growth is not judged: the run was too short for it");
  const warm = samples.slice(Math.floor(samples.length * warmUpShare));
  for (const [name, most] of Object.entries(mostGrowth) as [Grown, number][]) {
    const growth = growthOf(warm.map((one) => ({ ...one, value: one[name] })));
    console.log(
      `${name}: ${warm.at(-1)?.[name].toFixed(1)} at the end, grows by ${growth.toFixed(1)} an hour`,
    );
    if (isJudged && growth > most) faults.push(`${name}: more than ${most} an hour`);
  }
  return faults;
}

/** False: the end of the run came first. */
async function passes(): Promise<boolean> {
  await delay(sampleSeconds * 1_000, undefined, { signal: ending.signal }).catch(() => undefined);
  return !ending.signal.aborted;
}
