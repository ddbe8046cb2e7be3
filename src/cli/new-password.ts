import type { Invocation, Option } from "./command.ts";
import { CommandError } from "./context.ts";
import { withHiddenInput } from "./prompt.ts";

/** The ways to give a new password; a third one, the default, is the hidden prompt. Never an argument. */
export const newPasswordOptions: readonly Option[] = [
  {
    name: "password-stdin",
    excludes: "generate",
    summary: "take the password from the first line of standard input",
  },
  { name: "generate", summary: "let the agent make a one-use password and print it" },
];

/** Bytes; a password has at most 256 characters, and a file named by mistake may have no line end. */
const firstLineLimit = 4096;

/** The password as it was given; undefined: the agent is to make a one-use one. */
export async function readNewPassword({ options, context }: Invocation): Promise<string | undefined> {
  if (options.has("generate")) return undefined;
  const { stdin } = context;
  if (options.has("password-stdin")) {
    if (!stdin.isTTY) return readFirstLine(stdin);
    throw new CommandError(
      2,
      "--password-stdin would show the password here; leave it out to be asked without echo.",
    );
  }
  if (!stdin.isTTY) {
    throw new CommandError(
      2,
      "There is no terminal to ask for the password on. Give it on standard input with --password-stdin, or let the agent make a one-use password with --generate.",
    );
  }
  const [first, second] = await withHiddenInput(context, async (ask) => [
    await ask("New password: "),
    await ask("The same again: "),
  ]);
  if (first !== second) throw new CommandError(6, "The two entries differ; nothing was changed.");
  return notEmpty(first);
}

async function readFirstLine(stdin: NodeJS.ReadStream): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stdin) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.includes("\n") || bytes.length > firstLineLimit) break;
  }
  const end = bytes.indexOf("\n");
  if (end === -1 && bytes.length > firstLineLimit) {
    throw new CommandError(
      6,
      `The first line of standard input has more than ${firstLineLimit} bytes; that is no password.`,
    );
  }
  return notEmpty(decode(end === -1 ? bytes : bytes.subarray(0, end)).replace(/\r$/, ""));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(6, "The first line of standard input is not UTF-8 text.");
  }
}

function notEmpty(password: string | undefined): string {
  if (password) return password;
  throw new CommandError(6, "The password is empty; nothing was changed.");
}
