import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { goodPassword, type SignedIn } from "../../../lab/agents/checked-agent.ts";
import { type CodedUser, coded, codedUser } from "../../../lab/agents/coded-user.ts";
import {
  startTimedAgent,
  startTimedAgentInProcess,
  type TimedAgent,
} from "../../../lab/agents/faked-time.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

const [hour, day] = [3_600, 86_400];
const trusted = { trust: "trusted", state: "synchronised", synchronised: true };
const untrusted = { trust: "none", state: "unsynchronised", synchronised: false };

/** Seconds from now to the beginning of February 1970, where a board without a battery may begin. */
const toThe1970s = () => 31 * day - Date.now() / 1_000;

describe("a wrong clock and what was given out before it", () => {
  const home = scratchDirectory();
  let agent: TimedAgent;
  let ana: CodedUser;
  let kept: SignedIn;
  const tokens = { seen: "", unseen: "", living: "" };
  const use = (token: string) => agent.call("GET", "/api/system", { token });
  const makeToken = async (token: string, expires_in: string): Promise<string> => {
    const body = { name: expires_in, scopes: ["system:read"], expires_in };
    const { status, json, text } = await agent.call("POST", "/api/tokens", { token, body });
    assert.equal(status, 201, text);
    return json.token;
  };
  const assertDead = async (token: string): Promise<void> => {
    const { status, json } = await use(token);
    assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "expired"]);
  };
  const assertAlive = async (token: string): Promise<void> => assert.equal((await use(token)).status, 200);
  const start = async (offsetSeconds: number, clock: object): Promise<void> => {
    agent = await startTimedAgent({ stateDirectory: join(home, "state"), offsetSeconds, clock });
  };

  before(async () => {
    await start(0, trusted);
    await agent.signedInAdmin();
    ana = await codedUser(agent, "ana");
    kept = await agent.signedIn("keeper", "operator");
    tokens.seen = await makeToken(kept.token, "1h");
    tokens.unseen = await makeToken(kept.token, "1h");
    tokens.living = await makeToken(kept.token, "90d");
  });
  after(() => agent.dispose());

  it("two hours later, trusted again, has expired the API token of an hour, which stays so when it goes back", async () => {
    agent.knowClock(untrusted);
    await assertAlive(tokens.seen);
    agent.knowClock(trusted);
    agent.stepClock(2 * hour);
    await assertDead(tokens.seen);
    await assertAlive(tokens.living);
    agent.stepClock(-2 * hour);
    for (const state of [trusted, untrusted]) {
      agent.knowClock(state);
      await assertDead(tokens.seen);
    }
    agent.stepClock(2 * hour);
  });

  describe("in 1970 after a start of the agent", () => {
    before(async () => {
      await agent.dispose();
      await start(toThe1970s(), untrusted);
      ana = coded(agent, ana);
    });

    it("lets the session of before go on by refresh", async () => {
      assert.equal(new Date(agent.nowSeconds() * 1_000).getUTCFullYear(), 1970);
      const me = async () => (await agent.call("GET", "/api/auth/me", { token: kept.token })).json;
      assert.equal((await me()).reason, "signature");
      const body = { refresh_token: kept.refreshToken };
      kept.token = (await agent.call("POST", "/api/auth/refresh", { body })).json.access_token;
      assert.equal((await me()).username, "keeper");
    });
    it("lets people in, with the code of 1970, once", async () => {
      const code = ana.codeAhead(0);
      assert.equal((await ana.signIn({ code })).status, 200);
      assert.equal((await ana.signIn({ code })).json.code, "totp_reused");
    });
    it("revives no API token, neither the one that was seen to expire nor the one that was not used, and kills none", async () => {
      await assertDead(tokens.seen);
      await assertDead(tokens.unseen);
      await assertAlive(tokens.living);
    });
    it("makes API tokens that live", async () => {
      await agent.call("POST", "/api/auth/reauth", { token: kept.token, body: { password: goodPassword } });
      await assertAlive(await makeToken(kept.token, "1h"));
    });
  });
});

describe("what a 401 says of the clock", () => {
  let bob: CodedUser;
  let apiToken: string;
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: trusted }));
  before(async () => {
    await agent.signedInAdmin();
    bob = await codedUser(agent, "bob");
    const { token } = await agent.signedIn("maker", "operator");
    const body = { name: "short", scopes: ["system:read"], expires_in: "1h" };
    apiToken = (await agent.call("POST", "/api/tokens", { token, body })).json.token;
  });

  const get = (token: string) => agent.call("GET", "/api/auth/me", { token });
  const forged = () => `${bob.token.slice(0, -6)}AAAAAA`;
  const post = (path: string, body: object) => agent.call("POST", path, { body });

  it("is the time and no more to strangers, and nothing to a wrong password, with whatever code", async () => {
    for (const asked of [
      get(forged()),
      get("x.y.z"),
      get(`stw_${"A".repeat(43)}`),
      post("/api/auth/refresh", { refresh_token: `str_${"A".repeat(43)}` }),
    ]) {
      const { json, headers } = await asked;
      assert.equal(json.code, "invalid_token");
      assert.deepEqual(Object.keys(json.clock).sort(), ["server_time", "synchronised"]);
      assert.ok(headers.date, "a Date header");
    }
    for (const code of [undefined, "123456", bob.codeAhead(180)]) {
      const body = { username: "bob", password: "not their password, no", ...(code && { code }) };
      const { json } = await post("/api/auth/login", body);
      assert.deepEqual([json.code, json.clock], ["invalid_credentials", undefined]);
    }
  });

  const usedCode = async () => {
    const code = bob.nextCode();
    assert.equal((await bob.signIn({ code })).status, 200);
    return bob.signIn({ code });
  };
  it("is all that the device knows to those who proved who they are", async () => {
    const wrongCode = () => ({ code: bob.codeAhead(day) });
    for (const [who, ask] of Object.entries<() => Promise<Answer>>({
      "a token of the right signature": () => get(bob.token),
      "an API token of ours": () => get(apiToken),
      "the right password with a wrong code": () => bob.signIn(wrongCode()),
      "a challenge with a wrong code": async () =>
        post("/api/auth/totp", { challenge_token: await bob.challenge(), ...wrongCode() }),
      "the right password with a used code": usedCode,
    })) {
      agent.stepClock(2 * hour);
      const { status, json } = await ask();
      const known = [status, json.clock?.state, "last_step_at" in json.clock];
      assert.deepEqual(known, [401, "synchronised", true], who);
    }
  });
});
