import type { DraftedPatches } from "../publishing/patches/draft-patches.ts";
import { mostUnpackedBytes } from "../releases/patches/patch.ts";
import type { Invocation, Option } from "../terminal/commands/command.ts";
import { wholeNumberIn } from "./repository.ts";

export const patchFromOption: Option = {
  name: "patch-from",
  value: "N",
  summary:
    "also make patches from the N previous releases, so that devices with one of them download less; repacks FILE, and takes a minute for each 30 MB",
};

/** undefined: not given. Throws CommandError(6). */
export function patchFromOf({ options }: Pick<Invocation, "options">): number | undefined {
  const text = options.text("patch-from");
  return text === undefined ? undefined : wholeNumberIn(text, "patch-from", 1, 9);
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
