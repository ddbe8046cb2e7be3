import { textOf } from "../contract/text/text-of.ts";
import { CommandError } from "./command-error.ts";
import { noText } from "./given-text.ts";

/** Bytes. A password has at most 256 characters; a file given by mistake may have no line end. */
const lineLimit = 4096;

/** Lines of standard input, each read when it is asked for, so that a script can wait before it writes the next. */
export function createInputLines(stdin: NodeJS.ReadStream) {
  const chunks: AsyncIterator<Buffer> = stdin[Symbol.asyncIterator]();
  /** The bytes that were read and not given yet, as Latin-1. */
  let rest = "";
  let [line, hasEnded, isBehindReturn] = [0, false, false];
  const read = (bytes: string): string =>
    textOf(Buffer.from(bytes, "latin1"), { refuse: (why) => noText("Standard input", why), line });
  const fill = async (): Promise<void> => {
    // UTF-16 comes from a file, which has an end; a program that waits for an answer writes UTF-8.
    const isUtf16 = () => line === 0 && /^(\xff|\xfe)/.test(rest);
    while (!hasEnded && rest.length <= lineLimit && (isUtf16() || !/[\r\n]/.test(rest))) {
      const { value, done } = await chunks.next();
      if (done) hasEnded = true;
      else rest += Buffer.from(value).toString("latin1");
      if (isBehindReturn) rest = rest.replace(/^\n/, "");
      isBehindReturn = false;
    }
    if (isUtf16()) rest = Buffer.from(read(rest)).toString("latin1");
  };
  return {
    /** Without its line end; undefined when the input has ended. Throws CommandError(6) for anything but a line of text. */
    next: async (): Promise<string | undefined> => {
      await fill();
      if (rest === "") return undefined;
      const [all = "", content = "", end] = /^([^\r\n]*)(\r\n|\r|\n)?/.exec(rest) ?? [];
      if (content.length > lineLimit) throw tooLong();
      rest = rest.slice(all.length);
      isBehindReturn = end === "\r" && rest === "";
      line += 1;
      return read(content);
    },
    /** Ends the reading: an input that is still open would keep the program alive. */
    close: (): void => void stdin.destroy(),
  };
}

function tooLong(): CommandError {
  return new CommandError(
    6,
    `A line of standard input has more than ${lineLimit} bytes; that is neither a password nor a code.`,
  );
}
