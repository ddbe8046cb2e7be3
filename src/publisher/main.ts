/** The program steward-publisher: one of its commands, as a process. */
import { runProgram } from "../terminal/commands/run.ts";
import { end, fail } from "../terminal/ending.ts";
import { commandTable } from "./command-table.ts";

/** JSON that the build writes in; a program that runs from its sources has no version. */
declare const STEWARD_BUILD: string | undefined;
const version = typeof STEWARD_BUILD === "undefined" ? "0.0.0-source" : JSON.parse(STEWARD_BUILD).version;

process.title = commandTable.program;
// Private keys and drafts belong to this user only; what is published gets its mode when it is written.
process.umask(0o077);
// Node would open its debugger, to which every program on this machine could then connect.
process.on("SIGUSR1", () => undefined);

const { stdin, stdout, stderr } = process;
const interruption = (): AbortSignal => {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  return interrupted.signal;
};
const context = { stdin, stdout, stderr, interruption, program: { version } };
runProgram(process.argv.slice(2), commandTable, context).then(end, (error) =>
  fail(error, commandTable.program),
);
