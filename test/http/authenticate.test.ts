import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import jsonwebtoken from "jsonwebtoken";
import Koa from "koa";
import { unobservedClock } from "../../lab/simulated/unobserved-clock.ts";
import type { StoredSession } from "../../src/accounts/sessions/session.ts";
import { createStepUps } from "../../src/accounts/sessions/step-up.ts";
import { accessTokenRules, createAccessTokens } from "../../src/accounts/tokens/access-tokens.ts";
import { type BearerOptions, createBearer } from "../../src/accounts/tokens/bearer.ts";
import { createTrustedTime } from "../../src/accounts/trusted-time.ts";
import type { Account } from "../../src/accounts/users/account.ts";
import type { ClockTrust } from "../../src/clock/trust/clock-state.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { createAuthenticate, createVerifiedTokens } from "../../src/http/authenticate.ts";

const userId = `usr_${"a".repeat(32)}`;
const sessionId = `ses_${"b".repeat(32)}`;
const start = new Date("2030-01-01T00:00:00.000Z");

/** Tokens that need the agent's own key: from outside they fail by their signature. */
describe("a token signed with the right key", () => {
  const clock = { wall: start.getTime(), uptime: 1_000, trust: "none" as ClockTrust };
  const uptime = () => clock.uptime;
  const time = createTrustedTime({
    wall: () => clock.wall,
    uptime,
    readClock: () => ({ ...unobservedClock, trust: clock.trust }),
    floor: () => start,
  });
  const tokens = createAccessTokens({ time, uptime });
  const account = { id: userId, enabled: true, role: "admin", password_state: "chosen" } as Account;
  const session = { id: sessionId, user_id: userId } as StoredSession;
  const bearer = createBearer({
    accounts: { find: (id: string) => (id === userId ? account : undefined) } as BearerOptions["accounts"],
    sessions: {
      find: (id: string) => (id === sessionId ? session : undefined),
      noteUse: () => undefined,
    } as unknown as BearerOptions["sessions"],
    apiTokens: {} as BearerOptions["apiTokens"],
    stepUps: createStepUps(uptime),
    time,
    uptime,
    security: () => ({ require_2fa: "none" }) as ReturnType<BearerOptions["security"]>,
  });
  const authenticate = createAuthenticate(tokens, bearer);
  let server: Server;
  let url: string;
  before(async () => {
    const app = new Koa();
    app.use(async (ctx) => {
      try {
        const isClockTolerant = ctx.path === "/time-sync";
        const actor = await authenticate(ctx, { isLocal: false, address: "192.0.2.7", isClockTolerant });
        ctx.body = actor.kind === "user" && actor.isTolerated ? "tolerated" : actor.kind;
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

  const ask = async (token: string, path = "/"): Promise<string> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).text();
  const seconds = start.getTime() / 1_000;
  const claims = {
    sub: userId,
    sid: sessionId,
    iss: "steward",
    aud: "steward-api",
    iat: seconds,
    exp: seconds + 900,
    epoch: time.epoch(),
    uptime: clock.uptime,
  };
  const sign = (change: object, header: object = {}, algorithm: "HS256" | "HS384" | "HS512" = "HS256") =>
    jsonwebtoken.sign(withoutAbsent({ ...claims, ...change }), tokens.key, {
      algorithm,
      header: { alg: algorithm, typ: "at+jwt", ...header },
    });

  it("is remembered as one of the latest alone, so that tokens never fill the memory", async () => {
    const verified = createVerifiedTokens(tokens, 2);
    const signed = ["one", "two", "three"].map((jti) => sign({ jti }));
    for (const token of signed) {
      const request = new IncomingMessage(new Socket());
      request.headers.authorization = `Bearer ${token}`;
      await verified.verify(new Koa().createContext(request, new ServerResponse(request)), token);
    }
    const found = signed.map((token) => verified.known(token)?.subject);
    assert.deepEqual(found, [undefined, userId, userId]);
  });

  /** Signed here: jsonwebtoken itself makes no such token. */
  const raw = (payload: object): string => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "HS256", typ: "at+jwt" })}.${part(payload)}`;
    return `${signed}.${createHmac("sha256", tokens.key).update(signed).digest("base64url")}`;
  };

  it("is taken when all of it is right", async () => {
    assert.equal(await ask(sign({})), "user");
    assert.equal(await ask(tokens.issue(userId, sessionId)), "user");
  });

  it("is refused as malformed where one claim is another's, is absent or has another form", async () => {
    for (const token of [
      ...[{ iss: "somebody" }, { iss: undefined }, { aud: "another" }, { aud: undefined }].map((one) =>
        sign(one),
      ),
      ...[{ exp: undefined }, { exp: 253_402_300_799 }, { epoch: undefined }, { uptime: undefined }].map(
        (one) => sign(one),
      ),
      ...[{ sid: undefined }, { sid: { length: 1 } }].map((one) => sign(one)),
      raw({ ...claims, exp: `${seconds + 900}` }),
      raw({ ...claims, iat: undefined }),
      ...[{ typ: "JWT" }, { typ: undefined }].map((header) => sign({}, header)),
      ...(["HS384", "HS512"] as const).map((algorithm) => sign({}, {}, algorithm)),
    ])
      assert.equal(await ask(token), "invalid_token malformed", token);
  });

  it("is refused as revoked when its session has ended, or is another user's", async () => {
    assert.equal(await ask(sign({ sid: `ses_${"c".repeat(32)}` })), "invalid_token revoked");
    assert.equal(await ask(sign({ sub: `usr_${"c".repeat(32)}` })), "invalid_token revoked");
  });

  /** Both clocks run on, as they do. */
  const pass = (secondsLater: number) => {
    clock.wall += secondsLater * 1_000;
    clock.uptime += secondsLater;
  };
  /** The wall clock is set; monotonic time does not care. */
  const step = (secondsLater: number) => {
    clock.wall += secondsLater * 1_000;
  };

  describe("expiry, with a minute of leeway", () => {
    it("takes it up to the last second, and refuses it as expired from then on, from memory as from its signature", async () => {
      const [remembered, fresh] = [tokens.issue(userId, sessionId), tokens.issue(userId, sessionId)];
      assert.equal(await ask(remembered), "user");
      pass(900 + accessTokenRules.clockTolerance - 1);
      assert.equal(await ask(remembered), "user");
      pass(1);
      assert.equal(await ask(remembered), "invalid_token expired");
      assert.equal(await ask(fresh), "invalid_token expired");
      pass(1_000_000);
      assert.equal(await ask(remembered), "invalid_token expired");
    });
    it("takes a token whose time of issue lies in the future: iat is never enforced", async () => {
      const token = tokens.issue(userId, sessionId);
      step(-29);
      assert.equal(await ask(token), "user");
      step(29);
    });
  });

  describe("when the clock is stepped by more than 30 s", () => {
    for (const seconds of [31, -31, 86_400 * 90, -86_400 * 365])
      it(`by ${seconds} s: every token from before is refused once, as clock_epoch; a new one is taken`, async () => {
        const before = tokens.issue(userId, sessionId);
        assert.equal(await ask(before), "user");
        step(seconds);
        assert.equal(await ask(before), "invalid_token clock_epoch");
        assert.equal(await ask(tokens.issue(userId, sessionId)), "user");
      });
    it("and back again: a token of before is taken again, and ends no later for it (a step lengthens nothing)", async () => {
      const before = tokens.issue(userId, sessionId);
      step(-3_600);
      assert.equal(await ask(before), "invalid_token clock_epoch");
      step(3_600);
      assert.equal(await ask(before), "user");
      step(-3_600);
      pass(960);
      assert.equal(await ask(before), "invalid_token clock_epoch");
      step(3_600);
      assert.equal(await ask(before), "invalid_token expired");
    });
  });

  describe("on the routes that mend the clock", () => {
    const mend = (token: string) => ask(token, "/time-sync");
    it("is tolerated when its times alone are wrong, for an hour of monotonic time", async () => {
      clock.trust = "none";
      const token = tokens.issue(userId, sessionId);
      step(-86_400);
      assert.equal(await mend(token), "tolerated");
      pass(3_599);
      assert.equal(await mend(token), "tolerated");
      pass(1);
      assert.equal(await mend(token), "invalid_token clock_epoch");
    });
    it("is tolerated when the clock is trusted in the hour after a step alone", async () => {
      clock.trust = "trusted";
      pass(3_601);
      const token = tokens.issue(userId, sessionId);
      pass(961);
      assert.equal(await mend(token), "invalid_token expired");
      const later = tokens.issue(userId, sessionId);
      step(86_400);
      assert.deepEqual([await mend(later), await ask(later)], ["tolerated", "invalid_token clock_epoch"]);
    });
    it("is never tolerated when its session has ended, or its signature is another's", async () => {
      step(86_400);
      assert.equal(await mend(sign({ sid: `ses_${"c".repeat(32)}` })), "invalid_token revoked");
      assert.equal(await mend(`${sign({}).slice(0, -4)}AAAA`), "invalid_token signature");
    });
  });

  it("of a user who was disabled is refused as revoked, also from memory", async () => {
    const token = tokens.issue(userId, sessionId);
    assert.equal(await ask(token), "user");
    Object.assign(account, { enabled: false });
    assert.equal(await ask(token), "invalid_token revoked");
  });
});

/** jsonwebtoken refuses to sign a member that is there and undefined. */
function withoutAbsent(claims: object): object {
  return JSON.parse(JSON.stringify(claims));
}
