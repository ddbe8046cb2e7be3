/** The agent at a certified provider that is set up as Keycloak, Authelia, Entra and others are, by their documents. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { context, errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import type { SignInProvider } from "../../../src/host/provider-ports.ts";
import { type ProviderWay, startCertifiedProvider } from "./certified-provider.ts";
import { type DeviceWithProvider, device, host } from "./device-with-provider.ts";
import { clientSecret } from "./lying-provider.ts";

const real = await startCertifiedProvider();
after(() => real.stop());

/** A device of root who named neither scopes nor claims. */
async function deviceAt(
  way: ProviderWay,
  change: Partial<SignInProvider> = {},
  secret: string | null = clientSecret,
) {
  const issuer = real.become(way);
  // The provider goes by the time of this machine.
  host.step(Math.floor(Date.now() / 1_000) - host.time.nowSeconds());
  return device({ issuer, caFile: real.caFile, scopes: null, ...change }, secret);
}

const named = { name: "Ada Lovelace", preferred_username: "ada" };
const operators = { ...named, groups: ["operators"] };

/** Keycloak puts the claims of its mappers into the ID token, and takes no scope that its client does not have. */
const keycloak = (claims: ProviderWay["claims"], client: ProviderWay["client"] = {}): ProviderWay => ({
  path: "/realms/plant",
  client: { scope: "openid profile", ...client },
  claims: { ...named, ...claims },
  configuration: {
    conformIdTokenClaims: false,
    scopes: ["openid", "profile", "email", "roles"],
    claims: { openid: ["sub"], profile: ["name", "preferred_username", ...Object.keys(claims ?? {})] },
  },
});

/** Authelia has a scope for groups, and gives claims at the userinfo endpoint only. */
const authelia = (way: ProviderWay = {}): ProviderWay => ({
  claims: operators,
  ...way,
  configuration: {
    scopes: ["openid", "profile", "groups"],
    claims: { openid: ["sub"], profile: ["name", "preferred_username"], groups: ["groups"] },
    ...way.configuration,
  },
});

