import type { Invocation } from "./command.ts";
import { CommandError } from "./context.ts";
import { confirm } from "./prompt.ts";

/** Asks before what cannot be taken back, unless `--yes`. Throws CommandError 1 (no) or 2 (nobody to ask). */
export async function requireConsent(
  { options, context }: Pick<Invocation, "options" | "context">,
  question: string,
): Promise<void> {
  if (options.has("yes")) return;
  if (!context.stdin.isTTY) {
    throw new CommandError(2, "There is no terminal to ask for confirmation on; give --yes if you are sure.");
  }
  if (!(await confirm(context, question))) throw new CommandError(1, "Not confirmed; nothing was changed.");
}
