/**
 * Memory and start of the agent against a bare server, the requests that it answers against fastify, its time servers with
 * NTS against such in plain, and commands that shells and scripts run often against bare Node.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createAuthority } from "../host/certificates.ts";
import { startChronyd } from "../host/chronyd.ts";
import { agentOf, bareHttp, fastifyJwt, type Running, start } from "./contestant.ts";
import { type Spent, spentBy, timeRows } from "./ended-processes.ts";
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
const lastingMilliseconds = 10 * 60_000;

/** The requests of about an hour of use: a person who signs in and looks around, and a console that polls. */
const readsOfAnHour = 200;
const pages = ["/api/system", "/api/status", "/api/system/time-sync", "/api/users"];

/** The runtime that contestants run on, the program as it is installed for it, and the directory for their state. */
export interface Surroundings {
  readonly node: string;
  readonly program: string;
  readonly directory: string;
}

const series = (): Series => [[], []];

/** Starts the agent and a bare server in turns, and measures each, which stops afterwards. */
async function inTurns(
  at: Surroundings,
  rounds: number,
  measure: (one: Running, side: 0 | 1, round: number) => unknown,
) {
  for (let round = 0; round < rounds; round += 1)
    for (const side of [0, 1] as const) {
      const running = await start(side === 0 ? agentOf(at.program) : bareHttp, at.directory, at.node);
      await measure(running, side, round);
      await running.stop();
    }
}

export async function startAndMemory(at: Surroundings): Promise<Row[]> {
  const [processor, wall, quiet, resident, anonymous] = [series(), series(), series(), series(), series()];
  await inTurns(at, startRounds, async (running, side, round) => {
    processor[side].push(running.startProcessorMilliseconds);
    wall[side].push(running.startMilliseconds);
    if (round >= memoryRounds) return;
    await delay(idleMilliseconds);
    quiet[side].push(running.processorMilliseconds());
    resident[side].push(running.memory().residentMiB);
    anonymous[side].push(running.memory().anonymousMiB);
  });
  const name = "start to first answer / bare node:http";
  return [
    ratioRow("idle resident memory / bare node:http", "MiB", resident, "≤ 1.22"),
    ratioRow("its anonymous part", "MiB", anonymous),
    ratioRow(`${name}, processor time`, "ms", processor, "≤ 2.30"),
    ratioRow(`${name}, wall time`, "ms", wall),
    // Measured before the start was made shorter, so that work is saved and not moved behind the first answer.
    ratioRow("start to ready and quiet / the same, processor time", "ms", quiet, "≤ 3.40"),
  ];
}

/**
 * Memory ten minutes after the start, of three on each side, which differ by up to half a MiB. All run meanwhile, in
 * places of their own beside all else that is measured.
 */
export async function memoryAfterRest({ program, node, directory }: Surroundings): Promise<Row[]> {
  const resident = series();
  const rest = async (index: number): Promise<void> => {
    const place = join(directory, `rest-${index}`);
    mkdirSync(place);
    const both = [await start(agentOf(program), place, node), await start(bareHttp, place, node)];
    try {
      await delay(lastingMilliseconds);
      for (const [side, one] of both.entries()) resident[side]?.push(one.memory().residentMiB);
    } finally {
      await Promise.all(both.map((one) => one.stop()));
    }
  };
  await Promise.all(Array.from({ length: memoryRounds }, (_, index) => rest(index)));
  return [ratioRow("the same after 10 minutes at rest", "MiB", resident, "≤ 1.25")];
}

/** Memory after an hour's worth of use: a sign-in, the host's facts, 200 reads. */
export async function memoryAfterUse(at: Surroundings): Promise<Row[]> {
  const [resident, anonymous] = [series(), series()];
  await inTurns(at, memoryRounds, async (running, side) => {
    const token = side === 1 ? "" : await signIn(running, at);
    await callJson(running, "GET", "/api/system/facts", { token });
    for (let read = 0; read < readsOfAnHour; read += 1)
      await callJson(running, "GET", pages[read % pages.length] ?? "/", { token });
    await delay(idleMilliseconds);
    resident[side].push(running.memory().residentMiB);
    anonymous[side].push(running.memory().anonymousMiB);
  });
  return [
    ratioRow("resident memory after an hour's use / bare node:http", "MiB", resident, "≤ 1.38"),
    ratioRow("its anonymous part, after use", "MiB", anonymous),
  ];
}

