/**
 * `make soak`: two built agents under a mixed load by everyone for SOAK_MINUTES (30), while their clocks jump (by
 * libfaketime; never this machine's), their time servers stop and lie, and one of them is ended and started again. The
 * other one has thousands of users and API tokens. Both are under the unit's memory limit. Ends with a table; with exit code 1 where an answer was not expected, or the memory or the open files of the agent that
 * was never restarted grow. STEWARD_SEED repeats the order of things, not their times.
 */
import { randomInt } from "node:crypto";
import { createChance } from "../basics/chance.ts";
import { unitMemoryMiB } from "../basics/memory-limit.ts";
import { flapServers, passes, restartAgent, startServers, stepClocks } from "./disturbances.ts";
import { loadAgent } from "./load.ts";
import { slopeOf } from "./slope.ts";
import { largeCounts, type Measured, type SoakedAgent, startSoakedAgent } from "./soaked-agent.ts";
import { readStream } from "./stream-reader.ts";
import { tableOf, type Usage } from "./table.ts";
import { createTally } from "./tally.ts";

/** Share of the run after which V8 has compiled what is used often and the caches are full. */
const warmUpShare = 0.4;
/** Minutes after the warm-up below which what comes and goes looks like what grows: not judged. */
const leastJudgedMinutes = 15;
const sampleSeconds = 5;

/**
 * Growth an hour that is certain, with 97.5 % confidence (the lower end of the slope's interval), from which on the run
 * fails. What is held is measured exactly: a leak of a request's data would be many times this. The anonymous
 * memory of the process moves by more with V8's compiled code and glibc's arenas; 6 MiB an hour would fill what
 * systemd/steward.service leaves above the usual 100 MiB within a day.
 */
const mostGrowth = { held: 2, anonymous: 6, files: 10 };

const minutes = Number(process.env.SOAK_MINUTES ?? 30);
if (!(minutes >= 1)) {
  console.error("SOAK_MINUTES must be a number of minutes, at least 1.");
  process.exit(2);
}
const seed = Number(process.env.STEWARD_SEED ?? randomInt(2 ** 31));
console.log(`seed ${seed}; ${minutes} minutes`);
const chance = createChance(seed);
const tally = createTally();
const ending = new AbortController();
const { signal } = ending;
process.once("SIGINT", () => ending.abort());
const servers = await startServers();
const names = servers.map(({ port }) => `127.0.0.1:${port}`);
const agents: SoakedAgent[] = [];
try {
  for (const [name, isLarge] of [
    ["the steady agent", true],
    ["the restarted agent", false],
  ] as const)
    agents.push(await startSoakedAgent(name, { servers: names, isLarge }));
  process.exitCode = (await soak(agents)) ? 0 : 1;
} finally {
  ending.abort();
  for (const agent of agents) await agent.dispose();
  for (const server of servers) await server.stop();
}

/** True: nothing was wrong. */
async function soak([steady, restarted]: readonly SoakedAgent[]): Promise<boolean> {
  if (!steady || !restarted) throw new Error("there are two agents");
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  const loads = [steady, restarted].map((agent) =>
    loadAgent({ agent, chance: chance.fork(), tally, signal }),
  );
  const streams = [steady, restarted].map((agent) => readStream({ agent, tally, signal }));
  const [usage, restarts, steps, flaps, events] = await Promise.all([
    measure(steady),
    restartAgent(restarted, { chance: chance.fork(), tally, signal }),
    stepClocks([steady, restarted], chance.fork(), signal),
    flapServers(servers, chance.fork(), signal),
    Promise.all(streams).then((counts) => counts.reduce((sum, count) => sum + count, 0)),
    ...loads,
  ]);
  clearTimeout(timer);
  const faults = [...tally.unexpected(), ...faultsOf(usage), ...[steady, restarted].flatMap(killsOf)];
  for (const { name, errors } of [steady, restarted])
    faults.push(
      ...errors()
        .slice(0, 3)
        .map((line) => `the log of ${name} has an error: ${line.slice(0, 300)}`),
    );
  for (const fault of faults) console.log(fault);
  const facts = [
    ["users of the steady agent, besides those of the load", largeCounts.users],
    ["restarts", restarts],
    ["steps of a clock", steps],
    ["time servers that stopped and came back", flaps],
    ["events read from streams, each once", events],
    ["faults", faults.length],
  ] as const;
  console.log(`\n${tableOf(tally.rows(), usage, facts)}`);
  return faults.length === 0;
}

function killsOf({ name, kills }: SoakedAgent): string[] {
  const count = kills();
  if (count === null) console.log(`${name} had no memory limit: this process can make no control group here`);
  return count ? [`the kernel killed ${count} processes of ${name} for their memory`] : [];
}

async function measure(agent: SoakedAgent): Promise<Usage> {
  const begun = performance.now();
  const readings: (Measured & { atSeconds: number })[] = [];
  while (await passes(sampleSeconds, signal)) {
    const measured = agent.measure();
    if (measured) readings.push({ ...measured, atSeconds: (performance.now() - begun) / 1_000 });
    else tally.wrong(agent.name, "its process is not there, or its memory was not measured");
  }
  const warm = readings.slice(Math.floor(readings.length * warmUpShare));
  const slope = (of: "held" | "anonymous" | "files") =>
    slopeOf(warm.map((reading) => ({ atSeconds: reading.atSeconds, value: reading[of] })));
  return {
    name: agent.name,
    ...{ held: slope("held"), anonymous: slope("anonymous"), files: slope("files") },
    mostMiB: Math.max(...readings.map(({ most }) => most)),
  };
}

function faultsOf({ name, mostMiB: peakMiB, ...slopes }: Usage): string[] {
  const faults: string[] = [];
  if (peakMiB > unitMemoryMiB)
    faults.push(`${name} took ${peakMiB.toFixed(0)} MiB, and may take ${unitMemoryMiB}`);
  if (minutes * (1 - warmUpShare) < leastJudgedMinutes) {
    console.log("the slopes are not judged: the run was too short for it");
    return faults;
  }
  const judged = [
    ["held", "what", "holds grows", "MiB"],
    ["anonymous", "the anonymous memory of", "grows", "MiB"],
    ["files", "the open files of", "grow", "files"],
  ] as const;
  for (const [of, subject, verb, unit] of judged) {
    const { perHour, plusMinus } = slopes[of];
    if (perHour - plusMinus > mostGrowth[of])
      faults.push(`${subject} ${name} ${verb} by more than ${mostGrowth[of]} ${unit} an hour`);
  }
  return faults;
}
