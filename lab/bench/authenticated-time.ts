/** The cost of time servers with NTS, against the same servers in plain and against chronyd as the client. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createExchange } from "../../src/clock/ntp/exchange.ts";
import { NtsAssociation } from "../../src/clock/nts/association.ts";
import { createDatagrams } from "../../src/host/linux/network/datagrams.ts";
import { createKeyExchanges } from "../../src/host/linux/nts/key-exchange-process.ts";
import { until } from "../basics/until.ts";
import { type Authority, createAuthority } from "../host/certificates.ts";
import { type Chronyd, chronyProgram, startChronyd } from "../host/chronyd.ts";
import { clockAddon, hostClock } from "../host/host-clock.ts";
import { realTimers } from "../host/timers.ts";
import { agentOf, type Contestant, scratchDirectory, start } from "./contestant.ts";
import { spentBy } from "./ended-processes.ts";
import { lastingMilliseconds, type Surroundings } from "./footprint.ts";
import { callJson } from "./requests.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

const root = join(import.meta.dirname, "../..");
const address = "127.0.0.1";

/**
 * MiB of anonymous memory that four authenticated servers may take. The other resident pages are those of Node's own file,
 * which the kernel shares and takes back.
 */
const mostMiB = 1.5;

const syncRounds = 5;
const rounds = 20;
const exchanges = 400;
const clientRuns = 5;

interface Servers {
  readonly authority: Authority;
  readonly chronyds: readonly Chronyd[];
}

/** Gives `work` four of Debian's chronyd with NTS, and ends them after it. */
async function withServers<T>(directory: string, work: (servers: Servers) => Promise<T>): Promise<T> {
  const authority = createAuthority(directory);
  const nts = authority.certify(address);
  const chronyds = await Promise.all([1, 2, 3, 4].map(() => startChronyd({ nts })));
  try {
    return await work({ authority, chronyds });
  } finally {
    await Promise.all(chronyds.map((chronyd) => chronyd.stop()));
  }
}

/** The agent that observes these servers, with NTS or in plain. Puts its settings and host file into `directory`. */
function observing(
  program: string,
  directory: string,
  { authority, chronyds }: Servers,
  nts: boolean,
): Contestant {
  mkdirSync(directory, { recursive: true });
  const servers = chronyds.map(({ port, ntsPort }) =>
    nts ? { host: `${address}:${ntsPort}`, nts } : `${address}:${port}`,
  );
  const [settings, hostFile] = [join(directory, "settings.json"), join(directory, "host.json")];
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers } }));
  writeFileSync(hostFile, JSON.stringify({ time: { ca_file: authority.path } }), { mode: 0o644 });
  return agentOf(program, hostFile, settings);
}

/** Memory ten minutes after the start, with four servers with NTS and with the same in plain. */
export async function memoryWithAuthenticatedTime({ node, program, directory: parent }: Surroundings) {
  const directory = join(parent, "authenticated-time");
  mkdirSync(directory);
  return withServers(directory, async (servers): Promise<Row[]> => {
    const agents = await Promise.all(
      [true, false].map((nts) => {
        const place = join(directory, nts ? "nts" : "plain");
        return start(observing(program, place, servers, nts), place, node);
      }),
    );
    try {
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
      await Promise.all(agents.map((agent) => agent.stop()));
    }
  });
}

/** From the start of the process until it knows the time from four servers with NTS, each answering once. */
export async function firstSync({ node, program, directory: parent }: Surroundings): Promise<Row> {
  const directory = join(parent, "first-sync");
  mkdirSync(directory);
  return withServers(directory, async (servers) => {
    const series: Series = [[], []];
    for (let round = 0; round < syncRounds; round += 1) {
      const place = join(directory, String(round));
      const begun = performance.now();
      const agent = await start(observing(program, place, servers, true), place, node);
      try {
        await untilAuthenticated(join(place, "run/steward.sock"));
        series[0].push(performance.now() - begun);
      } finally {
        await agent.stop();
      }
      series[1].push((await client(servers.chronyds, servers.authority)).wall);
    }
    return ratioRow("start to authenticated time, four servers / chronyd -Q", "ms", series);
  });
}

async function untilAuthenticated(socketPath: string): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const { authenticated } = await callJson({ socketPath }, "GET", "/api/system/time-sync");
    if (authenticated === true) return;
    await delay(10);
  }
  throw new Error("the agent has no authenticated time after half a minute");
}

