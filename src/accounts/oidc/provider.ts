import { createHash } from "node:crypto";
import * as oauth from "oauth4webapi";
import { rethrown, StewardError } from "../../contract/errors.ts";
import type { Uptime } from "../../host/ports.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Flow } from "./flows.ts";
import { type Claims, claimAt, hasTooManyGroups } from "./identity.ts";
import { asRefusal, detailOf } from "./library-errors.ts";
import type { ProviderRequest } from "./provider-requests.ts";
import { refusedAnswer, shown } from "./refusals.ts";

/** The client of the provider: OpenID Connect Core 1.0, authorization code with PKCE. */
export type Provider = ReturnType<typeof createProvider>;

export interface ProviderOptions {
  readonly config: SignInProvider;
  readonly request: ProviderRequest;
  /** null: a public client, which has no secret. */
  readonly readSecret: () => Promise<string | null>;
  readonly time: Pick<TrustedTime, "nowSeconds">;
  readonly uptime: Uptime;
}

/** Seconds by which the clocks of device and provider may differ. */
const toleranceSeconds = 30;

/**
 * Seconds that the discovery document is kept. Strangers may begin flows, and must not reach the provider with each.
 */
const discoverySeconds = 5 * 60;

/** Seconds that a failed discovery is kept, for the same reason; then a person may try again. */
const failedDiscoverySeconds = 10;

export function createProvider(options: ProviderOptions) {
  const discovered = createDiscovery(options);
  return {
    /** The address that the browser opens to begin a flow. Throws `provider_unreachable` and `provider_refused`. */
    authorizationUrl: async (flow: Flow): Promise<string> => {
      const { config } = options;
      const server = await discovered();
      const url = endpoint(server.authorization_endpoint, config);
      const challenge = await oauth.calculatePKCECodeChallenge(flow.verifier);
      const parameters = {
        ...{ client_id: config.clientId, response_type: "code", scope: scopesOf(config, server).join(" ") },
        ...{ redirect_uri: flow.redirectUri, state: flow.state, nonce: flow.nonce },
        ...{ code_challenge: challenge, code_challenge_method: "S256" },
        ...(flow.sessionId !== null && { prompt: "login", max_age: "0" }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    /** The person of the query; in a step-up, signed in since it. Throws `provider_unreachable`, `provider_refused`. */
    claimsOf: async (flow: Flow, query: URLSearchParams): Promise<Claims> => {
      const server = await discovered();
      const { config, request, time } = options;
      const client: oauth.Client = {
        client_id: config.clientId,
        // The library uses the wall clock; every other check here uses the trusted time.
        [oauth.clockSkew]: time.nowSeconds() - Math.floor(Date.now() / 1_000),
        [oauth.clockTolerance]: toleranceSeconds,
      };
      const asking = { ...options, server, client, fetching: { [oauth.customFetch]: request } };
      return withUserinfo(asking, await redeem(asking, flow, query));
    },
  };
}

type Server = oauth.AuthorizationServer;

function createDiscovery({ config, request, readSecret, uptime }: ProviderOptions): () => Promise<Server> {
  let known: { server: Promise<Server>; untilUptime: number } | undefined;
  const read = async (): Promise<Server> => {
    const issuer = new URL(config.issuer);
    const server = await asRefusals("", async () => {
      const response = await oauth.discoveryRequest(issuer, { [oauth.customFetch]: request });
      return oauth.processDiscoveryResponse(issuer, response);
    });
    // RFC 9700 §2.1.1: without PKCE a stolen code works for anyone.
    const { code_challenge_methods_supported: methods } = server;
    // The form of the document is not checked before.
    if (methods !== undefined && ![methods].flat().includes("S256"))
      throw refusedAnswer("pkce", `It offers ${shown(methods)}.`);
    // A person is not sent to a provider that would not accept this device.
    clientProof(server, config, await readSecret());
    return server;
  };
  return () => {
    if (known && uptime() < known.untilUptime) return known.server;
    const asked = { server: read(), untilUptime: uptime() + discoverySeconds };
    asked.server.catch(() => {
      asked.untilUptime = uptime() + failedDiscoverySeconds;
    });
    known = asked;
    return asked.server;
  };
}

interface Asking extends ProviderOptions {
  readonly server: Server;
  readonly client: oauth.Client;
  readonly fetching: { readonly [oauth.customFetch]: ProviderRequest };
}

async function redeem(asking: Asking, flow: Flow, query: URLSearchParams) {
  const { config, server, client, fetching, readSecret, time, uptime } = asking;
  const scopes = `It was asked by oidc.client_id (${config.clientId}) for ${scopesOf(config, server).join(" ")}.`;
  const parameters = await asRefusals(scopes, async () =>
    oauth.validateAuthResponse(server, client, query, flow.state),
  );
  const [proof, asked] = clientProof(server, config, await readSecret());
  return asRefusals(asked, async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, proof, parameters, flow.redirectUri, flow.verifier, fetching] as const),
    );
    const elapsedSeconds = Math.ceil(uptime() - flow.startedUptime);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: flow.nonce,
      ...(flow.sessionId !== null && { maxAge: elapsedSeconds }),
    });
    const idToken = oauth.getValidatedIdTokenClaims(tokens);
    if (idToken === undefined) throw refusedAnswer("malformed", "There is no ID token.");
    await verifySignature(server, response, fetching);
    checkFurther(idToken, tokens, { client, elapsedSeconds, nowSeconds: time.nowSeconds() });
    if (flow.sessionId !== null) checkAuthenticatedSince(idToken, elapsedSeconds);
    return { idToken, accessToken: tokens.access_token };
  });
}

