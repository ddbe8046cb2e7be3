import * as oauth from "oauth4webapi";
import { StewardError } from "../../contract/errors.ts";
import { type ProviderReason, refusedAnswer } from "./refusals.ts";

const claimReasons: Readonly<Record<string, ProviderReason>> = {
  ...{ iss: "issuer", aud: "audience", azp: "authorized_party", nonce: "nonce" },
  ...{ exp: "expired", nbf: "expired", auth_time: "auth_time", sub: "subject" },
};

/** Turns the library's errors into ours. An unexpected error counts as a malformed answer. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof StewardError) return error;
  if (error instanceof oauth.AuthorizationResponseError)
    return refusedAnswer("provider_error", `It says ${JSON.stringify(error.error.slice(0, 64))}.`, error);
  if (error instanceof oauth.ResponseBodyError) return refusedAnswer("code", "", error);
  // The library uses one error for tokens in the address and for kinds of tokens; only its sentence tells them apart.
  if (error instanceof oauth.UnsupportedOperationError)
    return refusedAnswer(/token_type|flows/.test(error.message) ? "malformed" : "algorithm", "", error);
  if (!(error instanceof oauth.OperationProcessingError)) return error;
  const { claim, attribute, reason, parameters } = (error.cause ?? {}) as Record<string, unknown>;
  const named = claimReasons[String(claim ?? "")];
  if (named) return refusedAnswer(named, "", error);
  if (attribute === "sub") return refusedAnswer("subject", "", error);
  if (attribute === "issuer") return refusedAnswer("issuer", "", error);
  if (reason !== undefined) return refusedAnswer("algorithm", "", error);
  if (parameters !== undefined)
    return refusedAnswer(/"iss"/.test(error.message) ? "issuer" : "state", "", error);
  if (error.code === oauth.HTTP_REQUEST_FORBIDDEN)
    return refusedAnswer("endpoint", "It is not https.", error);
  return refusedAnswer("malformed", "", error);
}
