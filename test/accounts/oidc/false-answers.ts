/** Answers that an honest provider would not have given, and what tests make such answers of. */
import { createHmac, createPrivateKey, createPublicKey } from "node:crypto";
import { gzipSync } from "node:zlib";
import { pemOfNewKey } from "../../../lab/basics/new-key.ts";
import { claims, host, provider } from "./device-with-provider.ts";
import { clientId, clientSecret, encoded, type Json, type Lies, signed } from "./lying-provider.ts";

/** A case has a title, the false answers of the provider, and the `reason` of the refusal. */
export type Case = readonly [name: string, lies: Lies, reason: string];

type Body = string | Buffer | Json;

/** This instead of the answers to all requests of a path. */
export const answering = (asked: string, status: number, body: Body, headers: Json = {}): Lies => ({
  answer: (path, response) => {
    if (path !== asked) return false;
    response.writeHead(status, { "content-type": "application/json", ...(headers as object) });
    response.end(typeof body === "string" || body instanceof Buffer ? body : JSON.stringify(body));
    return true;
  },
});
export const discovering = (change: Json): Lies => ({ discovery: (doc) => ({ ...doc, ...change }) });
const back = (change: (query: URLSearchParams) => void): Lies => ({ back: change });
const setting = (name: string, value: string): Lies => back((query) => query.set(name, value));
export const saying = (error: string, description = "so it is"): Lies =>
  back((query) => {
    query.set("error", error);
    query.set("error_description", description);
  });
/** The userinfo endpoint is asked only for groups that the ID token does not have. */
export const withoutGroups: Lies = { claims: ({ groups: _, ...truth }) => truth };

/** A cloud gives its machine's secrets at this address to all who ask from the machine. */
const elsewhere = "https://169.254.169.254/latest/meta-data";
const redirecting = (asked: string, status: number) => answering(asked, status, "", { location: elsewhere });
const page = (asked: string) => answering(asked, 200, "<h1>Welcome</h1>", { "content-type": "text/html" });
const discovery = "/.well-known/openid-configuration";
const mebibyte = JSON.stringify({ text: "x".repeat(1024 * 1024) });
const plain = provider.issuer.replace("https", "http");

/** Sends for as long as the device reads. */
const endless = (asked: string): Lies => ({
  answer: (path, response) => {
    if (path !== asked) return false;
    response.writeHead(200, { "content-type": "application/json" });
    const send = (): void => {
      while (!response.destroyed && response.write(" ".repeat(16 * 1024)));
      if (!response.destroyed) response.once("drain", send);
    };
    send();
    return true;
  },
});

const now = host.time.nowSeconds();
const strangersKey = createPrivateKey(pemOfNewKey("P-256"));
const strangersJwk = createPublicKey(strangersKey).export({ format: "jwk" });
const header = (change: Json): Lies => ({ header: (truth) => ({ ...truth, ...change }) });
/** An ID token that a stranger has signed, with this in its header. */
const byStranger = (change: Json): Lies => ({
  idToken: (header, body) => signed({ ...header, ...change }, body, strangersKey),
});
/** With a shared secret (RFC 7518 §3.2): the provider's public key, or the secret of the device. */
const byHmac = (secret: () => string): Lies => ({
  idToken: (header, body) => {
    const text = `${encoded({ ...header, alg: "HS256" })}.${encoded(body)}`;
    return `${text}.${createHmac("sha256", secret()).update(text).digest("base64url")}`;
  },
});
const offering = (...names: string[]) => discovering({ id_token_signing_alg_values_supported: names });
const unsigned = (body: Json) => `${encoded({ alg: "none" })}.${encoded(body)}.`;
const encrypted = [{ alg: "RSA-OAEP", enc: "A256GCM" }, {}, {}, {}, {}]
  .map((part) => encoded(part))
  .join(".");
const doubled = ({ keys }: Json) => ({ keys: [...(keys as Json[]), ...(keys as Json[])] });

/** The ID token of the sign-in before. */
function replaying(): Lies {
  let first: unknown;
  return {
    token: (truth) => {
      first ??= truth.id_token;
      return { ...truth, id_token: first };
    },
    claims: (truth) => ({ ...truth, ...(first === undefined && { nonce: "of-the-sign-in-before" }) }),
  };
}

