/** The words of refusals, for the person and for the log. The provider's own words are in the log only. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { claims, type DeviceWithProvider, device, operator, provider } from "./device-with-provider.ts";
import { answering, discovering, saying, withoutGroups } from "./false-answers.ts";
import type { Lies } from "./lying-provider.ts";

let here: DeviceWithProvider;
beforeEach(async () => {
  // A device keeps for a while what the provider said of itself.
  here = await device();
});

const bothMethods = discovering({
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
});

/** An answer of the provider, and the reason of the refusal with its sentence. */
const rows: readonly (readonly [what: string, lies: Lies, words: RegExp])[] = [
  ["it is cancelled", saying("access_denied"), /^access_denied: .*cancelled at the provider.*Begin again\.$/],
  [
    "it is busy",
    saying("temporarily_unavailable"),
    /^temporarily_unavailable: .*Begin again in a few minutes\.$/,
  ],
  [
    "a scope is unknown",
    saying("invalid_scope"),
    /^invalid_scope: .*\(edge-7\) for openid profile\..*Root of this/,
  ],
  [
    "this client may not",
    saying("unauthorized_client"),
    /^unauthorized_client: .*administrator of the provider can/,
  ],
  [
    "it wants to ask the user",
    saying("login_required"),
    /^provider_error: .*It says "login_required"\..*administrator/,
  ],
  ["a word that objects have", saying("constructor"), /^provider_error: .*It says "constructor"\./],
  [
    "Keycloak's word for a wrong secret",
    answering("/token", 401, { error: "unauthorized_client", error_description: "Invalid client" }),
    /^unauthorized_client: .*or not by its secret\. .*client_secret_file or the credential steward\.oidc by client_secret_basic, and offers/,
  ],
  [
    "a client that is registered for the other method",
    { ...bothMethods, ...answering("/token", 401, { error: "invalid_client" }) },
    /^invalid_client: .*by client_secret_post, and offers \["client_secret_basic","client_secret_post"\]\..*Root of this device or/,
  ],
  [
    "a client that it does not know, in a header without a word",
    answering("/token", 401, {}, { "www-authenticate": 'Basic realm="x"' }),
    /^invalid_client: .*does not take this device for its client/,
  ],
  [
    "no access to userinfo",
    {
      ...withoutGroups,
      ...answering("/userinfo", 403, {}, { "www-authenticate": 'Bearer error="insufficient_scope"' }),
    },
    /^provider_error: .*"insufficient_scope"\. The userinfo endpoint was asked for groups\./,
  ],
  [
    "userinfo fails",
    { ...withoutGroups, ...answering("/userinfo", 500, {}) },
    /^malformed: .*UserInfo.*"came":500/,
  ],
  [
    "there is no discovery document",
    answering("/.well-known/openid-configuration", 404, {}),
    /^malformed: .*Metadata response .*"came":404/,
  ],
  [
    "the issuer is no address",
    discovering({ issuer: "plant" }),
    /^issuer: .*than oidc\.issuer of the host file/,
  ],
  [
    "the issuer is one for every tenant, as Entra's",
    discovering({ issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" }),
    /^issuer: .*"came":"https:\/\/login\.microsoftonline\.com\/\{tenantid\}\/v2\.0","here":"https:\/\/127/,
  ],
  [
    "methods are no list",
    discovering({ token_endpoint_auth_methods_supported: 5 }),
    /^client_authentication: .*\[5\]/,
  ],
  ["challenges are no list", discovering({ code_challenge_methods_supported: 5 }), /^pkce: .*It offers 5\./],
  [
    "an endpoint is a number",
    discovering({ authorization_endpoint: 5 }),
    /^endpoint: .*is 5, and the origins that count/,
  ],
  [
    "another audience",
    claims({ aud: "other" }),
    /^audience: .*oidc\.client_id.*"came":"other","here":"edge-7"/,
  ],
  ["another azp", claims({ azp: "other" }), /^authorized_party: .*\{"azp":"other"\}/],
  ["no expiry", claims({ exp: undefined }), /^malformed: .*"exp" .* claim missing\./],
  ["an old token", claims({ exp: 1 }), /^expired: .*"came":1,"here":\d{10}\}.*Compare the clocks of both/],
];

describe("a refusal at the provider", () => {
  for (const [what, lies, words] of rows)
    it(`says what came where ${what}`, async () => {
      provider.lie(lies);
      const error = await errorFrom(here.signIn());
      assert.match(`${error?.details.reason}: ${error?.message}`, words);
    });

  it("has the provider's own words for the log: printable, bounded, and not for the person", async () => {
    provider.lie(saying("invalid_scope", `Ask \u202eme\u0007 ${"x".repeat(9_000)}`));
    const { message = "", details } = (await errorFrom(here.signIn())) ?? {};
    assert.doesNotMatch(message, /Ask/);
    const found = details?.said ?? "";
    assert.match(
      found,
      /for openid profile\. \{"error":"invalid_scope","error_description":"Ask {2}me\\u0007 x+…$/,
    );
    assert.equal(details?.said?.length, 2_048);
    assert.doesNotMatch(details?.said ?? "", /[\p{Cc}\p{Bidi_Control}]/u);
  });

  it("for want of a group tells the person who they are there, and the log which groups and claims came", async () => {
    provider.lie({});
    const groups = Array.from({ length: 400 }, (_, index) => `group-${index}`);
    const error = await errorFrom(here.signIn({ ...operator, groups }));
    const found = error?.message ?? "";
    assert.match(found, /has signed you in as "Ada\.Lovelace@example\.com", but none of your groups/);
    assert.doesNotMatch(error?.message ?? "", /group-0/);
    assert.match(error?.details.said ?? "", /^\{"groups":\["group-0","group-1"/);
    assert.equal(error?.details.said?.length, 2_048);
    const { groups: _, ...bare } = operator;
    provider.lie({ userinfo: () => ({ sub: "person-1", roles: ["operators"] }) });
    const other = await errorFrom(here.signIn(bare));
    assert.match(other?.message ?? "", /it sends no groups, the claim of your groups \(oidc\.group_claim\)/);
    assert.match(other?.details.said ?? "", /^\{"claims":\[.*"roles".*"preferred_username"/);
  });

  it("has the secret as it is in the header, where encoding would not change it: some do not decode it", async () => {
    provider.lie({});
    here = await device({}, "8Q~Zr.3x_9-fTq");
    assert.equal((await errorFrom(here.signIn()))?.details.reason, "invalid_grant");
    const sent = provider.requests.findLast(({ url }) => url === "/token");
    assert.equal(sent?.headers.authorization, `Basic ${btoa("edge-7:8Q~Zr.3x_9-fTq")}`);
  });

  it("comes before the person is sent to a provider that would not take this device", async () => {
    provider.lie(discovering({ token_endpoint_auth_methods_supported: ["private_key_jwt"] }));
    const error = await errorFrom(here.begin());
    assert.equal(error?.details.reason, "client_authentication");
  });
});
