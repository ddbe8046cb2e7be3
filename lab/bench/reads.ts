/** Processor time of the reads that dashboards repeat, against fastify answering the same body. */
import { Agent, request } from "node:http";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { agentOf, fastifyJwt, type Running, start } from "./contestant.ts";
import { type Surroundings, signIn } from "./footprint.ts";
import { callJson } from "./requests.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

const rounds = 9;
/** Requests of one round. They follow one another, as those of dashboards do. */
const requests = 100;

/** The most that a read may take of what the peer takes, which only sends the text. */
const bound = { side: "most", value: 6 } as const;

const reads = ["/api/status", "/api/updates", "/api/events", "/api/metrics"];

export async function repeatedReads(at: Surroundings): Promise<Row[]> {
  const own = await start(agentOf(at.program), at.directory, at.node);
  try {
    const token = await signIn(own, at);
    await walk(own);
    const rows: Row[] = [];
    for (const path of reads) rows.push(await readRow(at, own, token, path));
    return rows;
  } finally {
    await own.stop();
  }
}

/** A stranger looks at every route, which makes the metrics as long as they get. */
async function walk(own: Running): Promise<void> {
  for (const id of operationIds) {
    const { method, path } = operationOf(id);
    const client = new Client(own.port, "");
    await client.read(path.replaceAll(/\{\w+\}/g, "x"), method);
    client.close();
  }
}

async function readRow(at: Surroundings, own: Running, token: string, path: string): Promise<Row> {
  const client = new Client(own.port, token);
  const peer = await start(fastifyJwt(await client.read(path)), at.directory, at.node);
  const { access_token: peerToken } = await callJson(peer, "GET", "/token");
  const peerClient = new Client(peer.port, String(peerToken));
  const results: Series = [[], []];
  try {
    // The first turn of each warms it up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      const cost = await costOf(own, () => client.read(path));
      const peerCost = await costOf(peer, () => peerClient.read("/api/system"));
      if (round === 0) continue;
      results[0].push(cost);
      results[1].push(peerCost);
    }
  } finally {
    client.close();
    peerClient.close();
    await peer.stop();
  }
  return ratioRow(`processor time of GET ${path} / fastify with its body`, "ms", results, bound);
}

/** Milliseconds of processor time for one request. */
async function costOf({ processorMilliseconds }: Running, read: () => Promise<string>): Promise<number> {
  const before = processorMilliseconds();
  for (let index = 0; index < requests; index += 1) await read();
  return (processorMilliseconds() - before) / requests;
}

/** One connection, which stays open. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #headers: Record<string, string>;

  constructor(port: number, token: string) {
    this.#port = port;
    this.#headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  }

  /** The text of the answer, whatever it is. */
  read(path: string, method = "GET"): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { port: this.#port, host: "127.0.0.1", path, method, agent: this.#agent };
      const sent = request({ ...options, headers: this.#headers });
      sent.once("error", reject);
      sent.once("response", (response) => {
        response
          .setEncoding("utf8")
          .toArray()
          .then((parts) => resolve(parts.join("")), reject);
      });
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
