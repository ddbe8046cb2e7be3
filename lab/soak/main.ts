/**
 * `make soak`: the built agent, with the unit's memory limit, under a load by everyone for SOAK_MINUTES (30), while its
 * clock jumps (by libfaketime; never this machine's) and its time servers stop and lie. Ends with a table, and with exit
 * code 1 where an answer was not expected, or where memory, open files or state grow. STEWARD_SEED repeats the order of
 * things, not their times.
 */
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buildSync } from "esbuild";
import { fakeClock } from "../agents/faked-time.ts";
import { type AgentProcess, testProxy } from "../agents/running-agent.ts";
import { startWithoutClockRight } from "../agents/without-clock-right.ts";
import { createChance } from "../basics/chance.ts";
import { limitMemory, unitMemoryMiB } from "../basics/memory-limit.ts";
import { linesOf } from "../basics/table.ts";
import { draw, oneOf } from "../fuzz/draw.ts";
import { type Chronyd, startChronyd } from "../host/chronyd.ts";
import { publishDemoRelease } from "../run/demo-product/publish.ts";
import { growthOf } from "./growth.ts";
import { loadAgent, people, type Tally } from "./load.ts";

/** Share of the run after which V8 has compiled what is used often and the caches are full. */
const warmUpShare = 0.4;
/** Minutes after the warm-up below which what comes and goes looks like what grows: not judged. */
const leastJudgedMinutes = 15;
const seconds = { sample: 5, step: 40, flap: 20 };

/** Seconds by which the clock jumps: those beyond 30 s end access tokens, an hour and a day move limits by the calendar. */
const steps = [2, -2, 90, -90, 3_600, -3_600, 86_400, -86_400];

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
const [clock, limit] = [fakeClock(inside("time")), limitMemory(unitMemoryMiB)];
if (limit === null) console.log("without a memory limit: this process can make no control group here");
// Three of them, so that a majority is left while one flaps.
const servers = await Promise.all([1, 2, 3].map(() => startChronyd()));
const agent = await begin();
try {
  await soak();
} finally {
  ending.abort();
  await agent.dispose();
  limit?.remove();
  for (const server of servers) await server.stop();
  for (const made of [directory, stateDirectory]) rmSync(made, { recursive: true, force: true });
}

/** Starts the agent with root's decisions, time servers, a repository to look for updates in, and a user of each role. */
async function begin(): Promise<AgentProcess> {
  clock.move(0);
  const places = { publisher: inside("publisher"), root: inside("update-root.json") };
  const { server, fingerprint } = await publishDemoRelease(places);
  const time = { mode: "observe", servers: servers.map(({ port }) => `127.0.0.1:${port}`) };
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
      ...clock.environment,
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
  const [samples, jumps, flaps] = await Promise.all([
    measure(),
    stepClock(),
    flapServers(),
    loadAgent({ agent, chance: chance.fork(), tally, signal: ending.signal }),
  ]);
  clearTimeout(timer);
  const errors = agent.log().match(/^.*"severity":"error".*$/gm) ?? [];
  const faults = [...tally.faults].map(([what, count]) => `${what} (${count} times)`);
  faults.push(...errors.slice(0, 3).map((line) => `the log has an error: ${line.slice(0, 300)}`));
  faults.push(...faultsOf(samples));
  console.log(`\n${linesOf([["caller", "requests"], ...tally.callers]).join("\n")}\n`);
  console.log(`steps of the clock: ${jumps}\ntime servers that stopped and came back: ${flaps}`);
  console.log(`events read from the stream, each once: ${tally.events}\nfaults: ${faults.length}`);
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function measure(): Promise<Sample[]> {
  const begun = performance.now();
  const samples: Sample[] = [];
  while (await passes(seconds.sample)) {
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

async function stepClock(): Promise<number> {
  let [count, offset] = [0, 0];
  for (; await passes(seconds.step); count += 1) {
    offset += oneOf(chance, steps);
    clock.move(offset);
  }
  return count;
}

/** One server after another stops, and comes back true, or three seconds ahead. */
async function flapServers(): Promise<number> {
  let count = 0;
  for (; await passes(seconds.flap); count += 1) {
    const index = draw(chance, servers.length);
    const { port, stop } = servers[index] as Chronyd;
    await stop();
    await passes(draw(chance, seconds.flap));
    servers[index] = await startChronyd({ port, ...(draw(chance, 3) === 0 && { fakeTime: "+3s" }) });
  }
  return count;
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
async function passes(time: number): Promise<boolean> {
  await delay(time * 1_000, undefined, { signal: ending.signal }).catch(() => undefined);
  return !ending.signal.aborted;
}
