/** The cost of commands that shells and scripts run often, against bare Node, as processor time. */
import { join } from "node:path";
import { agentOf, start } from "./contestant.ts";
import { type Spent, spentBy, timeRows } from "./ended-processes.ts";
import { type Surroundings, signIn } from "./footprint.ts";
import type { Row } from "./row.ts";

const rounds = 9;
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
  for (let round = 0; round < rounds; round += 1) {
    own.push(await spentBy([node, join(program, "main.js"), ...words.split(" ")], { env, times }));
    peer.push(await spentBy([node, "-e", "0"], { env, times }));
  }
  return timeRows(`steward ${words} / node -e 0`, [own, peer], bound);
}
