import { createReadStream } from "node:fs";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import type { Invocation } from "./command.ts";

/** The most that a command takes, and what to do with more. */
interface Bound {
  readonly maximumBytes: number;
  readonly advice: string;
}

/** The content of a file that the command line names; `-`: of standard input. Throws CommandError: 3, 4, 6. */
export async function bytesOf(
  { context }: Pick<Invocation, "context">,
  source: string,
  { maximumBytes, advice }: Bound,
): Promise<Buffer> {
  const stream = source === "-" ? context.stdin : createReadStream(source);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of stream) {
      parts.push(Buffer.from(part));
      bytes += parts.at(-1)?.length ?? 0;
      if (bytes > maximumBytes)
        throw new CommandError(
          6,
          escapeText(
            `${source} has more than ${maximumBytes} bytes, the most that one file may have. Nothing was changed. ${advice}`,
          ),
        );
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw fileFailure(error, source);
  }
  return Buffer.concat(parts);
}