export async function authenticatedRequests(at: Surroundings): Promise<Row> {
  const own = await start(agentOf(at.program), at.directory, at.node);
  const session = await signIn(own, at);
  const settings = await callJson(own, "GET", "/api/system", { token: session });
  const peer = await start(fastifyJwt(JSON.stringify(settings)), at.directory, at.node);
  const { access_token: peerToken } = await callJson(peer, "GET", "/token");
  const results = series();
  const rateOf = ({ port }: Running, token: string) =>
    requestsPerSecond(`http://127.0.0.1:${port}/api/system`, { authorization: `Bearer ${token}` });
  try {
    // The first turn of each warms it up and does not count.
    for (let round = 0; round <= loadRounds; round += 1) {
      const rates = [await rateOf(own, session), await rateOf(peer, String(peerToken))];
      if (round > 0) for (const [side, rate] of rates.entries()) results[side]?.push(rate);
    }
  } finally {
    await Promise.all([own.stop(), peer.stop()]);
  }
  return ratioRow("authenticated GET /api/system / fastify + @fastify/jwt", "req/s", results, "≥ 0.95");
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

const address = "127.0.0.1";

/**
 * MiB of anonymous memory that four authenticated servers may take. The other resident pages are those of Node's own file,
 * which the kernel shares and takes back.
 */
const mostMiB = 1.5;

/** Memory ten minutes after the start, of an agent that observes four of Debian's chronyd with NTS, and of one in plain. */
export async function memoryWithAuthenticatedTime(at: Surroundings): Promise<Row[]> {
  const directory = join(at.directory, "authenticated-time");
  mkdirSync(directory);
  const authority = createAuthority(directory);
  const nts = authority.certify(address);
  const chronyds = await Promise.all([1, 2, 3, 4].map(() => startChronyd({ nts })));
  const agents: Running[] = [];
  try {
    const secured = chronyds.map(({ ntsPort }) => ({ host: `${address}:${ntsPort}`, nts: true }));
    for (const servers of [secured, chronyds.map(({ port }) => `${address}:${port}`)]) {
      const place = join(directory, String(agents.length));
      mkdirSync(place);
      const [settings, hostFile] = [join(place, "settings.json"), join(place, "host.json")];
      writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers } }));
      writeFileSync(hostFile, JSON.stringify({ time: { ca_file: authority.path } }), { mode: 0o644 });
      agents.push(await start(agentOf(at.program, hostFile, settings), place, at.node));
    }
    await delay(lastingMilliseconds);
    const [own, peer] = agents.map((agent) => agent.memory());
    if (!own || !peer) throw new Error("two agents were started");
    const name = "four time servers with NTS / in plain, after 10 minutes";
    const anonymous: Series = [[own.anonymousMiB], [peer.anonymousMiB]];
    const isWithin = own.anonymousMiB - peer.anonymousMiB <= mostMiB;
    return [
      ratioRow(name, "MiB", [[own.residentMiB], [peer.residentMiB]]),
      {
        ...ratioRow("its anonymous part, with NTS", "MiB", anonymous),
        bound: `≤ + ${mostMiB} MiB`,
        isWithin,
      },
    ];
  } finally {
    await Promise.all([...agents, ...chronyds].map((one) => one.stop()));
  }
}

const commandRounds = 9;
/** In each round, so that the shell's milliseconds are fine enough. */
const times = 5;

/** Each is a process of its own, from its spawn to its end. */
const commands = { "--version": "≤ 1.30", "completion bash": "≤ 1.30", "user list": "≤ 2.00" };

/** Measures beside an agent that has one user. */
export async function commandLine(at: Surroundings): Promise<Row[]> {
  const running = await start(agentOf(at.program), at.directory, at.node);
  try {
    await signIn(running, at);
    const rows: Row[] = [];
    for (const [words, bound] of Object.entries(commands)) rows.push(...(await measure(at, words, bound)));
    return rows;
  } finally {
    await running.stop();
  }
}

async function measure({ node, program, directory }: Surroundings, words: string, bound: string) {
  const env = { ...process.env, STEWARD_SOCKET: join(directory, "run/steward.sock") };
  const [own, peer]: [Spent[], Spent[]] = [[], []];
  for (let round = 0; round < commandRounds; round += 1) {
    own.push(await spentBy([node, join(program, "main.js"), ...words.split(" ")], { env, times }));
    peer.push(await spentBy([node, "-e", "0"], { env, times }));
  }
  return timeRows(`steward ${words} / node -e 0`, [own, peer], bound);
}
