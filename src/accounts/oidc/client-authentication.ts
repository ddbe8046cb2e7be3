import * as oauth from "oauth4webapi";
import type { SignInProvider } from "../../host/provider-ports.ts";
import { refusedAnswer, shown } from "./refusals.ts";

const [basic, post] = ["client_secret_basic", "client_secret_post"] as const;

/**
 * The proof to the token endpoint, chosen by discovery, and a sentence about it: the secret in the header, else in the body;
 * without one the client is public. A secret that encoding would change goes into the body where it may, since not every
 * provider decodes the header. Throws `provider_refused`.
 */
export function clientProof(
  { token_endpoint_auth_methods_supported: methods = [basic] }: oauth.AuthorizationServer,
  { clientId }: SignInProvider,
  secret: string | null,
): readonly [proof: oauth.ClientAuth, asked: string] {
  const asked = `It was sent oidc.client_id (${clientId}) and`;
  const place = "oidc.client_secret_file or the credential steward.oidc";
  if (secret === null) return [oauth.None(), `${asked} no secret: there is no ${place}.`];
  const offered = [methods].flat();
  const pair = [clientId, secret].map(encodeURIComponent).join(":");
  const preferred = pair === `${clientId}:${secret}` || !offered.includes(post) ? basic : post;
  const method = [preferred, post].find((one) => offered.includes(one));
  if (method === undefined) throw refusedAnswer("client_authentication", `It offers ${shown(offered)}.`);
  // The library encodes `-`, `_` and `.` too: a provider that does not decode would know few clients.
  const inHeader: oauth.ClientAuth = (_server, _client, _body, headers) =>
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  const proof = method === basic ? inHeader : oauth.ClientSecretPost(secret);
  return [proof, `${asked} the secret of ${place} by ${method}, and offers ${shown(offered)}.`];
}
