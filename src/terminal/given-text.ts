import { createReadStream } from "node:fs";
import { type Encoding, textOf } from "../contract/text/text-of.ts";
import { CommandError } from "./command-error.ts";
import { escapeText } from "./escape.ts";
import { fileFailure } from "./failure.ts";

interface Bound {
  /** The most that a command takes. */
  readonly maximumBytes?: number;
  /** The advice where there is more. */
  readonly advice?: string;
  /** The encoding of what is not UTF-8. */
  readonly otherwise?: Encoding;
}

/** More than a person writes into a file of settings, keys or notes. */
const usualBytes = 1024 * 1024;

/**
 * The text of a file that the command line names, or of standard input (docs/command-line.md). Throws CommandError: 1, 3, 4, 6.
 */
export async function givenText(source: string | NodeJS.ReadStream, bound: Bound = {}): Promise<string> {
  const { maximumBytes = usualBytes, advice, otherwise } = bound;
  const isFile = typeof source === "string";
  const name = isFile ? source : "Standard input";
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of isFile ? createReadStream(source) : source) {
      parts.push(Buffer.from(part));
      bytes += parts.at(-1)?.length ?? 0;
      if (bytes > maximumBytes)
        throw noText(name, `has more than ${maximumBytes} bytes, the most that it may have`, advice);
    }
  } catch (error) {
    throw error instanceof CommandError ? error : fileFailure(error, name);
  }
  return textOf(Buffer.concat(parts), { refuse: (why) => noText(name, why), otherwise });
}

/** The lines of such a file without comments, and without those that are blank then. */
export async function givenLines(path: string): Promise<string[]> {
  const lines = (await givenText(path)).split("\n");
  return lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "");
}

/** The error for a file or stream of this name. */
export function noText(name: string, why: string, advice = ""): CommandError {
  return new CommandError(6, escapeText(`${name} ${why}. Nothing was changed. ${advice}`.trimEnd()));
}
