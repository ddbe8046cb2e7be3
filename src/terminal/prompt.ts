import { createInterface } from "node:readline";
import { CommandError } from "./command-error.ts";
import { escapeText } from "./escape.ts";

export interface Terminal {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
}

const interrupt = "\u0003";
const endOfInput = "\u0004";
const eraseLine = "\u0015";
const escapeKey = "\u001b";
/** ECMA-48 control sequences, as arrow and function keys send them: they are not part of a password. */
const keySequence = new RegExp(`${escapeKey}(\\[[0-?]*[ -/]*[@-~]|O.|.)?`, "gu");

/** Asks one question; names in it, which strangers may have chosen, are made safe for the terminal. */
export type Ask = (question: string) => Promise<string>;

/** Asks without echo, as often as `use` needs. Ctrl-C, and Ctrl-D before anything was typed, throw CommandError(130). */
export async function withHiddenInput<T>(
  { stdin, stderr }: Terminal,
  use: (ask: Ask) => Promise<T>,
): Promise<T> {
  const chunks: AsyncIterator<Buffer> = stdin.iterator({ destroyOnReturn: false });
  const decoder = new TextDecoder();
  const keys: string[] = [];
  const nextKey = async () => {
    while (keys.length === 0) {
      const { value, done } = await chunks.next();
      if (done) return endOfInput;
      keys.push(...decoder.decode(value, { stream: true }).replace(keySequence, ""));
    }
    return keys.shift() ?? endOfInput;
  };
  stdin.setRawMode(true);
  try {
    return await use(async (question) => {
      stderr.write(escapeText(question));
      try {
        return await readLine(nextKey);
      } finally {
        stderr.write("\n");
      }
    });
  } finally {
    stdin.setRawMode(false);
    await chunks.return?.();
    stdin.pause();
  }
}

/** Asks a question that is answered with y or yes; anything else is no. Ctrl-C and Ctrl-D throw CommandError(130). */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await askLine(terminal, `${question} [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

/** Asks for text that may be seen while it is typed. Ctrl-C and Ctrl-D throw CommandError(130). */
export async function askLine({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      const stop = () => reject(interrupted());
      lines.on("SIGINT", stop).on("close", stop);
      lines.question(escapeText(question), resolve);
    });
  } finally {
    lines.close();
  }
}

async function readLine(nextKey: () => Promise<string>): Promise<string> {
  let typed: string[] = [];
  for (;;) {
    const key = await nextKey();
    switch (key) {
      case "\r":
      case "\n":
        return typed.join("");
      case interrupt:
        throw interrupted();
      case endOfInput:
        if (typed.length === 0) throw interrupted();
        return typed.join("");
      case "\b":
      case "\u007f":
        typed.pop();
        break;
      case eraseLine:
        typed = [];
        break;
      default:
        if (!/\p{Cc}/u.test(key)) typed.push(key);
    }
  }
}

function interrupted(): CommandError {
  return new CommandError(130, "Interrupted; nothing was changed.");
}
