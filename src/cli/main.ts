import { createAgentClient } from "./client/connect.ts";
import { type CommandContext, OnlyExitCode } from "./client/context.ts";
import { exitCodeOf } from "./client/failure.ts";
import { choosePlaces } from "./client/places.ts";
import { commands } from "./command-table.ts";
import type { Command, Invocation } from "./framework/command.ts";
import { readRequest, type SplitLine, splitLine } from "./framework/command-line.ts";
import { inTypedWords } from "./framework/typed-words.ts";
import { createOutput } from "./terminal/output.ts";

/** Runs one command line (without node and script) and returns its exit code; the caller handles `serve`. */
export async function runCommandLine(argv: readonly string[], context: CommandContext): Promise<number> {
  // Each write reports its own failure; without a listener a closed pipe would crash the process.
  context.stdout.on("error", () => {});
  context.stderr.on("error", () => {});
  const line = splitLine(argv, commands);
  const output = createOutput({
    stdout: context.stdout,
    stderr: context.stderr,
    isJson: line.options.text("output") === "json",
    isQuiet: line.options.has("quiet"),
  });
  const chosen: { command?: Command } = {};
  try {
    await perform(line, { typed: argv, context, output }, chosen);
    return 0;
  } catch (error) {
    const { command } = chosen;
    const inWords = (text: string): string => (command === undefined ? text : inTypedWords(text, command));
    if (!(error instanceof OnlyExitCode)) await output.failure(error, inWords);
    return exitCodeOf(error);
  }
}

async function perform(
  line: SplitLine,
  call: Pick<Invocation, "typed" | "context" | "output">,
  chosen: { command?: Command },
): Promise<void> {
  const { context, output } = call;
  const request = readRequest(line, commands);
  switch (request.kind) {
    case "help":
      return output.text(request.text);
    case "version":
      return output.text(`steward ${context.program.version}\n`);
    case "command": {
      const { command, positionals } = request;
      chosen.command = command;
      const places = choosePlaces(line.options, context.environment);
      const worksOffline = command.worksOffline === true;
      const client = createAgentClient({ places, context, worksOffline, remark: output.remark });
      try {
        return await command.run({ ...call, positionals, options: line.options, places, client });
      } finally {
        await client.close();
      }
    }
  }
}
