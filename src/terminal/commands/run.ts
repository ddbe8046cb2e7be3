import { CommandError, OnlyExitCode, UsageError } from "../command-error.ts";
import { exitCodeOf } from "../failure.ts";
import { createOutput } from "../output.ts";
import type { Command, CommandTable, Invocation, ProgramContext } from "./command.ts";
import { readRequest, splitLine } from "./command-line.ts";
import { inTypedWords } from "./typed-words.ts";
import { commandUsage } from "./usage.ts";

/**
 * Runs one command line (without node and script) and returns its exit code. `perform` runs the command that it asks for;
 * a program gives one to add what it has for its commands besides the terminal.
 */
export async function runProgram<Row extends Command>(
  argv: readonly string[],
  table: CommandTable<Row>,
  context: ProgramContext,
  perform: (command: Row, invocation: Invocation) => Promise<void> = (command, invocation) =>
    command.run(invocation),
): Promise<number> {
  // Each write reports its own failure; without a listener a closed pipe would crash the process.
  context.stdout.on("error", () => {});
  context.stderr.on("error", () => {});
  const { program } = table;
  const line = splitLine(argv, table);
  const { options } = line;
  const isJson = options.text("output") === "json";
  const { stdout, stderr } = context;
  const output = createOutput({ stdout, stderr, isJson, isQuiet: options.has("quiet"), program });
  let chosen: Row | undefined;
  try {
    const request = readRequest(line, table);
    if (request.kind === "help") await output.text(request.text);
    else if (request.kind === "version") await output.text(`${program} ${context.program.version}\n`);
    else {
      const { command, positionals } = request;
      chosen = command;
      await perform(command, { program, typed: argv, positionals, options, context, output });
    }
    return 0;
  } catch (error) {
    if (error instanceof OnlyExitCode) return error.exitCode;
    const command = chosen;
    if (command === undefined) await output.failure(error);
    else await output.failure(withUsage(error, table, command), (text) => inTypedWords(text, command));
    return exitCodeOf(error);
  }
}

function withUsage(error: unknown, table: CommandTable, command: Command): unknown {
  if (!(error instanceof UsageError)) return error;
  return new CommandError(error.exitCode, `${error.message}\n${commandUsage(table, command)}`);
}
