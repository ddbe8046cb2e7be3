import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import { type outcomeCodes, reasonCodes } from "../contract/schemas/update-reasons.ts";
import type { UpdateReason } from "../contract/types.ts";

export type OutcomeCode = (typeof outcomeCodes)[number];

/** The reason why an attempt ended, as the journal stores it beside the sentence. */
export interface Cause {
  readonly code: string;
  /** Number of unclean exits, or restarts. */
  readonly count: number | null;
  readonly last_answer: string | null;
}

/** A cause that the installer itself has found, not an error. */
export interface OutcomeCause extends Cause {
  readonly code: Exclude<OutcomeCode, "unrecorded">;
}

export function outcomeCause(
  code: OutcomeCause["code"],
  { count = null, last_answer = null }: Partial<Omit<Cause, "code">> = {},
): OutcomeCause {
  return { code, count, last_answer };
}

/** The cause in a sentence, for programs from before the codes. */
export function outcomeSentence({ code, count, last_answer }: OutcomeCause): string {
  const lastAnswer = last_answer === null ? "" : ` The last health check: ${fullSentence(last_answer)}`;
  switch (code) {
    case "healthy":
      return `It became healthy.${lastAnswer}`;
    case "confirmed_by_root":
      return `Root confirmed it.${lastAnswer}`;
    case "unclean_exits":
      return `It exited uncleanly ${count ?? 0} times.${lastAnswer}`;
    case "not_healthy_in_time":
      return `It did not become healthy in time.${lastAnswer}`;
    case "activation_failed":
      return `It could not be activated. ${fullSentence(last_answer ?? "No reason is known")}`;
    case "configuration_removed":
      return "The host file no longer says how to apply releases of this kind.";
    case "restarts":
      return `The device was rebooted ${count ?? 0} times before it became healthy.`;
    case "aborted_by_root":
      return "Root aborted it.";
    case "overtaken":
      return "A package of the same or a newer version was installed.";
    case "rolled_back":
      return "It was rolled back on request.";
    case "interrupted":
      return "The installation was interrupted before anything was changed. It can be applied again.";
  }
}

/** `detail`: the stored sentence; without a cause a release from before the codes wrote it. */
export function reasonOf(detail: string, cause: Cause | undefined): UpdateReason {
  const { code, count, last_answer } = cause ?? { code: "unrecorded", count: null, last_answer: null };
  const known = reasonCodes.find((one) => one === code) ?? "unrecorded";
  return { code: known, detail: fullSentence(detail), count, last_answer };
}

export function reasonOfError({ code, message }: { code: string; message: string }): UpdateReason {
  const known: ErrorCode = isErrorCode(code) ? code : "internal_error";
  return { code: known, detail: fullSentence(message), count: null, last_answer: null };
}

/** The text with a full stop, if it does not end in one. */
export function fullSentence(text: string): string {
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
