/** ID tokens that an honest provider would not have made for this sign-in, each with the reason for its refusal. */
import { createHmac, createPrivateKey, createPublicKey } from "node:crypto";
import { pemOfNewKey } from "../../../lab/basics/new-key.ts";
import { claims, host, provider } from "./device-with-provider.ts";
import { clientId, clientSecret, encoded, type Json, type Lies, signed } from "./lying-provider.ts";

/** A case has a title, the false answers of the provider, and the `reason` of the refusal. */
export type Case = readonly [name: string, lies: Lies, reason: string];

const now = host.time.nowSeconds();
const strangersKey = createPrivateKey(pemOfNewKey("P-256"));
const strangersJwk = createPublicKey(strangersKey).export({ format: "jwk" });

/** A provider whose ID token is signed by a stranger, with this in its header. */
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

const offering = (...algorithms: string[]): Lies => ({
  discovery: (doc) => ({ ...doc, id_token_signing_alg_values_supported: algorithms }),
});

const unsigned: Lies = {
  idToken: (header, body) => `${encoded({ ...header, alg: "none" })}.${encoded(body)}.`,
};

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

export const falseIdTokens: readonly Case[] = [
  ["an ID token that was made for an earlier sign-in (replay)", replaying(), "nonce"],
  ["a nonce that is not text", claims({ nonce: 1 }), "nonce"],
  ["an ID token without an issuer", claims({ iss: undefined }), "malformed"],
  ["the issuer with a slash more", claims({ iss: `${provider.issuer}/` }), "issuer"],
  ["no audience", claims({ aud: undefined }), "malformed"],
  ["an empty audience", claims({ aud: [] }), "audience"],
  ["several audiences that are others", claims({ aud: ["one", "another"] }), "audience"],
  [
    "several audiences, and azp of another",
    claims({ aud: [clientId, "another"], azp: "another" }),
    "authorized_party",
  ],
  ["an ID token that never expires", claims({ exp: undefined }), "malformed"],
  ["an expiry that is text", claims({ exp: `${now + 300}` }), "malformed"],
  // By the wall clock, which runs on while a slow machine is at it.
  ["an ID token that is not valid yet (nbf)", claims({ nbf: now + 600 }), "expired"],
  ["an ID token without the time of its making", claims({ iat: undefined }), "malformed"],
  ["a sign-in of tomorrow (auth_time)", claims({ auth_time: now + 86_400 }), "auth_time"],
  ["an empty subject", claims({ sub: "" }), "malformed"],
  ["a subject that is a number", claims({ sub: 1 }), "malformed"],
  ["alg none, which the discovery offers", { ...offering("none"), ...unsigned }, "algorithm"],
  ["alg HS256 with the secret of the device", byHmac(() => clientSecret), "algorithm"],
  [
    "alg HS256 with the public key, which the discovery offers",
    { ...offering("HS256"), ...byHmac(() => provider.publicKey()) },
    "algorithm",
  ],
  ["an algorithm that does not exist", { header: (header) => ({ ...header, alg: "XS256" }) }, "algorithm"],
  [
    "an algorithm of another kind of key (RS256 beside an ES256 key)",
    { ...offering("ES256", "RS256"), header: (header) => ({ ...header, alg: "RS256" }) },
    "signature",
  ],
  ["no algorithm", { header: ({ alg: _, ...header }) => header }, "algorithm"],
  ["the signature of a stranger under the provider's key identifier", byStranger({}), "signature"],
  ["a key that the token brings along (jwk)", byStranger({ kid: undefined, jwk: strangersJwk }), "signature"],
  [
    "a key that the token refers to (jku)",
    byStranger({ kid: "stranger", jku: "https://evil.example/keys" }),
    "signature",
  ],
  [
    "a key that is published for encryption",
    { keys: ({ keys }) => ({ keys: (keys as Json[]).map((key) => ({ ...key, use: "enc" })) }) },
    "signature",
  ],
  ["no key at all", { keys: () => ({ keys: [] }) }, "signature"],
  [
    "two keys of the same name",
    { keys: ({ keys }) => ({ keys: [...(keys as Json[]), ...(keys as Json[])] }) },
    "signature",
  ],
  [
    "an ID token without its third part (unsigned)",
    { idToken: (header, body) => `${encoded(header)}.${encoded(body)}` },
    "malformed",
  ],
  [
    "an encrypted ID token, which was not agreed on",
    {
      idToken: () =>
        [{ alg: "RSA-OAEP", enc: "A256GCM" }, {}, {}, {}, {}].map((part) => encoded(part)).join("."),
    },
    "algorithm",
  ],
  ["no ID token", { token: ({ id_token: _, ...answer }) => answer }, "malformed"],
  ["a token that is not a bearer's", { token: (answer) => ({ ...answer, token_type: "mac" }) }, "malformed"],
];
