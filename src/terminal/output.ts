import { systemErrorCode } from "../contract/errors.ts";
import { CommandError } from "./command-error.ts";
import { escapeLines, escapeText, safeJson, safeLine } from "./escape.ts";
import { describeFailure, failureDocument } from "./failure.ts";
import { type Fields, formatCell, formatFields, formatTable, type Table } from "./table.ts";

/**
 * The output of a command. `document`, in the shape of the API, is printed with `-o json`; the other arguments are
 * printed for people. Results go to standard output, remarks and errors to standard error.
 */
export type Output = ReturnType<typeof createOutput>;

interface OutputOptions {
  /** With `columns`, on a terminal, tables are cut to its width; the input of programs never is. */
  stdout: NodeJS.WritableStream & { readonly columns?: number | undefined };
  stderr: NodeJS.WritableStream;
  isJson: boolean;
  isQuiet: boolean;
  /** The word that starts the program, which failures begin with. */
  program: string;
}

export function createOutput({ stdout, stderr, isJson, isQuiet, program }: OutputOptions) {
  const print = (document: unknown, text: () => string) =>
    write(stdout, isJson ? `${safeJson(document)}\n` : text());
  const remark = async (text: string) => {
    if (!isQuiet) await write(stderr, `${escapeLines(text)}\n`);
  };
  return {
    table: (document: unknown, table: Table): Promise<void> =>
      print(document, () => formatTable(table, stdout.columns || undefined)),
    fields: (document: unknown, fields: Fields): Promise<void> => print(document, () => formatFields(fields)),
    /** One value on a line of its own, so that it can be captured. */
    value: (document: unknown, value: unknown): Promise<void> =>
      print(document, () => `${typeof value === "string" ? escapeText(value) : formatCell(value)}\n`),
    /** Several values, each on a line of its own. */
    values: (document: unknown, values: readonly string[]): Promise<void> =>
      print(document, () => values.map((one) => `${escapeText(one)}\n`).join("")),
    document: (document: unknown): Promise<void> => write(stdout, `${safeJson(document)}\n`),
    /** Text that the command has laid out and escaped; each line ends in a line feed. */
    report: (document: unknown, text: string): Promise<void> => print(document, () => text),
    /** One of many that come as they happen: a line of JSON, or the cells of one row. */
    line: (document: unknown, cells: readonly unknown[]): Promise<void> =>
      write(stdout, isJson ? `${safeLine(document)}\n` : `${cells.map(formatCell).join("  ")}\n`),
    /** After a change: the new state for programs, one sentence for people. */
    async changed(document: unknown, text: string): Promise<void> {
      if (isJson) await write(stdout, `${safeJson(document)}\n`);
      else await remark(text);
    },
    /** Text that is written as it is, whatever the format. */
    text: (text: string): Promise<void> => write(stdout, text),
    /** On standard error, unless `--quiet`. */
    remark,
    /** `inWords` makes the text of the agent's that a person reads one of the command line's. */
    failure: (error: unknown, inWords: (text: string) => string = (text) => text): Promise<void> =>
      write(
        stderr,
        isJson ? `${safeJson(failureDocument(error))}\n` : `${inWords(describeFailure(program, error))}\n`,
      ),
  };
}

/** Resolves when the text is handed over; a reader that has gone away (EPIPE) is not a failure. */
function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error || systemErrorCode(error) === "EPIPE" || systemErrorCode(error) === "ERR_STREAM_DESTROYED")
        resolve();
      else reject(new CommandError(1, `The output could not be written: ${error.message}.`));
    });
  });
}
