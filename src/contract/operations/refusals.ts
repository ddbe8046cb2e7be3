import { type ErrorCode, errorCodes } from "../error-codes.ts";
import type { Operation } from "./operation.ts";

/** Reasons that people meet who did everything right: their session or its token has ended, or they left the provider. */
const stepsByReason: Partial<Readonly<Record<ErrorCode, readonly string[]>>> = {
  // A cookie of another page and a token that was used twice have events of their own (accounts/sessions/session-events.ts).
  invalid_token: ["expired", "clock_epoch", "revoked", "signature", "binding"],
  provider_refused: ["access_denied"],
};

/**
 * The event of an error in the record: `sign_in.refused` if a way in refused a secret, or an account that may not enter;
 * `request.refused` for all else that is refused; null if nothing is. Of the error's details, `about` tells that it is about
 * an API token.
 */
export function refusalOf(
  { access, cookie, event }: Operation,
  code: ErrorCode,
  { reason = "", about }: { readonly reason?: string; readonly about?: object | null } = {},
  isProgram = false,
): "sign_in.refused" | "request.refused" | null {
  const row = errorCodes[code];
  if (!("refuses" in row)) return null;
  const hasEnded = cookie === "read" && code === "authentication_required";
  // The device has just shown its secret to them: a mistyped first code guesses nothing.
  const isFirstCode = event === "two_factor.enabled" && code.startsWith("totp_");
  const isReason = stepsByReason[code]?.includes(reason) === true;
  const isStep = row.refuses === "nothing" || hasEnded || isFirstCode || isReason;
  // A program takes no steps: its owner has to hear that it is refused.
  if (isStep && !isProgram && about === undefined) return null;
  const isWayIn = row.refuses === "secret" || event === "sign_in.succeeded";
  return access === "open" && isWayIn ? "sign_in.refused" : "request.refused";
}
