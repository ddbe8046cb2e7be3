/** Processor time of the reads that dashboards repeat, against that of the settings, which the agent has as a text. */
import { join } from "node:path";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { agentOf, type Running, start } from "./contestant.ts";
import { type Surroundings, signIn } from "./footprint.ts";
import { callJson } from "./requests.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

const rounds = 10;
/** Rounds before these, which do not count: by then V8 has optimised what a dashboard repeats for hours. */
const warmUps = 5;
/** V8 optimises the same code differently from one process to the next, by up to a tenth. */
const processes = 3;
/** Requests of one round, and connections that make them: the agent is busy all the time, and a turn costs each its share. */
const requests = 600;
const connections = 20;

/** The most that a read may take of what the settings take. */
const bound = { side: "most", value: 4 } as const;

/** The first is what the others are compared with. */
const reads = [
  "/api/system",
  "/api/status",
  "/api/updates",
  "/api/events?limit=50",
  "/api/metrics",
  "/api/users?limit=100",
] as const;

/** Users of the device, and changes of its settings: so many events that no page has all of them. */
const users = 100;
const changes = 200;

/** Each read in turns with all the others. */
export async function repeatedReads(at: Surroundings): Promise<Row[]> {
  const costs = new Map<string, number[]>(reads.map((path) => [path, []]));
  for (let turn = 0; turn < processes; turn += 1) {
    const own = await start(agentOf(at.program), at.directory, at.node);
    try {
      await walk(own);
      if (turn === 0) await fill(at);
      await measure(own, await signIn(own, at), costs);
    } finally {
      await own.stop();
    }
  }
  const [base, ...others] = reads;
  return others.map((path) => {
    const series: Series = [costs.get(path) ?? [], costs.get(base) ?? []];
    return ratioRow(`processor time of GET ${path} / GET ${base}`, "µs", series, bound);
  });
}

/** Adds what each read costs in this process. */
async function measure(own: Running, token: string, costs: ReadonlyMap<string, number[]>): Promise<void> {
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const path of reads) {
      const cost = await costOf(own, async () => {
        const status = await send(own.port, path, "GET", token);
        if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
      });
      if (round >= warmUps) costs.get(path)?.push(cost);
    }
  }
}

/** Root makes the users and the events. */
async function fill({ directory }: Surroundings): Promise<void> {
  const root = { socketPath: join(directory, "run/steward.sock") };
  for (let index = 0; index < users; index += 1) {
    const body = {
      username: `bench-${index}`,
      password: "five quite unrelated words here",
      role: "operator",
    };
    await callJson(root, "POST", "/api/users", { body });
  }
  for (let index = 0; index < changes; index += 1) {
    // Two settings in turns: the agent counts a change that repeats the one before.
    const name = `bench ${index}`;
    const body = index % 2 === 0 ? { device: { name } } : { console: { banner: name } };
    await callJson(root, "PUT", "/api/system", { body });
  }
}

/** A stranger looks at every route, which makes the metrics as long as they get. */
async function walk(own: Running): Promise<void> {
  for (const id of operationIds) {
    const { method, path } = operationOf(id);
    await send(own.port, path.replaceAll(/\{\w+\}/g, "x"), method);
  }
}

/** Microseconds of processor time for one request. */
async function costOf({ processorMilliseconds }: Running, read: () => Promise<void>): Promise<number> {
  const before = processorMilliseconds();
  let left = requests;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await read();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return ((processorMilliseconds() - before) * 1_000) / requests;
}

/** The status of the answer, which has been read. Without a token it is a stranger's. */
async function send(port: number, path: string, method: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  await answer.arrayBuffer();
  return answer.status;
}
