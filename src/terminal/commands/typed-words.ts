import type { Command } from "./command.ts";

/**
 * A refusal of the agent in the words that were typed: it names members of its input by their pointers, such as
 * /expires_in, and the command line has an option, a setting or a word for each. What the command has none for stays.
 */
export function inTypedWords(text: string, command: Command): string {
  const atPointer = /((?:\bMember|\bParameter) |^ {2}(?=\S+:))\/([a-z][\w/]*)/gm;
  const atName = /`?\b([a-z]+(?:_[a-z]+)+)(?:: true)?\b`?/g;
  return text
    .replace(atPointer, (whole, before: string, path: string) => {
      const word = wordFor(path.split("/"), command);
      return word === null ? whole : `${before.trim() === "" ? before : ""}${word}`;
    })
    .replace(atName, (whole, member: string) => optionFor(member, command) ?? whole);
}

function wordFor(path: readonly string[], command: Command): string | null {
  const isOfSettings = command.path.join(" ") === "system set";
  if (isOfSettings) return path.join(".");
  const [member = "", ...deeper] = path;
  if (deeper.length > 0) return null;
  const option = optionFor(member, command);
  if (option !== null) return option;
  if (isAskedFor.test(member)) return member.replaceAll("_", " ");
  const [positional, ...others] = command.positionals;
  // Pointers lead into a file where one is given.
  const isOnly = positional !== undefined && others.length === 0 && positional.name !== "FILE";
  return isOnly ? positional.name : null;
}

/** A member that the command asks for, or makes, so that no word of the line is meant. */
const isAskedFor = /(^|_)(password|secret|code)$/;

/** `user_id` is what `--user` gives by its name. */
function optionFor(member: string, { options }: Command): string | null {
  const names = [member, member.replace(/_id$/, "")].map((name) => name.replaceAll("_", "-"));
  const option = options.find(({ name }) => names.includes(name));
  return option === undefined ? null : `--${option.name}`;
}
