import type { FindingCode, OwnNeedCode, ProgramPart } from "../findings.ts";
import type { NeedCode } from "../need-areas.ts";
import type { Finding } from "../types.ts";
import type { Format, Sentence } from "./format.ts";

export interface GivenFacts extends Sentence {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Names; a finding has their number. */
  readonly users?: readonly string[] | number;
  readonly count?: number;
  readonly first_ends_at?: string;
  readonly support_until?: string;
  readonly hostname?: string;
  /** The part that is missing, by the agent's name for it. */
  readonly missing?: string;
  /** `refused`: of a receiver. */
  readonly kind?: string;
  /** The publisher's reason, or the way in which a receiver fails, in English. */
  readonly detail?: string;
  /** The finding of the health check that the need comes from. */
  readonly reason?: string;
  /** The clock in a word. */
  readonly word?: string;
  readonly trust?: string;
}

/** Facts of a need in the reader's form, of which its words use those that it has. */
export interface NeedFacts extends GivenFacts {
  readonly count: number;
  readonly reason: string;
  /** The product's sentence, the release, the receiver, the host name, or the users; to a reader who may not see their names, how many they are. */
  readonly what: string;
  /** A day. */
  readonly when: string;
}

type Say = (facts: NeedFacts) => string;

/** A title and a sentence for each need; one of a health check has its finding's sentence. Each language has them. */
export type NeedWords = Readonly<
  Record<OwnNeedCode, { readonly title: Say; readonly text: Say }> &
    Record<Exclude<NeedCode, OwnNeedCode>, { readonly title: Say; readonly text?: never }>
>;

export function needFacts(facts: GivenFacts, format: Format): NeedFacts {
  const { name, version, users, count = 0, reason = "", hostname, first_ends_at, support_until } = facts;
  const who = typeof users === "object" ? format.users(users) : `${count}`;
  return {
    ...{ ...facts, count, reason },
    what:
      format.said(facts) ||
      (hostname ?? (name === undefined ? who : version === undefined ? name : `${name} ${version}`)),
    when: format.day(first_ends_at ?? support_until ?? ""),
  };
}

/** The sentence for each finding, which each language has. The agent adds particulars in English, and what root types. */
export type FindingWords = {
  readonly [Code in FindingCode]: (facts: Finding<Code>["facts"], format: Format) => string;
};

/** By the part of the program that does not work, what fails; a newer agent may have more parts. */
export type PartEffects = Readonly<
  Record<Exclude<ProgramPart, "sandbox">, string> & Partial<Record<string, string>>
>;
