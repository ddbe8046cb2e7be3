import type { DraftedPatches } from "../publishing/patches/draft-patches.ts";
import { mostUnpackedBytes } from "../releases/patches/patch.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Invocation, Option } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";

export const patchFromOption: Option = {
  name: "patch-from",
  value: "N",
  summary:
    "also make patches from the N releases before it, so that devices which have one fetch less; packs FILE again, and takes a minute for each 30 MB",
};

/** undefined: not given. Throws CommandError(6). */
export function patchFromOf({ options }: Pick<Invocation, "options">): number | undefined {
  const text = options.text("patch-from");
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  throw new CommandError(6, escapeText(`--patch-from takes a whole number from 1 to 9, not "${text}".`));
}

const whySkipped = {
  too_large: `it or this release has more than ${mostUnpackedBytes / 1024 ** 2} MiB unpacked, which devices do not patch`,
  no_smaller: "it would save less than a tenth",
} as const;

export function patchSentences({ patches, skipped }: DraftedPatches): string[] {
  if (patches.length + skipped.length === 0) return ["There is no older release to make a patch from."];
  return [
    ...patches.map(({ path, file }) => `${path} is a patch of ${file.length} bytes.`),
    ...skipped.map(({ from, why }) => `There is no patch from ${from}: ${whySkipped[why]}.`),
  ];
}
