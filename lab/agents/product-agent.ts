import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import type { InProcessOptions } from "./agent-in-process.ts";
import { type CheckedAgent, startCheckedAgent } from "./checked-agent.ts";

export type ProductAgent = Awaited<ReturnType<typeof startProductAgent>>;

/** An agent for this host file's product, whose unit is the test's own process, as under `make run`. */
export async function startProductAgent(product: object, options: InProcessOptions = {}) {
  const hostFile = join(scratchDirectory(), "steward.json");
  writeFileSync(hostFile, JSON.stringify({ product: { units: ["pump.service"], ...product } }));
  const agent: CheckedAgent = await startCheckedAgent({ ...options, arguments: ["--host-file", hostFile] });
  const productSocket = join(agent.runDirectory, "product.sock");
  await until("the product is heard", () => existsSync(productSocket));
  /** A connection of the product: `heard` has its lines, of JSON. */
  const converse = async (...lines: readonly object[]) => {
    const socket = connect(productSocket);
    const heard: Record<string, unknown>[] = [];
    createInterface(socket).on("line", (line) => heard.push(JSON.parse(line)));
    await once(socket, "connect");
    for (const line of lines) socket.write(`${JSON.stringify(line)}\n`);
    return { heard, end: () => socket.destroy() };
  };
  return { ...agent, productSocket, converse };
}
