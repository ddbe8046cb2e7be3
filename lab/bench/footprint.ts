/** Memory and start of the agent against a bare server, and the requests that it answers against fastify. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { agentOf, bareHttp, fastifyJwt, type Memory, type Running, start } from "./contestant.ts";
import { callJson, requestsPerSecond } from "./requests.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

/** The ratios of eleven rounds had a median between 2.0 and 2.25 on a quiet machine. */
const startRounds = 25;
/** The number of these that wait until they are idle: memory varies little from one start to the next. */
const memoryRounds = 3;
const loadRounds = 15;

/** Milliseconds after the first answer until a server is idle. */
const idleMilliseconds = 4_000;

/** By then timers have run that a start leaves behind, and V8 has collected what they made. */
export const lastingMilliseconds = 10 * 60_000;

const idleBound = { side: "most", value: 1.22 } as const;

/** The requests of about an hour of use: a person who signs in and looks around, and a console that polls. */
const readsOfAnHour = 200;

const pages = ["/api/system", "/api/status", "/api/system/time-sync", "/api/users"];

/** The runtime that contestants run on, the program as it is installed for it, and the directory for their state. */
export interface Surroundings {
  readonly node: string;
  readonly program: string;
  readonly directory: string;
}

export async function startAndMemory(at: Surroundings): Promise<Row[]> {
  const [processor, wall, quiet] = [emptySeries(), emptySeries(), emptySeries()];
  const memory = memorySeries();
  for (let round = 0; round < startRounds; round += 1) {
    for (const [index, contestant] of [agentOf(at.program), bareHttp].entries()) {
      const running = await start(contestant, at.directory, at.node);
      processor[index]?.push(running.startProcessorMilliseconds);
      wall[index]?.push(running.startMilliseconds);
      if (round < memoryRounds) {
        await delay(idleMilliseconds);
        quiet[index]?.push(running.processorMilliseconds());
        memory.add(index, running.memory());
      }
      await running.stop();
    }
  }
  const [resident, anonymous] = memory.series;
  const name = "start to first answer / bare node:http";
  const quietName = "start to ready and quiet / the same, processor time";
  return [
    ratioRow("idle resident memory / bare node:http", "MiB", resident, idleBound),
    ratioRow("its anonymous part", "MiB", anonymous),
    ratioRow(`${name}, processor time`, "ms", processor, { side: "most", value: 2.2 }),
    ratioRow(`${name}, wall time`, "ms", wall),
    // Measured before the start was made shorter, so that work is saved and not moved behind the first answer.
    ratioRow(quietName, "ms", quiet, { side: "most", value: 3.4 }),
  ];
}

/**
 * Memory ten minutes after the start, of three on each side, which differ by up to half a MiB. All run meanwhile, in
 * places of their own beside all else that is measured.
 */
export async function memoryAfterRest(at: Surroundings): Promise<Row[]> {
  const pairs = await Promise.all(
    Array.from({ length: memoryRounds }, async (_, index) => {
      const directory = join(at.directory, `rest-${index}`);
      mkdirSync(directory);
      return restOf(at, directory);
    }),
  );
  const resident: Series = [pairs.map(({ own }) => own), pairs.map(({ peer }) => peer)];
  return [ratioRow("the same after 10 minutes at rest", "MiB", resident, idleBound)];
}

async function restOf({ program, node }: Surroundings, directory: string) {
  const own = await start(agentOf(program), directory, node);
  const peer = await start(bareHttp, directory, node);
  try {
    await delay(lastingMilliseconds);
    return { own: own.memory().residentMiB, peer: peer.memory().residentMiB };
  } finally {
    await Promise.all([own.stop(), peer.stop()]);
  }
}

/** Memory after an hour's worth of use: a sign-in, the host's facts, 200 reads. */
export async function memoryAfterUse(at: Surroundings): Promise<Row[]> {
  const memory = memorySeries();
  for (let round = 0; round < memoryRounds; round += 1) {
    for (const [index, contestant] of [agentOf(at.program), bareHttp].entries()) {
      const running = await start(contestant, at.directory, at.node);
      const token = contestant === bareHttp ? "" : await signIn(running, at);
      await callJson(running, "GET", "/api/system/facts", { token });
      for (let read = 0; read < readsOfAnHour; read += 1)
        await callJson(running, "GET", pages[read % pages.length] ?? "/", { token });
      await delay(idleMilliseconds);
      memory.add(index, running.memory());
      await running.stop();
    }
  }
  const [resident, anonymous] = memory.series;
  return [
    ratioRow("resident memory after an hour's use / bare node:http", "MiB", resident, {
      side: "most",
      value: 1.38,
    }),
    ratioRow("its anonymous part, after use", "MiB", anonymous),
  ];
}

const emptySeries = (): Series => [[], []];

function memorySeries() {
  const series: readonly [resident: Series, anonymous: Series] = [emptySeries(), emptySeries()];
  return {
    series,
    add: (index: number, { residentMiB, anonymousMiB }: Memory) => {
      series[0][index]?.push(residentMiB);
      series[1][index]?.push(anonymousMiB);
    },
  };
}

export async function authenticatedRequests(at: Surroundings): Promise<Row> {
  const own = await start(agentOf(at.program), at.directory, at.node);
  const session = await signIn(own, at);
  const settings = await callJson(own, "GET", "/api/system", { token: session });
  const peer = await start(fastifyJwt(JSON.stringify(settings)), at.directory, at.node);
  const { access_token: peerToken } = await callJson(peer, "GET", "/token");
  const results: Series = [[], []];
  try {
    // The first turn of each warms it up and does not count.
    for (let round = 0; round <= loadRounds; round += 1) {
      const ownRate = await requestsPerSecond(own.port, session);
      const peerRate = await requestsPerSecond(peer.port, String(peerToken));
      if (round > 0) {
        results[0].push(ownRate);
        results[1].push(peerRate);
      }
    }
  } finally {
    await Promise.all([own.stop(), peer.stop()]);
  }
  const what = "authenticated GET /api/system / fastify + @fastify/jwt";
  return ratioRow(what, "req/s", results, { side: "least", value: 0.95 });
}

/** The administrator whom `signIn` makes. */
export const credentials = { username: "bench-admin", password: "four unrelated words here" };

/** A token of an administrator, who is made at the first call with this directory. */
export async function signIn(running: Running, { directory }: Surroundings): Promise<string> {
  const login = () => callJson(running, "POST", "/api/auth/login", { body: credentials });
  const first = await login();
  if (typeof first.access_token === "string") return first.access_token;
  const socketPath = join(directory, "run/steward.sock");
  await callJson({ socketPath }, "POST", "/api/users", { body: { ...credentials, role: "admin" } });
  return String((await login()).access_token);
}
