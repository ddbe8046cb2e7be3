import { CommandError } from "../command-error.ts";
import { escapeText } from "../escape.ts";
import { confirm } from "../prompt.ts";
import type { Invocation, Option } from "./command.ts";

export const dryRunOption: Option = {
  name: "dry-run",
  summary: "show what would happen, and change nothing",
};

/** Asks before a change that cannot be undone, unless `--yes`. Throws CommandError 1 (no), or 2 without a terminal. */
export async function requireConsent(
  { program, options, context, typed }: Pick<Invocation, "program" | "options" | "context" | "typed">,
  question: string,
): Promise<void> {
  if (options.has("yes")) return;
  if (!context.stdin.isTTY) {
    throw new CommandError(
      2,
      `There is no terminal to ask for confirmation on. If you are sure, type:\n  ${typedLine([program, ...typed], "--yes")}`,
    );
  }
  if (!(await confirm(context, question))) throw new CommandError(1, "Not confirmed; nothing was changed.");
}

/**
 * Shows the effect on a user or a program and asks; with `--dry-run` it only shows it. `says`: the people or programs that
 * are affected, and their way back in. True: go on. Throws as `requireConsent`.
 */
export async function agreesTo(
  invocation: Invocation,
  { says, question }: { readonly says: readonly string[]; readonly question: string },
): Promise<boolean> {
  const { options, context, output } = invocation;
  if (options.has("dry-run")) {
    await output.values({ dry_run: true, would_happen: says }, says);
    return false;
  }
  if (!options.has("yes") && context.stdin.isTTY) for (const one of says) await output.remark(one);
  await requireConsent(invocation, question);
  return true;
}

/** The words of a command line with one more option, as a POSIX shell reads them: `steward user rm anna --yes`. */
function typedLine(words: readonly string[], option: string): string {
  const at = words.indexOf("--");
  return shellLine(at === -1 ? [...words, option] : words.toSpliced(at, 0, option));
}

/** Words as a POSIX shell reads them. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (escapeText(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  // POSIX.1-2024 §2.2.4, for characters that could control the terminal.
  const quoted = word.replace(/['\\]/g, "\\$&");
  return `$'${[...quoted].map((one) => (escapeText(one) === one ? one : bytesOf(one))).join("")}'`;
}

/** `\xNN` for each byte. */
function bytesOf(character: string): string {
  return Buffer.from(character, "utf8").toString("hex").replace(/../g, "\\x$&");
}
