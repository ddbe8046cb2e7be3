import { type ErrorCode, errorCodes } from "./error-codes.ts";
import type { PasskeyRequest, ProblemClock } from "./types.ts";

/** One thing wrong with the input; `pointer` is an RFC 6901 JSON Pointer into the body or a parameter's name. */
export interface InputError {
  pointer: string;
  code: string;
  detail: string;
}

/** One thing wrong with a form, beyond what a schema can say. */
export interface Fault extends InputError {
  /** The code of the answer if this is the first fault. */
  as: ErrorCode;
  /** The same as a sentence, without the full stop. */
  sentence: string;
}

/** Throws one error with all that is wrong, where anything is; its code is that of the first. */
export function refuseFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const sentences = faults.map(({ sentence }) => sentence).join(". ");
  throw new StewardError(first.as, `${sentences}. Nothing was changed.`, {
    details: { errors: faults.map(({ pointer, code, detail }) => ({ pointer, code, detail })) },
  });
}

/** Facts that travel with an error into the problem document; never a secret. */
export interface ErrorDetails {
  /** A finer cause under the same code, for `invalid_token`: expired, clock_epoch, revoked, source, binding, malformed, signature. */
  reason?: string;
  /** For the record only: the account or API token that was refused; null: an API token that is not known. */
  about?: { readonly id: string; readonly name: string } | null;
  /** Words of another server, as one printable line: only for the line of the refusal in the log. */
  said?: string;
  errors?: readonly InputError[];
  /** The device's facts about its clock, if the clock may be the cause. */
  clock?: ProblemClock;
  /** With `totp_required`: what goes on with this sign-in. */
  challengeToken?: string;
  /** With `totp_required`: what to ask a passkey for. */
  passkey?: PasskeyRequest;
  retryAfterSeconds?: number;
  /** Methods for the Allow header of a 405. */
  allow?: readonly string[];
}

/** The one error class of the agent: match on `code`, never on the message. */
export class StewardError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StewardError";
    this.code = code;
    this.details = options.details ?? {};
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** True if the disk is the cause: `storage_full` or `storage_unwritable`. */
export function isOfStorage(error: unknown): error is StewardError {
  const codes: readonly ErrorCode[] = ["storage_full", "storage_unwritable"];
  return error instanceof StewardError && codes.includes(error.code);
}

/** Bytes of a unix socket's path: 108 with the NUL behind it (unix(7)). */
const longestSocketPath = 107;

/** Throws `validation_failed` for a path that no unix socket can have: Node cuts it off in silence, and uses another. */
export function requireSocketPath(path: string, option: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= longestSocketPath) return;
  throw new StewardError(
    "validation_failed",
    `The path of the socket is too long: ${path} has ${bytes} bytes, and a unix socket may have ${longestSocketPath}. Choose a shorter one with ${option}.`,
  );
}

/** For `catch`: throws what `make` makes of the error. */
export function rethrown(make: (error: unknown) => Error): (error: unknown) => never {
  return (error) => {
    throw make(error);
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error itself; for one that is not the agent's `internal_error`: `what` has failed unexpectedly. */
export function asStewardError(error: unknown, what: string): StewardError {
  if (error instanceof StewardError) return error;
  const message = `${what} failed unexpectedly: ${messageOf(error)}.`;
  return new StewardError("internal_error", message, { cause: error });
}

/** The system error code (ENOENT, ENOSPC, …) of anything thrown, or undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** For `catch`: null where a file is absent. */
export function ifAbsent(error: unknown): null {
  if (systemErrorCode(error) === "ENOENT") return null;
  throw error;
}
