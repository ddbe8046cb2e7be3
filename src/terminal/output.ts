import { systemErrorCode } from "../contract/errors.ts";
import { CommandError } from "./command-error.ts";
import { escapeLines, escapeText, safeJson, safeLine } from "./escape.ts";
import { describeFailure, failureDocument } from "./failure.ts";
import { type Fields, formatCell, formatFields, formatTable, type Table } from "./table.ts";

/**
 * The output of a command. `document`, in the shape of the API, is printed with `-o json`; the other arguments are
 * printed for people. Results go to standard output, remarks and errors to standard error.
 */
export interface Output {
  table(document: unknown, table: Table): Promise<void>;
  fields(document: unknown, fields: Fields): Promise<void>;
  /** One value on a line of its own, so that it can be captured. */
  value(document: unknown, value: unknown): Promise<void>;
  /** Several values, each on a line of its own. */
  values(document: unknown, values: readonly string[]): Promise<void>;
  document(document: unknown): Promise<void>;
  /** Text that the command has laid out and escaped; each line ends in a line feed. */
  report(document: unknown, text: string): Promise<void>;
  /** One of many that come as they happen: a line of JSON, or the cells of one row. */
  line(document: unknown, cells: readonly unknown[]): Promise<void>;
  /** After a change: the new state for programs, one sentence for people. */
  changed(document: unknown, remark: string): Promise<void>;
  /** Text that is written as it is, whatever the format. */
  text(text: string): Promise<void>;
  /** On standard error, unless `--quiet`. */
  remark(text: string): Promise<void>;
  /** `inWords` makes the text of the agent's that a person reads one of the command line's. */
  failure(error: unknown, inWords?: (text: string) => string): Promise<void>;
}

interface OutputOptions {
  /** With `columns`, on a terminal, tables are cut to its width; the input of programs never is. */
  stdout: NodeJS.WritableStream & { readonly columns?: number | undefined };
  stderr: NodeJS.WritableStream;
  isJson: boolean;
  isQuiet: boolean;
  /** The word that starts the program, which failures begin with. */
  program: string;
}

export function createOutput({ stdout, stderr, isJson, isQuiet, program }: OutputOptions): Output {
  const print = (document: unknown, text: () => string) =>
    write(stdout, isJson ? `${safeJson(document)}\n` : text());
  const remark = async (text: string) => {
    if (!isQuiet) await write(stderr, `${escapeLines(text)}\n`);
  };
  return {
    table: (document, table) => print(document, () => formatTable(table, stdout.columns || undefined)),
    fields: (document, fields) => print(document, () => formatFields(fields)),
    value: (document, value) =>
      print(document, () => `${typeof value === "string" ? escapeText(value) : formatCell(value)}\n`),
    values: (document, values) => print(document, () => values.map((one) => `${escapeText(one)}\n`).join("")),
    document: (document) => write(stdout, `${safeJson(document)}\n`),
    report: (document, text) => print(document, () => text),
    line: (document, cells) =>
      write(stdout, isJson ? `${safeLine(document)}\n` : `${cells.map(formatCell).join("  ")}\n`),
    async changed(document, text) {
      if (isJson) await write(stdout, `${safeJson(document)}\n`);
      else await remark(text);
    },
    text: (text) => write(stdout, text),
    remark,
    failure: (error, inWords = (text) => text) =>
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
