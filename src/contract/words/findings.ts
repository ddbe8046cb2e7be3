import type { FindingCode, ProgramPart } from "../findings.ts";
import type { Finding } from "../types.ts";
import type { Format } from "./format.ts";

/** The sentence for each finding, which each language has. The agent adds particulars in English, and what root types. */
export type FindingWords = {
  readonly [Code in FindingCode]: (facts: Finding<Code>["facts"], format: Format) => string;
};

/** By the part of the program that does not work, what fails; a newer agent may have more parts. */
export type PartEffects = Readonly<
  Record<Exclude<ProgramPart, "sandbox">, string> & Partial<Record<string, string>>
>;
