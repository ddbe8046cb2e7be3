import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import { type outcomeCodes, reasonCodes } from "../contract/schemas/update-reasons.ts";
import type { UpdateReason } from "../contract/types.ts";
import { fullSentence, sentence } from "../contract/update-facts.ts";
import { updateWords } from "../contract/words/en/updates.ts";

/** The reason why an attempt ended, as the journal stores it beside the sentence. */
export interface Cause {
  readonly code: string;
  /** Number of unclean exits, or restarts. */
  readonly count: number | null;
  readonly last_answer: string | null;
}

/** A cause that the installer itself has found, not an error. */
export interface OutcomeCause extends Cause {
  readonly code: Exclude<(typeof outcomeCodes)[number], "unrecorded">;
}

export function outcomeCause(
  code: OutcomeCause["code"],
  { count = null, last_answer = null }: Partial<Omit<Cause, "code">> = {},
): OutcomeCause {
  return { code, count, last_answer };
}

/** The cause in a sentence, for programs from before the codes. */
export function outcomeSentence({ code, count, last_answer }: OutcomeCause): string {
  const said = sentence(updateWords.reasons[code], { count: count ?? 0 });
  if (code === "activation_failed") return `${said} ${fullSentence(last_answer ?? "No reason is known")}`;
  return last_answer === null ? said : `${said} ${lastAnswerSentence(last_answer)}`;
}

export function lastAnswerSentence(answer: string): string {
  return `The last health check: ${fullSentence(answer)}`;
}

/** `detail`: the stored sentence; without a cause a release from before the codes wrote it. */
export function reasonOf(detail: string, cause: Cause | undefined): UpdateReason {
  const { code, count, last_answer } = cause ?? { code: "unrecorded", count: null, last_answer: null };
  const known = reasonCodes.find((one) => one === code) ?? "unrecorded";
  return { code: known, detail: fullSentence(detail), count, last_answer };
}

export function reasonOfError({ code, message }: { code: string; message: string }): UpdateReason {
  return { code: knownCode(code), detail: fullSentence(message), count: null, last_answer: null };
}

/** After a rollback this program may not know a code that the newer one has stored. */
export function knownCode(code: string): ErrorCode {
  return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "internal_error";
}
