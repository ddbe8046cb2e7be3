import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import jsonwebtoken from "jsonwebtoken";
import Koa from "koa";
import { accessTokenRules, createAccessTokens } from "../../src/auth/access-tokens.ts";
import type { StoredSession } from "../../src/auth/session.ts";
import { StewardError } from "../../src/errors.ts";
import { createAuthenticate } from "../../src/http/authenticate.ts";
import type { Account } from "../../src/users/account.ts";

const userId = `usr_${"a".repeat(32)}`;
const sessionId = `ses_${"b".repeat(32)}`;
const start = new Date("2030-01-01T00:00:00.000Z");

/** What only whoever has the agent's own key could send; from outside such tokens fail by their signature. */
describe("a token signed with the right key", () => {
  let now = start;
  const tokens = createAccessTokens(() => now);
  const account = { id: userId, enabled: true, role: "admin" } as Account;
  const session = { id: sessionId, user_id: userId } as StoredSession;
  const authenticate = createAuthenticate({
    tokens,
    now: () => now,
    sessions: { find: (id: string) => (id === sessionId ? session : undefined) } as Parameters<
      typeof createAuthenticate
    >[0]["sessions"],
    accounts: { find: (id: string) => (id === userId ? account : undefined) } as Parameters<
      typeof createAuthenticate
    >[0]["accounts"],
  });
  let server: Server;
  let url: string;
  before(async () => {
    const app = new Koa();
    app.use(async (ctx) => {
      try {
        ctx.body = (await authenticate(ctx, false)).kind;
      } catch (error) {
        if (!(error instanceof StewardError)) throw error;
        ctx.body = `${error.code} ${error.details.reason}`;
      }
    });
    server = createServer(app.callback()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const ask = async (token: string): Promise<string> =>
    (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
  const seconds = start.getTime() / 1_000;
  const claims = { sub: userId, sid: sessionId, iss: "steward", aud: "steward-api", exp: seconds + 900 };
  const sign = (change: object, header: object = {}, algorithm: "HS256" | "HS384" | "HS512" = "HS256") =>
    jsonwebtoken.sign(withoutAbsent({ ...claims, ...change }), tokens.key, {
      algorithm,
      noTimestamp: true,
      header: { alg: algorithm, typ: "at+jwt", ...header },
    });

  it("is taken when all of it is right", async () => {
    assert.equal(await ask(sign({})), "user");
    assert.equal(await ask(tokens.issue(userId, sessionId)), "user");
  });

  const refused: Record<string, () => string> = {
    "of another issuer": () => sign({ iss: "somebody" }),
    "without an issuer": () => sign({ iss: undefined }),
    "for another audience": () => sign({ aud: "another" }),
    "without an audience": () => sign({ aud: undefined }),
    "without an end": () => sign({ exp: undefined }),
    "of another type": () => sign({}, { typ: "JWT" }),
    "without a type": () => sign({}, { typ: undefined }),
    "by HS384": () => sign({}, {}, "HS384"),
    "by HS512": () => sign({}, {}, "HS512"),
    "without a session": () => sign({ sid: undefined }),
    "with a session that is no text": () => sign({ sid: { length: 1 } }),
  };
  for (const [name, make] of Object.entries(refused)) {
    it(`is refused as malformed ${name}`, async () => {
      assert.equal(await ask(make()), "invalid_token malformed");
    });
  }

  it("is refused as revoked when its session has ended, or is another user's", async () => {
    assert.equal(await ask(sign({ sid: `ses_${"c".repeat(32)}` })), "invalid_token revoked");
    assert.equal(await ask(sign({ sub: `usr_${"c".repeat(32)}` })), "invalid_token revoked");
  });

  describe("expiry, with a minute of leeway", () => {
    const at = (secondsLater: number) => {
      now = new Date(start.getTime() + secondsLater * 1_000);
    };
    const fresh = sign({ jti: "never asked before it expired" });
    const remembered = tokens.issue(userId, sessionId);
    it("takes it up to the last second, from memory as from its signature", async () => {
      at(900 + accessTokenRules.clockTolerance - 1);
      assert.equal(await ask(remembered), "user");
    });
    it("refuses it as expired from then on, from memory as from its signature", async () => {
      at(900 + accessTokenRules.clockTolerance);
      assert.equal(await ask(remembered), "invalid_token expired");
      assert.equal(await ask(fresh), "invalid_token expired");
      at(1_000_000);
      assert.equal(await ask(remembered), "invalid_token expired");
    });
    it("takes a token that was issued in what is now the future: iat is never enforced", async () => {
      at(1_000);
      const later = tokens.issue(userId, sessionId);
      at(-100_000);
      assert.equal(await ask(later), "user");
      at(0);
    });
  });

  it("of a user who was disabled is refused as revoked, also from memory", async () => {
    const token = sign({});
    assert.equal(await ask(token), "user");
    Object.assign(account, { enabled: false });
    assert.equal(await ask(token), "invalid_token revoked");
  });
});

/** jsonwebtoken refuses to sign a member that is there and undefined. */
function withoutAbsent(claims: object): object {
  return JSON.parse(JSON.stringify(claims));
}