export const falseAnswers: readonly Case[] = [
  ["a forged state", setting("state", "A".repeat(43)), "flow"],
  ["no state", back((query) => query.delete("state")), "flow"],
  ["a forged code", setting("code", "code-of-another"), "invalid_grant"],
  ["no code", back((query) => query.delete("code")), "malformed"],
  ["an error instead of a code", setting("error", "access_denied"), "access_denied"],
  ["an error of two kilobytes instead of a code", setting("error", "x".repeat(2_048)), "provider_error"],
  ["issuer mix-up: iss of another (RFC 9207)", setting("iss", "https://evil.example"), "issuer"],
  ["issuer mix-up: no iss although it is promised", back((query) => query.delete("iss")), "issuer"],
  ["two answers in one: the code twice", back((query) => query.append("code", "other")), "malformed"],
  ["two answers: the state twice", back((to) => to.append("state", to.get("state") ?? "")), "malformed"],
  ["two issuers of the answer", back((query) => query.append("iss", provider.issuer)), "malformed"],
  ["an ID token in the address (implicit flow)", setting("id_token", "e30.e30.e30"), "malformed"],
  [
    "an answer in an answer instead of a state (JARM)",
    back((query) => {
      query.delete("state");
      query.set("response", "e30.e30.e30");
    }),
    "flow",
  ],

  ["an ID token of another issuer", claims({ iss: "https://evil.example" }), "issuer"],
  ["an ID token without an issuer", claims({ iss: undefined }), "malformed"],
  ["the issuer with a slash more", claims({ iss: `${provider.issuer}/` }), "issuer"],
  ["a wrong nonce", claims({ nonce: "another" }), "nonce"],
  ["no nonce", claims({ nonce: undefined }), "malformed"],
  ["a nonce that is not text", claims({ nonce: 1 }), "nonce"],
  ["an ID token that was made for an earlier sign-in (replay)", replaying(), "nonce"],
  ["another audience", claims({ aud: "another-client" }), "audience"],
  ["no audience", claims({ aud: undefined }), "malformed"],
  ["an empty audience", claims({ aud: [] }), "audience"],
  ["several audiences that are others", claims({ aud: ["one", "another"] }), "audience"],
  ["a further audience without azp", claims({ aud: [clientId, "another-client"] }), "audience"],
  ["azp of another client", claims({ azp: "another-client" }), "authorized_party"],
  [
    "several audiences, azp of one",
    claims({ aud: [clientId, "another"], azp: "another" }),
    "authorized_party",
  ],
  ["an expired ID token", claims({ exp: now - 31 }), "expired"],
  ["an ID token that never expires", claims({ exp: undefined }), "malformed"],
  ["an expiry that is text", claims({ exp: `${now + 300}` }), "malformed"],
  ["an ID token of yesterday that has not expired", claims({ iat: now - 86_400 }), "expired"],
  ["an ID token of tomorrow", claims({ iat: now + 86_400 }), "expired"],
  ["an ID token without the time of its making", claims({ iat: undefined }), "malformed"],
  // By the wall clock, which runs on while a slow machine is at it.
  ["an ID token that is not valid yet (nbf)", claims({ nbf: now + 600 }), "expired"],
  ["a sign-in of tomorrow (auth_time)", claims({ auth_time: now + 86_400 }), "auth_time"],
  ["no subject", claims({ sub: undefined }), "malformed"],
  ["an empty subject", claims({ sub: "" }), "malformed"],
  ["a subject that is a number", claims({ sub: 1 }), "malformed"],
  ["a subject of a kilobyte", claims({ sub: "x".repeat(1_024) }), "malformed"],
  ["an at_hash of another access token", claims({ at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }), "at_hash"],
  ["alg none", { idToken: (_, body) => unsigned(body) }, "algorithm"],
  ["alg none, which is offered", { ...offering("none"), idToken: (_, body) => unsigned(body) }, "algorithm"],
  ["alg HS256 with the public key", byHmac(() => provider.publicKey()), "algorithm"],
  ["alg HS256 with the secret of the device", byHmac(() => clientSecret), "algorithm"],
  [
    "alg HS256, which is offered",
    { ...offering("HS256"), ...byHmac(() => provider.publicKey()) },
    "algorithm",
  ],
  ["an algorithm that does not exist", header({ alg: "XS256" }), "algorithm"],
  [
    "an algorithm of another kind of key",
    { ...offering("ES256", "RS256"), ...header({ alg: "RS256" }) },
    "signature",
  ],
  ["no algorithm", header({ alg: undefined }), "algorithm"],
  ["a critical header that is not known", header({ crit: ["b64"] }), "algorithm"],
  ["a key that is not published", header({ kid: "key-0" }), "signature"],
  [
    "a changed claim under a genuine signature",
    {
      idToken: (header, body) =>
        `${encoded(header)}.${encoded({ ...body, groups: ["admins"] })}.${"A".repeat(86)}`,
    },
    "signature",
  ],
  ["the signature of a stranger under the provider's key identifier", byStranger({}), "signature"],
  ["a key that the token brings along (jwk)", byStranger({ kid: undefined, jwk: strangersJwk }), "signature"],
  [
    "a key that the token refers to (jku)",
    byStranger({ kid: "s", jku: "https://evil.example/keys" }),
    "signature",
  ],
  [
    "a key that is published for encryption",
    { keys: ({ keys }) => ({ keys: (keys as Json[]).map((key) => ({ ...key, use: "enc" })) }) },
    "signature",
  ],
  ["no key at all", { keys: () => ({ keys: [] }) }, "signature"],
  ["two keys of the same name", { keys: doubled }, "signature"],
  ["an unsigned ID token", { idToken: (header, body) => `${encoded(header)}.${encoded(body)}` }, "malformed"],
  ["an encrypted ID token, which was not agreed on", { idToken: () => encrypted }, "algorithm"],
  ["no ID token", { token: ({ id_token: _, ...answer }) => answer }, "malformed"],
  ["a token that is not a bearer's", { token: (answer) => ({ ...answer, token_type: "mac" }) }, "malformed"],

  ["discovery of another issuer", discovering({ issuer: "https://evil.example" }), "issuer"],
  ["PKCE downgrade: plain alone", discovering({ code_challenge_methods_supported: ["plain"] }), "pkce"],
  [
    "an authorization endpoint elsewhere (open redirect)",
    discovering({ authorization_endpoint: "https://evil.example/authorize" }),
    "endpoint",
  ],
  ["a script as the endpoint", discovering({ authorization_endpoint: "javascript:alert(1)" }), "endpoint"],
  ["an authorization endpoint over plain http", discovering({ authorization_endpoint: plain }), "endpoint"],
  [
    "a quarter of a megabyte as the authorization endpoint",
    discovering({ authorization_endpoint: `${elsewhere}/${"x".repeat(200_000)}` }),
    "endpoint",
  ],
  ["no authorization endpoint", discovering({ authorization_endpoint: undefined }), "endpoint"],
  [
    "a token endpoint on this device (SSRF)",
    discovering({ token_endpoint: "https://127.0.0.1:8443/api/system" }),
    "endpoint",
  ],
  ["a token endpoint over plain http", discovering({ token_endpoint: plain }), "endpoint"],
  [
    "a token endpoint whose name has two kilobytes",
    discovering({ token_endpoint: `https://${"x".repeat(2_048)}.example/token` }),
    "endpoint",
  ],
  ["no token endpoint", discovering({ token_endpoint: undefined }), "malformed"],
  ["keys elsewhere (SSRF)", discovering({ jwks_uri: elsewhere }), "endpoint"],
  ["keys over plain http", discovering({ jwks_uri: plain }), "endpoint"],
  ["no address of keys", discovering({ jwks_uri: undefined }), "malformed"],
  [
    "userinfo elsewhere (SSRF)",
    { ...withoutGroups, ...discovering({ userinfo_endpoint: elsewhere }) },
    "endpoint",
  ],
  ["a redirect of the discovery elsewhere (SSRF)", redirecting(discovery, 302), "endpoint"],
  ["a redirect of the token endpoint, with the code (307)", redirecting("/token", 307), "endpoint"],
  ["a redirect of the token endpoint (302)", redirecting("/token", 302), "endpoint"],
  ["a redirect of the keys", redirecting("/keys", 302), "endpoint"],
  [
    "a redirect of the userinfo endpoint, with the access token",
    { ...withoutGroups, ...redirecting("/userinfo", 307) },
    "endpoint",
  ],
  [
    "groups in a JWT of the userinfo endpoint that no one has signed",
    {
      ...withoutGroups,
      ...answering("/userinfo", 200, unsigned({ sub: "person-1", groups: ["admins"] }), {
        "content-type": "application/jwt",
      }),
    },
    "malformed",
  ],
  ["megabytes of keys", answering("/keys", 200, mebibyte), "size"],
  ["megabytes of discovery", answering(discovery, 200, mebibyte), "size"],
  ["megabytes of tokens", answering("/token", 200, mebibyte), "size"],
  ["an answer of the token endpoint without an end", endless("/token"), "size"],
  [
    "megabytes that travel as a kilobyte (compression)",
    answering("/token", 200, gzipSync(mebibyte), { "content-encoding": "gzip" }),
    "size",
  ],
  ["discovery that is no object", answering(discovery, 200, "[]"), "malformed"],
  ["a page instead of JSON", page("/token"), "malformed"],
];
