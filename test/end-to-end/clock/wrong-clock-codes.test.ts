import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, untilLogged } from "../../../lab/agents/checked-agent.ts";
import { type CodedUser, codedUser, stepSeconds } from "../../../lab/agents/coded-user.ts";
import { startTimedAgent } from "../../../lab/agents/faked-time.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

const year = 365 * 86_400;
const trusted = { trust: "trusted", state: "synchronised", synchronised: true };
const untrusted = { trust: "none", state: "unsynchronised", synchronised: false };

function outcome({ status, json }: Answer): unknown[] {
  return [status, json.code];
}

describe("codes under a clock that is stepped by a year and back", () => {
  let ana: CodedUser;
  const used: { code: string; atSeconds: number }[] = [];
  const enter = async (): Promise<void> => {
    const code = ana.nextCode();
    used.push({ code, atSeconds: agent.nowSeconds() });
    const { status, text } = await ana.signIn({ code });
    assert.equal(status, 200, text);
  };
  /** Puts the clock back to when this code was used. */
  const againRefused = async (index: number): Promise<void> => {
    const { code, atSeconds } = used[index] ?? assert.fail(`no code ${index} was used`);
    agent.stepClock(atSeconds - agent.nowSeconds());
    assert.deepEqual(outcome(await ana.signIn({ code })), [401, "totp_reused"]);
  };
  const agent = ofSuite(() => startTimedAgent({ clock: trusted }));
  before(async () => {
    await agent.signedInAdmin();
    ana = await codedUser(agent, "ana");
  });

  it("lets the user in before, a year ahead, and back again", async () => {
    await enter();
    agent.stepClock(year);
    await enter();
    agent.stepClock(-year);
    await enter();
  });

  it("takes none of these codes twice, when their time comes again, in whatever order", async () => {
    for (const index of [2, 0, 1, 0, 2]) await againRefused(index);
  });

  it("and lets the user in again in that year, and after it", async () => {
    await againRefused(1);
    await enter();
    await againRefused(3);
    await againRefused(2);
    await enter();
    await againRefused(4);
  });
});

describe("an authenticator that is three minutes ahead", () => {
  let bob: CodedUser;
  const syncs = () => agent.log().split("a background sync was asked for").length - 1;
  const skews = async () =>
    (await agent.call("GET", "/api/events?after=0&type=two_factor.skew_seen", { local: true })).json.items;
  const suspected = async (seconds: number): Promise<boolean> => {
    const answer = await bob.signIn({ code: bob.codeAhead(seconds) });
    assert.deepEqual(outcome(answer), [401, "totp_invalid"]);
    agent.stepClock(stepSeconds);
    return answer.json.clock.skew_suspected;
  };
  const agent = ofSuite(() => startTimedAgent({ clock: untrusted }));
  before(async () => {
    await agent.signedInAdmin();
    bob = await codedUser(agent, "bob");
  });

  it("is suspected at the first wrong code while the clock is not trusted", async () => {
    const answer = await bob.signIn({ code: bob.codeAhead(180) });
    assert.deepEqual(outcome(answer), [401, "totp_invalid"]);
    assert.equal(answer.json.title, "Invalid token");
    assert.equal(answer.json.clock.skew_suspected, true);
    assert.equal(answer.json.clock.state, "unsynchronised");
    assert.ok(answer.headers.date, "a Date header");
  });

  it("is written down with the exact skew, for administrators, and never with the code", async () => {
    const [event, ...more] = await skews();
    assert.equal(more.length, 0);
    assert.ok([150, 180].includes(event.details.skew_seconds), `${event.details.skew_seconds} s`);
    assert.equal(event.details.is_clock_trusted, false);
    assert.equal(event.subject.name, "bob");
    const { token } = await agent.signedIn("eve", "operator");
    const shown = await agent.call("GET", "/api/events?after=0&type=two_factor.skew_seen", { token });
    assert.deepEqual(shown.json.items, [], "of others it is for administrators");
  });

  it("has one synchronisation asked for, however many codes are wrong within five minutes", async () => {
    await untilLogged(agent, /a background sync was asked for/);
    for (const seconds of [180, 210, 86_400]) await suspected(seconds);
    assert.equal(syncs(), 1);
  });

  it("is not suspected for a code that is none of any time near", async () => {
    assert.equal(await suspected(86_400), false);
  });

  it("under a clock that is trusted it takes two tries in a row with one skew", async () => {
    agent.knowClock(trusted);
    assert.equal(await suspected(180), false);
    assert.equal(await suspected(-240), false);
    assert.equal(await suspected(180), false);
    assert.equal(await suspected(180), true);
    const seen = (await skews()).at(-1).details;
    assert.ok(seen.is_clock_trusted && [150, 180].includes(seen.skew_seconds), JSON.stringify(seen));
  });

  it("and a right code between the two ends the row", async () => {
    agent.stepClock(20 * 60);
    assert.equal(await suspected(180), true, "the row of before goes on");
    assert.equal((await bob.signIn({ code: bob.nextCode() })).status, 200);
    assert.equal(await suspected(180), false);
    assert.equal(syncs(), 1, "none is asked for while the clock is trusted");
  });

  it("has burnt what it hit: a guess at a step ahead does not work when its time comes", async () => {
    agent.stepClock(20 * 60);
    const guess = bob.codeAhead(300);
    assert.deepEqual(outcome(await bob.signIn({ code: guess })), [401, "totp_invalid"]);
    agent.stepClock(300);
    assert.deepEqual(outcome(await bob.signIn({ code: guess })), [401, "totp_reused"]);
    assert.equal((await bob.signIn({ code: bob.nextCode() })).status, 200, "the one behind it works");
  });

  it("and neither does a guess when the clock itself is stepped to it", async () => {
    const guess = bob.codeAhead(-300);
    assert.deepEqual(outcome(await bob.signIn({ code: guess })), [401, "totp_invalid"]);
    agent.stepClock(-300);
    assert.deepEqual(outcome(await bob.signIn({ code: guess })), [401, "totp_reused"]);
  });
});

describe("enabling two-factor sign-in", () => {
  const agent = ofSuite(() => startTimedAgent({ clock: untrusted }));
  before(() => agent.signedInAdmin());

  const begun = async (username: string) => {
    const { id, token } = await agent.signedIn(username, "operator");
    const { json } = await agent.call("POST", `/api/users/${id}/2fa/setup`, { token });
    const code = codeOf(json.secret, agent.nowSeconds());
    const enable = (body: object = {}) =>
      agent.call("POST", `/api/users/${id}/2fa/enable`, { token, body: { code, ...body } });
    return { username, enable };
  };

  it("is 409 clock_not_synchronised while the clock is not trusted, and costs no code", async () => {
    const { enable, username } = await begun("cleo");
    const refused = await enable();
    assert.deepEqual(outcome(refused), [409, "clock_not_synchronised"]);
    assert.equal(refused.json.clock.state, "unsynchronised");
    assert.deepEqual(outcome(await enable({ allow_unsynchronised_clock: false })), [
      409,
      "clock_not_synchronised",
    ]);
    await agent.login(username, goodPassword);
    assert.equal((await enable({ allow_unsynchronised_clock: true })).status, 200);
  });

  it("needs no confirmation while it is trusted", async () => {
    const { enable } = await begun("dora");
    assert.equal((await enable()).status, 409);
    agent.knowClock({ trust: "accepted" });
    assert.equal((await enable()).status, 200);
  });
});
