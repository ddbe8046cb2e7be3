import { CommandError } from "./command-error.ts";

/** Bytes. A password has at most 256 characters; a file given by mistake may have no line end. */
const lineLimit = 4096;

/** Lines of standard input, each read when it is asked for, so that a script can wait before it writes the next. */
export function createInputLines(stdin: NodeJS.ReadStream) {
  const chunks: AsyncIterator<Buffer> = stdin[Symbol.asyncIterator]();
  let bytes = Buffer.alloc(0);
  let hasEnded = false;
  const fill = async (): Promise<void> => {
    while (!hasEnded && !bytes.includes("\n") && bytes.length <= lineLimit) {
      const { value, done } = await chunks.next();
      if (done) hasEnded = true;
      else bytes = Buffer.concat([bytes, Buffer.from(value)]);
    }
  };
  return {
    /** Without its line end; undefined when the input has ended. Throws CommandError(6) for anything but a line of text. */
    next: async (): Promise<string | undefined> => {
      await fill();
      if (bytes.length === 0) return undefined;
      const end = bytes.indexOf("\n");
      if ((end === -1 ? bytes.length : end) > lineLimit) throw tooLong();
      const line = end === -1 ? bytes : bytes.subarray(0, end);
      bytes = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 1);
      return decode(line).replace(/\r$/, "");
    },
    /** Ends the reading: an input that is still open would keep the program alive. */
    close: (): void => void stdin.destroy(),
  };
}

/** All of standard input as text. Throws CommandError(6) for more than `limit` bytes, and for anything but UTF-8. */
export async function readWholeInput(stdin: NodeJS.ReadStream, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > limit) throw new CommandError(6, `Standard input has more than ${limit} bytes.`);
  }
  return decode(Buffer.concat(chunks));
}

function tooLong(): CommandError {
  return new CommandError(
    6,
    `A line of standard input has more than ${lineLimit} bytes; that is neither a password nor a code.`,
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(6, "Standard input is not UTF-8 text.");
  }
}
