/** Processor time of the reads that dashboards repeat, against that of the settings, which the agent has as a text. */

import { writeFileSync } from "node:fs";
import { Agent, type RequestOptions, request } from "node:http";
import { join } from "node:path";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { agentOf, type Running, start } from "./contestant.ts";
import { type Surroundings, signIn } from "./footprint.ts";
import { enter, ofPage, pageAt } from "./product.ts";
import { callJson } from "./requests.ts";
import { type Row, ratioRow } from "./row.ts";

const rounds = 10;
/** Rounds before these, which do not count: by then V8 has optimised what a dashboard repeats for hours. */
const warmUps = 5;
/** V8 optimises the same code differently from one process to the next, by up to a tenth. */
const processes = 3;
/** Requests of one round, and connections that make them: the agent is busy all the time, and a turn costs each its share. */
const requests = 600;
const connections = 20;

/** The first is what the others are compared with. */
const base = "/api/system";
const reads = [
  base,
  "/api/status",
  "/api/updates",
  "/api/events?limit=50",
  "/api/metrics",
  "/api/users?limit=100",
];

/** Users of the device, and changes of its settings: so many events that no page has all of them. */
const users = 100;
const changes = 200;

/** A page of a product, whose server asks about each request. */
const check = "/api/product/pages/pump/check";

/** Each read in turns with all the others. */
export async function repeatedReads(at: Surroundings): Promise<Row[]> {
  const costs = new Map<string, number[]>([...reads, check].map((path) => [path, []]));
  const hostFile = join(at.directory, "steward.json");
  writeFileSync(hostFile, JSON.stringify({ product: { pages: [pageAt("http://127.0.0.1:1")] } }));
  for (let turn = 0; turn < processes; turn += 1) {
    const own = await start(agentOf(at.program, hostFile), at.directory, at.node);
    try {
      // A stranger looks at every route, which makes the metrics as long as they get.
      for (const { method, path } of operationIds.map(operationOf))
        await send(own.port, path.replaceAll(/\{\w+\}/g, "x"), { method });
      if (turn === 0) await fill(join(at.directory, "run/steward.sock"));
      const token = await signIn(own, at);
      const headers = { authorization: `Bearer ${token}` };
      const visitor = { ...ofPage, "x-original-method": "GET", cookie: await enter(own, token) };
      for (let round = 0; round < warmUps + rounds; round += 1)
        for (const path of costs.keys()) {
          const cost = await costOf(own, path, { headers: path === check ? visitor : headers });
          if (round >= warmUps) costs.get(path)?.push(cost);
        }
    } finally {
      await own.stop();
    }
  }
  agent.destroy();
  const [own, ...others] = [...costs];
  return others.map(([path, series]) =>
    ratioRow(
      `processor time of GET ${path} / GET ${base}`,
      "µs",
      [series, own?.[1] ?? []],
      path === check ? "≤ 3.00" : "≤ 5.00",
    ),
  );
}

/** Root makes the users and the events. */
async function fill(socketPath: string): Promise<void> {
  const password = "five quite unrelated words here";
  for (let index = 0; index < users; index += 1) {
    const body = { username: `bench-${index}`, password, role: "operator" };
    await callJson({ socketPath }, "POST", "/api/users", { body });
  }
  for (let index = 0; index < changes; index += 1) {
    // Two settings in turns: the agent counts a change that repeats the one before.
    const name = `bench ${index}`;
    const body = index % 2 === 0 ? { device: { name } } : { console: { banner: name } };
    await callJson({ socketPath }, "PUT", "/api/system", { body });
  }
}

/** Microseconds of processor time for one request. */
async function costOf(
  { port, processorMilliseconds }: Running,
  path: string,
  options: RequestOptions,
): Promise<number> {
  const before = processorMilliseconds();
  let left = requests;
  const some = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const status = await send(port, path, options);
      if (status !== 200 && status !== 204) throw new Error(`GET ${path} was answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, some));
  return ((processorMilliseconds() - before) * 1_000) / requests;
}

/** Not fetch, which asks for gzip and costs the agent 50 µs more for each request. */
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** The status of the answer, which has been read. */
function send(port: number, path: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, agent, host: "127.0.0.1", port, path }, (answer) =>
      answer.resume().once("end", () => resolve(answer.statusCode)),
    );
    sent.once("error", reject).end();
  });
}
