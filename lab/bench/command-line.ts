/** The time of commands that shells and scripts run often, against bare Node. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { agentOf, start } from "./contestant.ts";
import { type Surroundings, signIn } from "./footprint.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

const rounds = 31;

/** Each is a process of its own, from its spawn to its end. */
const commands = [
  { words: ["--version"], most: 1.3 },
  { words: ["completion", "bash"], most: 1.3 },
  { words: ["user", "list"], most: 2.5 },
] as const;

/** Measures beside an agent that has one user. */
export async function commandLine(at: Surroundings): Promise<Row[]> {
  const running = await start(agentOf(at.program), at.directory, at.node);
  try {
    await signIn(running, at);
    return commands.map(({ words, most }) => {
      const what = `steward ${words.join(" ")} / node -e 0`;
      return ratioRow(what, "ms", measure(at, words), { side: "most", value: most });
    });
  } finally {
    await running.stop();
  }
}

function measure({ node, program, directory }: Surroundings, words: readonly string[]): Series {
  const environment = { ...process.env, STEWARD_SOCKET: join(directory, "run/steward.sock") };
  const times: Series = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, line] of [
      [join(program, "main.js"), ...words],
      ["-e", "0"],
    ].entries()) {
      const began = performance.now();
      execFileSync(node, line, { env: environment });
      times[index]?.push(performance.now() - began);
    }
  }
  return times;
}
