import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { context, virtualSignIn } from "../../../lab/simulated/virtual-sign-in.ts";
import { readClaims } from "../../../src/accounts/tokens/access-tokens.ts";
import { suspended } from "../../../src/accounts/tokens/api-token.ts";
import { createBearer } from "../../../src/accounts/tokens/bearer.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const [hour, day] = [3_600, 86_400];

async function begin(known?: Parameters<typeof virtualHost>[0]) {
  const host = virtualHost(known);
  const rooms = await virtualSignIn(host);
  const security = () => ({ require_2fa: "none" }) as never;
  const bearer = createBearer({ ...rooms, security });
  const wanted = { name: "fleet", scopes: ["time:write"] as const, lifetimeSeconds: 12 * hour };
  const { text, token } = await rooms.apiTokens.create(rooms.account(), wanted);
  const outcome = (work: () => { isTolerated: boolean }): string => {
    try {
      return work().isTolerated ? "tolerated" : "taken";
    } catch (error) {
      assert.ok(error instanceof StewardError && error.code === "invalid_token", String(error));
      return error.details.reason ?? "";
    }
  };
  /** On an ordinary route, and on one that mends the clock. */
  const use = (given = text) => outcome(() => bearer.program(given, false, context.address));
  const mend = (given = text) => outcome(() => bearer.program(given, true, context.address));
  /** Another administrator, so that the first one may go. */
  const another = () =>
    rooms.accounts.create({ username: "other-admin", role: "admin", password: "quiet otters borrow" }, null);
  const claimsOf = (sessionId: string) => ({
    ...{ subject: rooms.account().id, sessionId, expiresAt: rooms.time.nowSeconds() + 900 },
    ...{ epoch: rooms.time.epoch(), issuedUptime: host.uptime() },
  });
  return { host, ...rooms, bearer, text, token, use, mend, outcome, another, claimsOf };
}

describe("the claims of an access token", () => {
  const header = { alg: "HS256", typ: "at+jwt" };
  const claims = { sub: "usr_1", sid: "ses_1", iat: 1_000, exp: 1_900, epoch: 7, uptime: 5_000 };

  it("are read where all of them are there, and of a token that lives no longer than ours (RFC 9068 §4)", () => {
    const read = { subject: "usr_1", sessionId: "ses_1", expiresAt: 1_900, epoch: 7, issuedUptime: 5_000 };
    assert.deepEqual(readClaims(header, claims), read);
    assert.deepEqual(readClaims(header, { ...claims, exp: 1_001 }), { ...read, expiresAt: 1_001 });
    for (const other of [undefined, null, {}, { typ: "JWT" }])
      assert.equal(readClaims(other, claims), undefined, JSON.stringify(other));
    for (const change of [
      ...[{ sub: 7 }, { sid: undefined }, { exp: undefined }, { exp: "1900" }, { exp: 1_901 }],
      ...[{ iat: undefined }, { iat: "1000" }, { epoch: undefined }, { epoch: "7" }, { uptime: "5000" }],
    ])
      assert.equal(readClaims(header, { ...claims, ...change }), undefined, JSON.stringify(change));
    assert.equal(readClaims(header, null), undefined);
  });
});

describe("a person with an access token", () => {
  it("is stepped up for five minutes, and never while the token is only tolerated", async () => {
    const { host, bearer, sessions, stepUps, time, account, claimsOf } = await begin({ trust: "none" });
    const { session } = sessions.open(account().id, context);
    const claims = claimsOf(session.id);
    stepUps.grant(session.id);
    assert.equal(bearer.person(claims, true).isSteppedUp, true);
    host.step(-day);
    const tolerated = bearer.person(claims, true);
    assert.deepEqual([tolerated.isTolerated, tolerated.isSteppedUp], [true, false]);
    assert.equal(bearer.person({ ...claims, epoch: time.epoch() }, true).isSteppedUp, true);
  });
});

