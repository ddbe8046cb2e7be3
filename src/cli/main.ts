import { runProgram } from "../terminal/commands/run.ts";
import { createAgentClient } from "./client/connect.ts";
import type { CommandContext } from "./client/context.ts";
import { choosePlaces } from "./client/places.ts";
import { tableFor } from "./command-table.ts";

/** Runs one command line (without node and script) and returns its exit code; the caller handles `serve`. */
export async function runCommandLine(argv: readonly string[], context: CommandContext): Promise<number> {
  return runProgram(argv, await tableFor(argv), context, async (command, invocation) => {
    const { options, output } = invocation;
    const places = choosePlaces(options, context.environment);
    const worksOffline = command.worksOffline === true;
    const client = createAgentClient({ places, context, worksOffline, remark: output.remark });
    try {
      await command.run({ ...invocation, context, places, client });
    } finally {
      await client.close();
    }
  });
}
