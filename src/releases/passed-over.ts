import { passedOverCodes } from "../contract/schemas/update-passed-over.ts";
import type { PassedOver, Updates } from "../contract/types.ts";
import { updateWords } from "../contract/words/en/updates.ts";

/** The reason why a release is not chosen. The contract explains `offered` and `here` for each code. */
export interface Refusal extends Pick<PassedOver, "offered" | "here" | "detail"> {
  readonly code: PassedOver["code"] | "superseded";
}

/** The reason in words that follow the release's name in a sentence. `version`: the release's, if it can be read. */
export function reasonWords({ code, ...facts }: Refusal, version: string | null): string {
  if (code === "superseded") return "is older than another offer";
  return updateWords.passedOver[code]({ ...facts, version });
}

/** True for most of a repository's releases: for others, or older. */
export function isOrdinary({ code }: Pick<Refusal, "code">): boolean {
  return isForOthers(code) || code === "not_newer" || code === "superseded";
}

/** True if another device, or this one on another channel, would accept it. */
export function isForOthers(code: Refusal["code"]): boolean {
  return code === "other_channel" || code === "other_arch" || code === "other_product";
}

/** `rules base 1.3.0 is of the channel beta, not stable`; an unreadable release is named by its path. */
export function passedOverWords(one: PassedOver): string {
  const { kind, name, version, path } = one;
  // A path may hold characters that no terminal should get.
  const release = name === null ? JSON.stringify(path) : `${kind} ${name} ${version}`;
  return `${release} ${reasonWords(one, version)}`;
}

/** The number of releases that were not chosen, by code. */
export type PassedOverCounts = NonNullable<Updates["passed_over_counts"]>;

export function countsOf(codes: readonly Refusal["code"][]): PassedOverCounts {
  const counted = passedOverCodes.map((code) => [code, codes.filter((one) => one === code).length]);
  return Object.fromEntries(counted) as PassedOverCounts;
}

/** The number that another device, or this one on another channel, would accept. */
export function countForOthers(counts: PassedOverCounts): number {
  return counts.other_product + counts.other_channel + counts.other_arch;
}

/** `3 for other products and 1 of other channels`; empty: there are none. */
export function countWords({ other_product, other_channel, other_arch }: PassedOverCounts): string {
  const parts = [
    [other_product, "for other products"],
    [other_channel, "of other channels"],
    [other_arch, "for other processors"],
  ] as const;
  return parts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`])).join(" and ");
}
