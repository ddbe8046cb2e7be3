/** The command line as a process, in the world of this room's tests. */
import { runCommandLine } from "../../src/cli/main.ts";
import { exampleContext } from "./example-context.ts";

const { stdin, stdout, stderr } = process;
const interruption = (): AbortSignal => {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  return interrupted.signal;
};
const streams = { stdin, stdout, stderr, interruption };
process.exitCode = await runCommandLine(process.argv.slice(2), exampleContext(streams, process.env));
// Node would give the terminal back at the exit; the prompt is to do it when it is done.
if (process.stdin.isRaw) process.exitCode = 97;
