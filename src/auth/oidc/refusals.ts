import { StewardError } from "../../contract/errors.ts";

/** Reasons to reject an answer of the provider, or one that claims to be: the `reason` of `provider_refused`. */
export type ProviderReason = keyof typeof reasons;

const reasons = {
  flow: "This sign-in was not begun in this browser, has been used, or took more than ten minutes.",
  state: "The answer belongs to another sign-in.",
  provider_error: "The provider did not sign the user in.",
  code: "The provider does not accept the code that came back.",
  issuer: "The answer comes from another issuer.",
  nonce: "The ID token was made for another sign-in.",
  audience: "The ID token is for another program.",
  authorized_party: "The ID token was given to another program.",
  algorithm: "The ID token is not signed in a way that is accepted here.",
  signature: "The signature of the ID token is not that of a key of the provider.",
  expired: "The ID token is too old, or the clocks of this device and of the provider differ.",
  auth_time: "The provider did not ask the user to sign in again.",
  subject: "The answer is about another user.",
  pkce: "The provider does not protect its codes by PKCE with S256.",
  endpoint: "The provider leads to an address that is not used.",
  size: "The provider sent too much.",
  malformed: "The answer does not have the form of OpenID Connect.",
} as const;

/** `provider_refused`; `detail` adds to the sentence of the reason. */
export function refusedAnswer(reason: ProviderReason, detail = "", cause?: unknown): StewardError {
  const message = `${reasons[reason]}${detail === "" ? "" : ` ${detail}`} No one was signed in; begin again.`;
  return new StewardError("provider_refused", message, { cause, details: { reason } });
}