/** Providers may give claims only at the userinfo endpoint (OpenID Connect Core 1.0 §5.4). It is asked for no other. */
async function withUserinfo(
  { config, server, client, fetching }: Asking,
  { idToken, accessToken }: Awaited<ReturnType<typeof redeem>>,
): Promise<Claims> {
  const lacking = [config.groupClaim, config.nameClaim].find((name) => claimAt(idToken, name) === undefined);
  if (lacking === undefined || server.userinfo_endpoint === undefined || hasTooManyGroups(idToken, config))
    return idToken;
  return asRefusals(`The userinfo endpoint was asked for ${lacking}.`, async () => {
    const answer = await oauth.userInfoRequest(server, client, accessToken, fetching);
    return { ...(await oauth.processUserInfoResponse(server, client, idToken.sub, answer)), ...idToken };
  });
}

/** Those of the host file; else those that every provider knows, and that of groups where the provider names it. */
function scopesOf({ scopes }: SignInProvider, { scopes_supported: known }: Server): readonly string[] {
  return scopes ?? ["openid", "profile", ...([known].flat().includes("groups") ? ["groups"] : [])];
}

/** Reads the keys for each token, because a provider may change them at any time. */
async function verifySignature(
  server: Server,
  response: Response,
  options: oauth.ValidateSignatureOptions,
): Promise<void> {
  try {
    // The library caches keys by this object, so a copy makes it read them again.
    await oauth.validateApplicationLevelSignature({ ...server }, response, options);
  } catch (error) {
    if (error instanceof StewardError || error instanceof oauth.UnsupportedOperationError) throw error;
    // The fault is in the address of the keys, and none was read.
    if (error instanceof oauth.OperationProcessingError && aboutAddresses.includes(error.code ?? ""))
      throw error;
    throw refusedAnswer("signature", detailOf(error));
  }
}

const aboutAddresses: readonly string[] = [
  ...[oauth.HTTP_REQUEST_FORBIDDEN, oauth.MISSING_SERVER_METADATA, oauth.INVALID_SERVER_METADATA],
];

/** The checks that the library does not make. */
function checkFurther(
  claims: oauth.IDToken,
  { access_token, id_token = "" }: oauth.TokenEndpointResponse,
  at: { client: oauth.Client; elapsedSeconds: number; nowSeconds: number },
): void {
  const { azp, iat, auth_time, at_hash, sub } = claims;
  // OpenID Connect Core 1.0 §3.1.3.7, 5: also if there is only one audience.
  if (azp !== undefined && azp !== at.client.client_id)
    throw refusedAnswer("authorized_party", shown({ azp }));
  // The token was made for this flow: not before it began, and not in the future.
  const oldest = at.nowSeconds - at.elapsedSeconds - toleranceSeconds;
  const newest = at.nowSeconds + toleranceSeconds;
  if (iat < oldest || iat > newest) throw refusedAnswer("expired", shown({ iat, oldest, newest }));
  if (auth_time !== undefined && auth_time > newest)
    throw refusedAnswer("auth_time", shown({ auth_time, newest }));
  if (at_hash !== undefined && at_hash !== atHash(access_token, id_token)) throw refusedAnswer("at_hash");
  if (sub === "" || Buffer.byteLength(sub) > 255)
    throw refusedAnswer("malformed", "Its sub has none, or more than 255 bytes.");
}

/** Checks that the user signed in since the step-up began. A tolerance between two clocks would let an older one count. */
function checkAuthenticatedSince({ iat, auth_time = 0 }: oauth.IDToken, elapsedSeconds: number): void {
  if (iat - auth_time > elapsedSeconds)
    throw refusedAnswer("auth_time", shown({ iat, auth_time, elapsedSeconds }));
}

/** OpenID Connect Core 1.0 §3.1.3.6: the left half of the hash that the algorithm names. */
function atHash(accessToken: string, idToken: string): string {
  const header = Buffer.from(idToken.split(".")[0] ?? "", "base64url").toString();
  const bits = /"alg"\s*:\s*"[A-Z]+(256|384|512)"/.exec(header)?.[1] ?? "512";
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}

/** The address that the browser is sent to. It must be the provider's, as those that the device asks. */
function endpoint(address: string | undefined, { issuer, endpointOrigins }: SignInProvider): URL {
  const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
  const allowed = [new URL(issuer).origin, ...endpointOrigins];
  if (url && allowed.includes(url.origin)) return url;
  throw refusedAnswer(
    "endpoint",
    `Its authorization endpoint is ${shown(address)}, and the origins that count are ${allowed.join(", ")}. Others go into oidc.endpoint_origins.`,
  );
}

/** Returns what `work` does. `asked`: the request, for an error that the provider has answered it with. */
function asRefusals<T>(asked: string, work: () => Promise<T>): Promise<T> {
  return work().catch(rethrown((error) => asRefusal(error, asked)));
}

const [basic, post] = ["client_secret_basic", "client_secret_post"] as const;

/**
 * The proof to the token endpoint, chosen by discovery, and a sentence about it: the secret in the header, else in the body;
 * without one the client is public. A secret that encoding would change goes into the body where it may, since not every
 * provider decodes the header. Throws `provider_refused`.
 */
function clientProof(
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
