import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import jsonwebtoken from "jsonwebtoken";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { pemOfNewKey } from "../../../lab/basics/new-key.ts";

type Json = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const otherKey = createSecretKey(randomBytes(32));

describe("an access token", () => {
  let header: Json;
  let claims: Json;
  let parts: [string, string, string];
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  before(() => {
    parts = admin.token.split(".") as typeof parts;
    [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(String(Buffer.from(part, "base64url"))));
  });

  const signed = (change: Json = {}, key = otherKey) =>
    jsonwebtoken.sign(claims, key, { header: { alg: "HS256", typ: "at+jwt", ...change } });
  const byKeyPair = (algorithm: "RS256" | "ES256") => {
    const key = pemOfNewKey(algorithm === "RS256" ? "rsa" : "P-256");
    return jsonwebtoken.sign(claims, key, { algorithm, header: { alg: algorithm, typ: "at+jwt" } });
  };
  const withHeader = (change: Json, signature = parts[2]) =>
    `${encode({ ...header, ...change })}.${parts[1]}.${signature}`;
  const withClaims = (change: Json) => `${parts[0]}.${encode({ ...claims, ...change })}.${parts[2]}`;
  const withSignature = (signature: string) => `${parts[0]}.${parts[1]}.${signature}`;

  it("is a HS256 JWT of its own type with issuer, audience, subject, session and an end in 15 minutes", () => {
    assert.deepEqual(header, { alg: "HS256", typ: "at+jwt" });
    assert.deepEqual([claims.iss, claims.aud, claims.sub], ["steward", "steward-api", admin.id]);
    assert.equal(Number(claims.exp) - Number(claims.iat), 900);
    assert.match(String(claims.sid), /^ses_[0-9a-f]{32}$/);
  });

  const forgeries: Record<"signature" | "malformed", Record<string, () => string>> = {
    signature: {
      "of another key": () => signed(),
      "of another key that is in its header": () => signed({ jwk: { kty: "oct", k: "AAAA" } }),
      "of a key in a file": () => signed({ kid: "../../../../dev/null" }, createSecretKey(randomBytes(1))),
      "of a key elsewhere": () => signed({ jku: "http://127.0.0.1:1/keys", x5u: "http://127.0.0.1:1/" }),
      "of an empty key": () =>
        withSignature(createHmac("sha256", "").update(`${parts[0]}.${parts[1]}`).digest("base64url")),
      "for another user (privilege escalation)": () => withClaims({ sub: `usr_${"1".repeat(32)}` }),
      "with another end": () => withClaims({ exp: 4_102_444_800 }),
      "with another character in its signature": () =>
        withSignature(`${parts[2].startsWith("A") ? "B" : "A"}${parts[2].slice(1)}`),
      "with a signature cut by one": () => withSignature(parts[2].slice(0, -1)),
      "with one character of its signature": () => withSignature(parts[2].slice(0, 1)),
    },
    malformed: {
      "of alg none without a signature": () => withHeader({ alg: "none" }, ""),
      "of alg None with the old signature": () => withHeader({ alg: "None" }),
      "of no alg": () => withHeader({ alg: undefined }),
      "of alg hs256": () => withHeader({ alg: "hs256" }),
      "of a list of algs": () => withHeader({ alg: ["HS256"] }),
      "of HS512": () => signed({ alg: "HS512" }),
      "of RS256, by the caller's key": () => byKeyPair("RS256"),
      "of ES256, by the caller's key": () => byKeyPair("ES256"),
      "of five parts, as if it were encrypted": () => `${encode({ alg: "dir", enc: "A256GCM" })}..AAAA.A.A`,
      "without its signature": () => withSignature(""),
      "of two parts": () => `${parts[0]}.${parts[1]}`,
      "of empty parts": () => "..",
      "with a header that is no JSON": () => `AAAA.${parts[1]}.${parts[2]}`,
      "of 12,000 characters": () => ["A", "B", "C"].map((part) => part.repeat(4_000)).join("."),
    },
  };
  for (const [reason, row] of Object.entries(forgeries))
    for (const [name, make] of Object.entries(row))
      it(`${name} is refused: ${reason}`, async () => {
        const { status, json } = await agent.call("GET", "/api/users", { token: make() });
        assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", reason]);
      });

  it("of a megabyte is not even read: 431, and the agent goes on", async () => {
    const large = agent.call("GET", "/api/users", { token: "A".repeat(1_048_576) });
    assert.equal(await outcome(large), "431 headers_too_large");
  });

  it("is read from the Authorization header alone, whatever the case of the scheme (RFC 9110 §11.1)", async () => {
    const me = (headers: Record<string, string>, query = "") =>
      outcome(agent.call("GET", `/api/auth/me${query}`, { headers }));
    const cookie = { cookie: `token=${admin.token}; access_token=${admin.token}` };
    const missing = [await me(cookie), await me({}, `?access_token=${admin.token}`)];
    for (const authorization of ["Bearer", "Bearer  two-blanks", "Bearer a b", "Token abc", ""])
      missing.push(await me({ authorization }));
    assert.deepEqual([...new Set(missing)], ["401 authentication_required"]);
    assert.equal(await me({ authorization: `bEARER ${admin.token}` }), "200");
  });
});