/** Entra names groups by their object ids, has no scope for them, and its userinfo endpoint is Graph's. */
const guid = "6f2c1d9e-0a43-4c6b-9d5e-2f1b7a8c9d01";
const entraSecret = "abc8Q~Zr.3x_9-fTq~0";
const entra = (claims: ProviderWay["claims"]): ProviderWay => ({
  path: "/0d9b5a3e-6f1c-4a78-8c1d-1f2e3a4b5c6d/v2.0",
  client: { client_secret: entraSecret },
  claims: { preferred_username: "ada@example.com", ...claims },
  configuration: {
    conformIdTokenClaims: false,
    clientAuthMethods: ["client_secret_post", "private_key_jwt", "client_secret_basic"],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"] },
    scopes: ["openid", "profile", "email", "offline_access"],
    features: { userinfo: { enabled: false } },
    discovery: { userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo" },
  },
});

/** A way, the role and the name or the code and its sentence, what root wrote, and the secret that the device has. */
type Row = readonly [
  way: string,
  at: ProviderWay,
  outcome: string,
  detail: string | RegExp,
  more?: { readonly config?: Partial<SignInProvider>; readonly secret?: string | null },
];

const none = { admin: [], operator: [], readonly: [] };
const odd = "a+b c/d%=";
const post = { token_endpoint_auth_method: "client_secret_post" };
const inPost = { clientAuthMethods: ["client_secret_post"] };
const groupsScope = ["openid", "profile", "groups"];
const tooMany = {
  ...{
    _claim_names: { groups: "src1" },
    _claim_sources: { src1: { endpoint: "https://graph.microsoft.com" } },
  },
};
const rows: readonly Row[] = [
  [
    "the default configuration, which says who they are and no more",
    ...([
      {},
      "operator",
      "person",
      { config: { groupClaim: "sub", roles: { ...none, operator: ["ada"] } } },
    ] as const),
  ],
  ["Keycloak, with a mapper for groups", keycloak({ groups: ["operators"] }), "operator", "ada"],
  [
    "Keycloak's roles of the realm",
    keycloak({ realm_access: { roles: ["offline_access", "guests"] } }),
    ...(["readonly", "ada", { config: { groupClaim: "realm_access.roles" } }] as const),
  ],
  [
    "Keycloak without a mapper",
    keycloak({}),
    "role_missing",
    /signed you in as "ada", but it sends no groups, the claim of your groups \(oidc\.group_claim\)/,
  ],
  [
    "Keycloak's full path of a group",
    keycloak({ groups: ["/plant/operators"] }),
    "role_missing",
    /but none of your groups has a role on this device \(oidc\.roles\)/,
  ],
  [
    "a scope that Keycloak's client does not have",
    { ...keycloak({}), configuration: { scopes: groupsScope } },
    "invalid_scope",
    /refuses a scope of oidc\.scopes\..*\(edge-7\) for openid profile groups\./,
    { config: { scopes: groupsScope } },
  ],
  ["Authelia", authelia(), "operator", "ada"],
  ["Authelia, by the body alone", authelia({ client: post, configuration: inPost }), "operator", "ada"],
  [
    "a wrong secret",
    authelia(),
    "invalid_client",
    /oidc\.client_secret_file or the credential steward\.oidc.*Root of this device or the admin/,
    { secret: "another secret" },
  ],
  [
    "a secret with characters that encoding changes",
    authelia({
      client: { client_secret: odd },
      configuration: { clientAuthMethods: ["client_secret_basic"] },
    }),
    ...(["operator", "ada", { secret: odd }] as const),
  ],
  [
    "the same where the body may have it",
    authelia({ client: { client_secret: odd, ...post } }),
    ...(["operator", "ada", { secret: odd }] as const),
  ],
  [
    "a public client",
    authelia({ client: { token_endpoint_auth_method: "none", client_secret: undefined } }),
    ...(["operator", "ada", { secret: null }] as const),
  ],
  [
    "no secret for a client that has one",
    authelia(),
    "invalid_client",
    /and no secret: there is no oidc\.client_secret_file or the credential steward\.oidc\./,
    { secret: null },
  ],
  [
    "only keys as the proof of a client",
    authelia({
      client: {
        ...{ token_endpoint_auth_method: "private_key_jwt", client_secret: undefined },
        jwks_uri: "https://a.example",
      },
      configuration: { clientAuthMethods: ["private_key_jwt"] },
    }),
    "client_authentication",
    /takes neither client_secret_basic nor .*It offers \["private_key_jwt"\]\./,
  ],
  [
    "userinfo as a signed JWT",
    authelia({
      client: { userinfo_signed_response_alg: "RS256" },
      configuration: { features: { jwtUserinfo: { enabled: true } } },
    }),
    "operator",
    "ada",
  ],
  [
    "ID tokens that are signed by the secret, as authentik's without a key",
    authelia({
      client: { client_secret: clientSecret.repeat(2), id_token_signed_response_alg: "HS256" },
      configuration: { enabledJWA: { idTokenSigningAlgValues: ["RS256", "HS256"] } },
    }),
    "algorithm",
    /by a key pair, as RS256\..*HS256/,
    { secret: clientSecret.repeat(2) },
  ],
  [
    "Entra",
    entra({ groups: [guid] }),
    ...(["admin", "ada", { config: { roles: { ...none, admin: [guid] } }, secret: entraSecret }] as const),
  ],
  [
    "more groups than Entra sends",
    entra(tooMany),
    "role_missing",
    /it leaves out your groups, because they are too many/,
    { secret: entraSecret },
  ],
  ["an issuer that ends with a slash", authelia({ path: "/application/o/edge/" }), "operator", "ada"],
  [
    "groups that are no list, as Zitadel's roles",
    authelia({ claims: { ...named, groups: { operators: { 1: "example.com" } } } }),
    "role_missing",
    /its groups is not a list of groups/,
  ],
];

async function signIn({ begin, singleSignOn }: DeviceWithProvider, cancelAt?: string) {
  const { authorization_url, flow_token } = await begin();
  const query = await real.browser().visit(authorization_url, cancelAt);
  return singleSignOn.finish({ flow_token, query }, context);
}

async function refusal(work: Promise<unknown>, reason: string, sentence: RegExp): Promise<void> {
  const error = await errorFrom(work);
  assert.equal(error?.details.reason ?? error?.code, reason, error?.message);
  assert.match(error?.message ?? "", sentence);
}

describe("a device at a certified provider", () => {
  for (const [way, at, outcome, detail, { config = {}, secret = clientSecret } = {}] of rows)
    it(`ends in ${outcome}: ${way}`, async () => {
      const done = signIn(await deviceAt(at, config, secret));
      if (detail instanceof RegExp) return refusal(done, outcome, detail);
      const { user } = (await done).session;
      assert.deepEqual([user.role, user.username], [outcome, detail]);
    });

  it("says both addresses where the host file has the issuer without its slash", async () => {
    const issuer = real.become(authelia({ path: "/application/o/edge/" })).slice(0, -1);
    const here = await device({ issuer, caFile: real.caFile });
    await refusal(here.begin(), "issuer", /than oidc\.issuer.*"came":"[^"]*\/edge\/","here":"[^"]*\/edge"/);
  });

  it("says so where the person cancels, at the sign-in or at the consent", async () => {
    for (const page of ["login", "consent"])
      await refusal(
        signIn(await deviceAt(authelia()), page),
        "access_denied",
        /cancelled at the provider.*Begin again\./,
      );
  });

  it("steps up by a sign-in in a browser that is signed in there already", async () => {
    const here = await deviceAt(authelia());
    const { visit, seen } = real.browser();
    const first = await here.begin();
    const query = await visit(first.authorization_url);
    const { session } = await here.singleSignOn.finish({ flow_token: first.flow_token, query }, context);
    const person = here.personOf(session.user.id);
    const again = await here.begin(person);
    const back = { flow_token: again.flow_token, query: await visit(again.authorization_url) };
    // Virtual time does not pass, and the provider's second may have ended between the sign-in and its ID token.
    host.pass(1);
    assert.equal(await here.singleSignOn.confirm(person, back, context), 300);
    assert.deepEqual(seen, ["login", "consent", "login"]);
  });
});
