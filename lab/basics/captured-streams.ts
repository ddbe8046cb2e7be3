import { PassThrough } from "node:stream";
import type { ProgramContext } from "../../src/terminal/commands/command.ts";

/** A command line ended with this code, and wrote these outputs. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Its streams, none of which is a terminal. */
export type Streams = Pick<ProgramContext, "stdin" | "stdout" | "stderr" | "interruption">;

/** Runs a command line of this process on streams of memory; `input` is all that it is given to read. */
export async function capture(
  input: string | Uint8Array,
  run: (streams: Streams) => Promise<number>,
): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const texts = Promise.all([stdout, stderr].map((stream) => stream.setEncoding("utf8").toArray()));
  const code = await run({
    // The commands use only these members of a terminal's streams, and see by `isTTY` that these are none.
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    interruption: () => new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  const [out = [], err = []] = await texts;
  return { code, stdout: out.join(""), stderr: err.join("") };
}