/** One run of chronyd that measures the clock by one sample of each server, and ends. */
async function client(chronyds: readonly Chronyd[], authority: Authority | null) {
  const { path, remove } = scratchDirectory();
  try {
    const servers = chronyds.map(({ port, ntsPort }) => {
      const how = authority === null ? "" : `nts ntsport ${ntsPort}`;
      return `server ${address} port ${port} ${how} iburst maxsamples 1`;
    });
    const spent = await spentBy([
      ...[chronyProgram("chronyd"), "-Q", "-x", "-U", "-t", "20", ...servers],
      ...(authority === null ? [] : [`ntstrustedcerts ${authority.path}`]),
      ...["cmdport 0", "bindcmdaddress /", `pidfile ${path}/chronyd.pid`, "user root"],
    ]);
    if (!/System clock wrong by/.test(spent.stderr))
      throw new Error(`chronyd -Q said nothing of the clock: ${spent.stderr}`);
    return spent;
  } finally {
    remove();
  }
}

/**
 * Processor time of one key exchange of a round of four, openssl and the start of their process included, and of one exchange
 * of packets, on this runtime.
 */
export async function authenticationRows(): Promise<Row[]> {
  const { path: directory, remove } = scratchDirectory();
  try {
    return await withServers(directory, async ({ authority, chronyds }) => {
      const associations = associate(directory, authority, chronyds);
      const [chronyd, association] = [chronyds[0], associations[0]];
      if (!chronyd || !association) throw new Error("a server is needed");
      const children = childrenOf();
      const perRound = await millisecondsOf(rounds, async () => {
        const ended = await Promise.all(associations.map((one) => one.confirm(Date.now() / 1_000)));
        for (const failed of ended) if (failed) throw new Error(failed.failure);
        // Only then its processor time is this one's.
        await until("the process of the key exchanges has ended", () => childrenOf() === children);
      });
      const perKeyExchange = perRound / associations.length;
      const perClient = await clientMilliseconds(chronyd, authority);
      const exchange = plainExchange();
      const ask = async (seal?: NtsAssociation["seal"]) => {
        const outcome = await exchange({ address, port: chronyd.port }, seal);
        if (outcome.kind !== "sample") throw new Error(`no sample: ${JSON.stringify(outcome)}`);
      };
      const series: Series = [[], []];
      for (let turn = 0; turn < clientRuns; turn += 1) {
        series[0].push(1_000 * (await millisecondsOf(exchanges, () => ask(association.seal))));
        series[1].push(1_000 * (await millisecondsOf(exchanges, () => ask())));
      }
      return [
        ratioRow("processor time of a key exchange / chronyd", "ms", [[perKeyExchange], [perClient]]),
        ratioRow("processor time of an exchange with NTS / in plain", "µs", series),
      ];
    });
  } finally {
    remove();
  }
}

/** Associations with these servers, whose key exchanges have a process for each round. */
function associate(
  directory: string,
  { path: caFile }: Authority,
  chronyds: readonly Chronyd[],
): NtsAssociation[] {
  const program = { node: process.execPath, script: join(root, "dist/nts-key-exchange.js") };
  const own = process.getuid?.();
  const { exchange } = createKeyExchanges({ ...program, directory, caFile, own, idleMilliseconds: 1 });
  return chronyds.map(
    ({ ntsPort }) =>
      new NtsAssociation(
        { host: address, port: ntsPort ?? 0 },
        {
          exchangeKeys: exchange,
          resolve: async (host) => [host],
          isLocalAddress: () => false,
          monotonic: () => hostClock.read().monotonicSeconds,
          random: randomBytes,
        },
      ),
  );
}

/** The numbers of this process's children. */
function childrenOf(): string {
  return readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
}

function plainExchange() {
  return createExchange({
    driver: hostClock,
    datagrams: createDatagrams(clockAddon),
    timers: realTimers,
    pivotSeconds: Date.now() / 1_000,
    mostDistanceSeconds: () => 1.5,
    randomNonce: () => randomBytes(8),
  });
}

/** Seconds of this process and of the children that it waited for, from proc(5): utime, stime, cutime, cstime. */
function ownProcessorSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "");
  const ticks = fields.split(" ").slice(11, 15).map(Number);
  // USER_HZ is 100 on every Linux.
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

/** Processor time of one turn, with that of the processes that it started. */
async function millisecondsOf(turns: number, work: () => Promise<void>): Promise<number> {
  await work();
  const begun = ownProcessorSeconds();
  for (let turn = 0; turn < turns; turn += 1) await work();
  return (1_000 * (ownProcessorSeconds() - begun)) / turns;
}

/** A run of chronyd with one key exchange and one packet, less a run with a plain packet. */
async function clientMilliseconds(chronyd: Chronyd, authority: Authority): Promise<number> {
  let sum = 0;
  for (let run = 0; run < clientRuns; run += 1) {
    sum += (await client([chronyd], authority)).processor - (await client([chronyd], null)).processor;
  }
  return sum / clientRuns;
}
