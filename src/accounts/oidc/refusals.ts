import { StewardError } from "../../contract/errors.ts";
import { printableLine } from "../../host/printable-text.ts";

/** The last sentence of a refusal: the remedy, or who has it. */
const again = "Begin again.";
const later = "Begin again in a few minutes.";
const provider = "The administrator of the provider can put it right.";
const either = "Root of this device or the administrator of the provider can put it right.";

/** Codes that a provider sends: RFC 6749 §4.1.2.1 and §5.2. */
const codes = {
  access_denied: ["The sign-in was cancelled at the provider, or it does not let this user in.", again],
  invalid_client: ["The provider does not take this device for its client, or not its secret.", either],
  invalid_grant: ["The provider does not accept the code: it was used, is too old, or is another's.", again],
  invalid_scope: ["The provider refuses a scope of oidc.scopes.", either],
  server_error: ["The provider has failed.", later],
  temporarily_unavailable: ["The provider is overloaded or under maintenance.", later],
  unauthorized_client: ["The provider does not let this device do this, or not by its secret.", either],
} as const;

const reasons = {
  ...codes,
  flow: ["This sign-in was not begun in this browser, has been used, or took more than ten minutes.", again],
  state: ["The answer belongs to another sign-in.", again],
  provider_error: ["The provider did not sign the user in.", provider],
  client_authentication: ["The provider takes neither client_secret_basic nor client_secret_post.", provider],
  issuer: ["The answer comes from another issuer than oidc.issuer of the host file.", either],
  nonce: ["The ID token was made for another sign-in.", again],
  audience: ["The ID token is for another program than oidc.client_id of the host file.", either],
  authorized_party: ["The ID token was given to another program than oidc.client_id.", either],
  algorithm: ["The ID token is not signed in a way that is accepted: by a key pair, as RS256.", provider],
  signature: ["The signature of the ID token is not that of a key of the provider.", provider],
  at_hash: ["The ID token is about another access token.", again],
  expired: ["The times of the ID token do not fit.", "Compare the clocks of both, and begin again."],
  auth_time: ["The provider does not say that the user has just signed in again (auth_time).", provider],
  subject: ["The answer is about another user.", "Begin again, and sign in as the same user."],
  pkce: ["The provider does not protect its codes by PKCE with S256.", provider],
  endpoint: ["The provider leads to an address that is not used.", either],
  size: ["The provider sent too much.", provider],
  malformed: ["The answer does not have the form of OpenID Connect.", either],
} as const;

/** Reasons to reject an answer of the provider, or one that claims to be: the `reason` of `provider_refused`. */
export type ProviderReason = keyof typeof reasons;

export function reasonOfCode(code: string): ProviderReason {
  return Object.hasOwn(codes, code) ? (code as keyof typeof codes) : "provider_error";
}

/** Characters of what the provider sent, in the log. */
export const mostLogged = 2_048;

/** `provider_refused`; `detail` adds to the sentence of the reason. `said`: what the provider sent, for the log. */
export function refusedAnswer(reason: ProviderReason, detail = "", said?: object): StewardError {
  const [what, remedy] = reasons[reason];
  const message = [what, detail, "No one was signed in.", remedy].filter((one) => one !== "").join(" ");
  const line = said === undefined ? detail : `${detail} ${JSON.stringify(said)}`;
  const details = { reason, said: printableLine(line, mostLogged) };
  return new StewardError("provider_refused", message, { details });
}

/** A value of the provider's as JSON in one printable line. Strangers can ask for it, so it is short. */
export function shown(value: unknown, mostCharacters = 128): string {
  return printableLine(JSON.stringify(value) ?? "nothing", mostCharacters);
}
