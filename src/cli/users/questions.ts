import { CommandError } from "../../terminal/command-error.ts";
import type { Invocation, Option } from "../../terminal/commands/command.ts";
import { escapeText } from "../../terminal/escape.ts";
import { createInputLines } from "../../terminal/input-lines.ts";
import { type Ask, withHiddenInput } from "../../terminal/prompt.ts";

/** For commands that ask users for their password: all answers come from standard input. */
export const answersOption: Option = {
  name: "password-stdin",
  summary: "read the answers from standard input, one on each line: first the password, then codes",
};

/** Asks for passwords and codes: on the terminal without echo, or as lines of standard input. */
export interface Questions {
  /** There is a terminal: its user can wait for a code and give a new password. */
  readonly isPerson: boolean;
  /** Throws CommandError: 2 without a terminal or such an option, 6 for no answer, 130 for Ctrl-C. */
  readonly ask: Ask;
  close(): void;
}

/** Nothing is read before the first question. */
export function createQuestions({ options, context }: Pick<Invocation, "options" | "context">): Questions {
  const { stdin } = context;
  if (options.has("password-stdin") || options.has("code-stdin")) {
    if (!stdin.isTTY) return lineQuestions(stdin);
    throw new CommandError(
      2,
      "Standard input is a terminal, which would show the password. Without --password-stdin and --code-stdin it is asked for without echo.",
    );
  }
  if (!stdin.isTTY) {
    throw new CommandError(
      2,
      "There is no terminal to ask for password and code on. Give them on standard input with --password-stdin, one on each line.",
    );
  }
  return {
    isPerson: true,
    ask: async (question) => {
      const answer = await withHiddenInput(context, (ask) => ask(question));
      return answered(answer, question);
    },
    close: () => undefined,
  };
}

function lineQuestions(stdin: NodeJS.ReadStream): Questions {
  const lines = createInputLines(stdin);
  return {
    isPerson: false,
    ask: async (question) => answered(await lines.next(), question),
    close: lines.close,
  };
}

function answered(answer: string | undefined, question: string): string {
  if (answer) return answer;
  const asked = escapeText(question.replace(/[: ]+$/, ""));
  if (answer === undefined) throw new CommandError(6, `Standard input ended before this answer: ${asked}.`);
  throw new CommandError(6, `The answer is empty: ${asked}.`);
}
