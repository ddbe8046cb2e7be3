import * as oauth from "oauth4webapi";
import { messageOf, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { type ProviderReason, reasonOfCode, refusedAnswer, shown } from "./refusals.ts";

const claimReasons: Readonly<Record<string, ProviderReason>> = {
  iss: "issuer",
  aud: "audience",
  azp: "authorized_party",
  nonce: "nonce",
  exp: "expired",
  nbf: "expired",
  auth_time: "auth_time",
  sub: "subject",
};

/** Turns the library's errors into ours; an unexpected one is a malformed answer. `asked`: the request that was answered. */
export function asRefusal(error: unknown, asked: string): Error {
  if (error instanceof StewardError) return error;
  const sent = sentErrorOf(error);
  if (sent)
    return refusedAnswer(reasonOfCode(sent.error), `It says ${shown(sent.error)}. ${asked}`.trim(), sent);
  const refused = (reason: ProviderReason) => refusedAnswer(reason, detailOf(error));
  // The library uses one error for tokens in the address and for kinds of tokens; only its sentence tells them apart.
  if (error instanceof oauth.UnsupportedOperationError)
    return refused(/token_type|flows/.test(error.message) ? "malformed" : "algorithm");
  // It reads the issuer of the discovery document as an address before it compares the two.
  if (systemErrorCode(error) === "ERR_INVALID_URL") return refused("issuer");
  if (!(error instanceof oauth.OperationProcessingError))
    return error instanceof Error ? error : Error(`${error}`);
  const { claim, attribute, reason, parameters } = factsOf(error);
  const named = claimReasons[`${claim}`];
  if (named) return refused(named);
  if (`${attribute}` === "sub") return refused("subject");
  if (`${attribute}` === "issuer") return refused("issuer");
  if (reason !== undefined) return refused("algorithm");
  if (parameters !== undefined) return refused(/"iss"/.test(error.message) ? "issuer" : "state");
  if (/"auth_time".* missing/.test(error.message)) return refused("auth_time");
  return refused(error.code === oauth.HTTP_REQUEST_FORBIDDEN ? "endpoint" : "malformed");
}

/** The error that the provider has sent, in a header, a body or the address. */
function sentErrorOf(error: unknown): { error: string; error_description?: string | undefined } | undefined {
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const [challenge] = error.cause;
    // RFC 6749 §5.2 has the scheme Basic for a client that is not known.
    const usual = challenge?.scheme === "basic" ? "invalid_client" : "invalid_token";
    return { error: usual, ...challenge?.parameters };
  }
  const isSent =
    error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
  return isSent ? { error: error.error, error_description: error.error_description } : undefined;
}

/** The library's sentence, with what came and what was expected. */
export function detailOf(error: unknown): string {
  const { claim, claims, attribute, body, header, alg, status, expected, now } = factsOf(error);
  const came = claims?.[`${claim}`] ?? body?.[`${attribute}`] ?? header?.alg ?? alg ?? status;
  return `${messageOf(error)}: ${shown({ came, here: expected ?? now }, 256)}.`.replace(": {}.", ".");
}

/** The facts beside the library's sentence; they are looked into or shown. */
function factsOf(error: unknown): Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> {
  return { ...((error as Error).cause as object) };
}