describe("an access token of before a step that was undone", () => {
  const issue = async () => {
    const rooms = await begin({ trust: "none" });
    const { session } = rooms.sessions.open(rooms.account().id, context);
    const claims = rooms.claimsOf(session.id);
    const use = (change: Partial<typeof claims> = {}) =>
      rooms.outcome(() => rooms.bearer.person({ ...claims, ...change }, false));
    const step = (seconds: number) => {
      rooms.host.step(seconds);
      return use();
    };
    return { ...rooms, use, step };
  };

  for (const seconds of [-365 * day, -hour, -31, 31, hour, 365 * day])
    it(`is refused after ${seconds} s, and taken again when now is back where it was`, async () => {
      const { step } = await issue();
      assert.deepEqual([step(seconds), step(-seconds)], ["clock_epoch", "taken"]);
    });

  it("is taken again when the step is made good by a measurement", async () => {
    const { step, host, use } = await issue();
    assert.equal(step(hour), "clock_epoch");
    host.know({ trust: "trusted", offsetSeconds: -hour });
    assert.equal(use(), "taken");
  });

  it("ends when it would have ended without the steps: none lengthens its life", async () => {
    for (const seconds of [-hour, hour]) {
      const { step, host, use } = await issue();
      host.pass(400);
      step(seconds);
      host.pass(500);
      assert.equal(step(-seconds), "taken", "900 s old, and 60 s of leeway");
      host.pass(60);
      assert.equal(use(), "expired");
    }
  });

  type Rooms = Awaited<ReturnType<typeof issue>>;
  const ends: [what: string, end: (rooms: Rooms) => Promise<unknown>][] = [
    ["its session ended", ({ sessions, account }) => sessions.endAll(account().id)],
    ["its owner was disabled", ({ accounts, account }) => accounts.update(account().id, { enabled: false })],
    ["its owner went", ({ accounts, account }) => accounts.remove(account().id)],
  ];
  for (const [what, end] of ends)
    it(`stays refused when ${what} meanwhile`, async () => {
      const rooms = await issue();
      await rooms.another();
      rooms.step(hour);
      await end(rooms);
      assert.equal(rooms.step(-hour), "revoked");
    });

  it("is none of another owner than it names", async () => {
    const { use } = await issue();
    assert.deepEqual([use(), use({ subject: `usr_${"0".repeat(32)}` })], ["taken", "revoked"]);
  });
});

describe("a program with an API token", () => {
  it("is tolerated where the clock is mended, when it was taken less than an hour before its end", async () => {
    const { host, use, mend } = await begin();
    use();
    host.know({ trust: "none" });
    host.pass(11.5 * hour);
    assert.equal(use(), "taken");
    host.pass(0.5 * hour);
    assert.deepEqual([mend(), use()], ["tolerated", "expired"]);
    host.pass(0.5 * hour - 1);
    assert.equal(mend(), "tolerated");
    host.pass(1);
    assert.equal(mend(), "expired", "tolerated uses do not prolong it");
  });

  it("is not tolerated when it was not taken since the agent's start", async () => {
    const { host, mend } = await begin();
    host.know({ trust: "none" });
    host.pass(12 * hour);
    assert.equal(mend(), "expired");
  });

  it("is tolerated in the first request after such a step", async () => {
    const { host, use, mend } = await begin();
    use();
    host.time.epoch();
    host.step(day);
    assert.equal(mend(), "tolerated");
  });

  it("is not tolerated an hour after such a step, however lately it was taken", async () => {
    const { host, use, mend } = await begin();
    host.pass(11.2 * hour);
    host.step(60);
    host.time.epoch();
    host.pass(0.7 * hour);
    assert.equal(use(), "taken");
    host.pass(0.3 * hour - 1);
    assert.equal(mend(), "tolerated");
    host.pass(1);
    assert.equal(mend(), "expired");
  });

  it("is not tolerated while the clock is trusted and was not stepped", async () => {
    const { host, use, mend } = await begin();
    host.pass(11.9 * hour);
    use();
    host.pass(0.2 * hour);
    assert.equal(mend(), "expired");
  });

  it("is never tolerated when its token was deleted, or its owner may not sign in", async () => {
    const { host, use, mend, apiTokens, accounts, account, token, another } = await begin();
    await another();
    use();
    host.know({ trust: "none" });
    host.pass(12 * hour);
    await accounts.update(account().id, { enabled: false });
    assert.deepEqual([mend(), use()], ["revoked", "revoked"]);
    await accounts.update(account().id, { enabled: true });
    await apiTokens.remove(({ id }) => id === token.id);
    assert.deepEqual([mend(), use()], ["revoked", "revoked"]);
  });

  it("is refused as suspended, also to mend the clock, until it is resumed", async () => {
    const { use, mend, apiTokens, tokens, token } = await begin({ trust: "none" });
    await tokens.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
    assert.deepEqual([use(), mend()], ["suspended", "suspended"]);
    await apiTokens.resume(token.id);
    assert.equal(use(), "taken");
  });

  it("that is unknown learns the time of the clock and no more; one of ours learns all", async () => {
    const { host, bearer, text } = await begin({ trust: "trusted", state: "synchronised" });
    host.pass(12 * hour);
    const clockSaid = (given: string) => {
      try {
        bearer.program(given, true, context.address);
      } catch (error) {
        return error instanceof StewardError ? Object.keys(error.details.clock ?? {}).sort() : [];
      }
      return assert.fail("it was taken");
    };
    assert.deepEqual(clockSaid(`stw_${"A".repeat(43)}`), ["server_time", "synchronised"]);
    assert.ok(clockSaid(text).includes("state"), "one of ours");
  });
});
