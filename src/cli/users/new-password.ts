import { CommandError } from "../../terminal/command-error.ts";
import type { Option } from "../../terminal/commands/command.ts";
import { createInputLines } from "../../terminal/input-lines.ts";
import { type Ask, withHiddenInput } from "../../terminal/prompt.ts";
import type { Invocation } from "../client/command.ts";

/** The ways to give a new password; a third one, the default, is the hidden prompt. Never an argument. */
export const newPasswordOptions: readonly Option[] = [
  {
    name: "password-stdin",
    excludes: "generate",
    summary: "take the password from the first line of standard input",
  },
  { name: "generate", summary: "generate a one-use password and print it" },
];

/** The password as it was given; undefined: the agent is to make a one-use one. */
export async function readNewPassword({ options, context }: Invocation): Promise<string | undefined> {
  if (options.has("generate")) return undefined;
  const { stdin } = context;
  if (options.has("password-stdin")) {
    if (!stdin.isTTY) return readFirstLine(stdin);
    throw new CommandError(
      2,
      "--password-stdin would show the password on this terminal. Leave it out: the password is then asked for without echo.",
    );
  }
  if (!stdin.isTTY) {
    throw new CommandError(
      2,
      "There is no terminal on which to ask for the password. Give it on standard input with --password-stdin, or let the agent generate a one-use password with --generate.",
    );
  }
  return withHiddenInput(context, askNewPassword);
}

/** Asked twice, because the input is not shown. Throws CommandError(6) when the two differ or are empty. */
export async function askNewPassword(ask: Ask, question = "New password: "): Promise<string> {
  const first = await ask(question);
  const second = await ask("The same again: ");
  if (first !== second) throw new CommandError(6, "The two entries differ; nothing was changed.");
  return notEmpty(first);
}

/** Throws CommandError(6) if it is empty. */
export async function readFirstLine(stdin: NodeJS.ReadStream): Promise<string> {
  const lines = createInputLines(stdin);
  try {
    return notEmpty(await lines.next());
  } finally {
    lines.close();
  }
}

/** Throws CommandError(6) if it is empty. */
export function notEmpty(password: string | undefined): string {
  if (password) return password;
  throw new CommandError(6, "The password or passphrase is empty; nothing was changed.");
}
