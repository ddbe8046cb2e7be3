import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import jsonwebtoken from "jsonwebtoken";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
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
  before(async () => {
    const [first = "", second = "", third = ""] = admin.token.split(".");
    parts = [first, second, third];
    header = JSON.parse(Buffer.from(first, "base64url").toString());
    claims = JSON.parse(Buffer.from(second, "base64url").toString());
  });

  const assertRefused = async (token: string, reason: string | undefined) => {
    const { status, json } = await agent.call("GET", "/api/users", { token });
    assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", reason]);
  };
  const signed = (change: { header?: Json; claims?: Json }) =>
    jsonwebtoken.sign(withoutAbsent({ ...claims, ...change.claims }), otherKey, {
      header: { alg: "HS256", typ: "at+jwt", ...change.header },
    });

  /** Signed by hand, with another key: jsonwebtoken makes no such claims. */
  const raw = (change: Json, rewrite = (text: string) => text): string => {
    const payload = Buffer.from(rewrite(JSON.stringify({ ...claims, ...change }))).toString("base64url");
    const signature = createHmac("sha256", otherKey).update(`${parts[0]}.${payload}`).digest("base64url");
    return `${parts[0]}.${payload}.${signature}`;
  };

  it("is a HS256 JWT of its own type with issuer, audience, subject, session and an end in 15 minutes", () => {
    assert.deepEqual(header, { alg: "HS256", typ: "at+jwt" });
    assert.deepEqual([claims.iss, claims.aud, claims.sub], ["steward", "steward-api", admin.id]);
    assert.equal(Number(claims.exp) - Number(claims.iat), 900);
    assert.match(String(claims.sid), /^ses_[0-9a-f]{32}$/);
  });

  describe("signed with another key is refused with the reason signature", () => {
    const forgeries: Record<string, { header?: Json; claims?: Json }> = {
      "and otherwise the same": {},
      "of another issuer": { claims: { iss: "somebody" } },
      "for another audience": { claims: { aud: "another-api" } },
      "of another type": { header: { typ: "JWT" } },
      "for a list of audiences": { claims: { aud: ["another-api", "steward-api"] } },
      "of an issuer in capitals": { claims: { iss: "STEWARD" } },
      "that ends in the year 9999": { claims: { exp: 253_402_300_799 } },
      "that was issued in the future": { claims: { iat: 4_102_444_800, exp: 4_102_445_700 } },
      "that is not to be used yet": { claims: { nbf: 4_102_444_800 } },
      "without an end": { claims: { exp: undefined } },
      "that expired long ago": { claims: { iat: 1, exp: 2 } },
      "with a key of its own in the header": { header: { jwk: { kty: "oct", k: "AAAA" } } },
      "with a key id that is a path": { header: { kid: "../../../../dev/null" } },
      "with a key id that is a query": { header: { kid: "x' UNION SELECT ''--" } },
      "with a key id that is a command": { header: { kid: "|reboot" } },
      "with a place to fetch keys from": {
        header: { jku: "http://127.0.0.1:1/keys", x5u: "http://127.0.0.1:1/" },
      },
      "with a certificate of its own": { header: { x5c: ["AAAA"] } },
    };
    for (const [name, change] of Object.entries(forgeries)) {
      it(name, () => assertRefused(signed(change), "signature"));
    }
    it("with an end that is text", () => assertRefused(raw({ exp: "4102444800" }), "signature"));
    it("with an end that is infinite", () =>
      assertRefused(
        raw({}, (text) => text.replace(/"exp":\d+/, '"exp":1e999')),
        "signature",
      ));
    it("with every claim twice, the old and new", () =>
      assertRefused(
        raw({}, (text) => `{"sub":"usr_0",${text.slice(1)}`),
        "signature",
      ));
    it("signed with no key at all: an HMAC with the empty key", () => {
      const signature = createHmac("sha256", "").update(`${parts[0]}.${parts[1]}`).digest("base64url");
      return assertRefused(`${parts[0]}.${parts[1]}.${signature}`, "signature");
    });
    it("with claims changed under the old signature (privilege escalation)", () =>
      assertRefused(
        `${parts[0]}.${encode({ ...claims, sub: `usr_${"1".repeat(32)}` })}.${parts[2]}`,
        "signature",
      ));
    it("with the end moved under the old signature", () =>
      assertRefused(`${parts[0]}.${encode({ ...claims, exp: 4_102_444_800 })}.${parts[2]}`, "signature"));
    it("with the first character of the signature changed", () => {
      const first = parts[2].startsWith("A") ? "B" : "A";
      return assertRefused(`${parts[0]}.${parts[1]}.${first}${parts[2].slice(1)}`, "signature");
    });
  });

  describe("that is no token of ours is refused with the reason malformed", () => {
    const privateKey = pemOfNewKey("P-256");
    const rsa = pemOfNewKey("rsa");
    const cases: Record<string, () => string> = {
      "alg none without a signature": () => `${encode({ ...header, alg: "none" })}.${parts[1]}.`,
      "alg None": () => `${encode({ ...header, alg: "None" })}.${parts[1]}.`,
      "alg none with the old signature": () =>
        `${encode({ ...header, alg: "none" })}.${parts[1]}.${parts[2]}`,
      "no alg": () => `${encode({ typ: "at+jwt" })}.${parts[1]}.${parts[2]}`,
      "HS512 with another key": () =>
        jsonwebtoken.sign(claims, otherKey, { algorithm: "HS512", header: { alg: "HS512", typ: "at+jwt" } }),
      "HS384 with another key": () =>
        jsonwebtoken.sign(claims, otherKey, { algorithm: "HS384", header: { alg: "HS384", typ: "at+jwt" } }),
      "RS256 with a key of the caller's": () =>
        jsonwebtoken.sign(claims, rsa, {
          algorithm: "RS256",
          header: { alg: "RS256", typ: "at+jwt" },
        }),
      "RS256 in the header of the old token": () =>
        `${encode({ ...header, alg: "RS256" })}.${parts[1]}.${parts[2]}`,
      "EdDSA in the header": () => `${encode({ ...header, alg: "EdDSA" })}.${parts[1]}.${parts[2]}`,
      "hs256 in small letters": () => `${encode({ ...header, alg: "hs256" })}.${parts[1]}.${parts[2]}`,
      "a list of algorithms": () => `${encode({ ...header, alg: ["HS256"] })}.${parts[1]}.${parts[2]}`,
      "an encrypted token's five parts": () => `${encode({ alg: "dir", enc: "A256GCM" })}..AAAA.AAAA.AAAA`,
      "ES256 with a key of the caller's": () =>
        jsonwebtoken.sign(claims, privateKey, {
          algorithm: "ES256",
          header: { alg: "ES256", typ: "at+jwt" },
        }),
      "two parts": () => `${parts[0]}.${parts[1]}`,
      "one part": () => parts[0],
      "four parts": () => `${admin.token}.x`,
      "empty parts": () => "..",
      "cut in the header": () => admin.token.slice(0, 10),
      "a header that is no JSON": () => `AAAA.${parts[1]}.${parts[2]}`,
      "5,000 characters": () => "A".repeat(5_000),
      "12,000 characters in three parts": () => ["A", "B", "C"].map((part) => part.repeat(4_000)).join("."),
    };
    for (const [name, make] of Object.entries(cases)) {
      it(name, () => assertRefused(make(), "malformed"));
    }
  });

  for (const left of [42, 39, 32, 22, 1]) {
    it(`cut to ${left} characters of its signature is refused`, () =>
      assertRefused(`${parts[0]}.${parts[1]}.${parts[2].slice(0, left)}`, "signature"));
  }

  it("without any of its signature is refused", () => assertRefused(`${parts[0]}.${parts[1]}.`, "malformed"));

  it("of a megabyte is not even read: 431, and the agent goes on", async () => {
    const { status, json } = await agent.call("GET", "/api/users", { token: "A".repeat(1_048_576) });
    assert.deepEqual([status, json.code], [431, "headers_too_large"]);
    assert.equal((await agent.call("GET", "/api/users", { token: admin.token })).status, 200);
  });

  it("is read from the Authorization header alone: not from query, body or cookie", async () => {
    const cookie = { cookie: `token=${admin.token}; access_token=${admin.token}` };
    assert.equal(
      (await agent.call("GET", "/api/auth/me", { headers: cookie })).json.code,
      "authentication_required",
    );
    const query = await agent.call("GET", `/api/auth/me?access_token=${admin.token}`);
    assert.equal(query.json.code, "authentication_required");
  });

  for (const value of ["Bearer", "Bearer ", "Bearer  two-blanks", "Bearer a b", "bearer", "Token abc", ""]) {
    it(`asks for a token when the header is ${JSON.stringify(value)}`, async () => {
      const { status, json } = await agent.call("GET", "/api/auth/me", { headers: { authorization: value } });
      assert.deepEqual([status, json.code], [401, "authentication_required"]);
    });
  }

  it("is taken whatever the case of the scheme (RFC 9110 §11.1)", async () => {
    const headers = { authorization: `bEARER ${admin.token}` };
    assert.equal((await agent.call("GET", "/api/auth/me", { headers })).status, 200);
  });

  it("still works after all of these refusals", async () => {
    assert.equal((await agent.call("GET", "/api/users", { token: admin.token })).status, 200);
  });
});

/** jsonwebtoken refuses to sign a member that is there and undefined. */
function withoutAbsent(claims: Json): Json {
  return JSON.parse(JSON.stringify(claims));
}
