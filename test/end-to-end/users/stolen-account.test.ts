import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

type Intruded = SignedIn & { username: string; stolen: string };

describe("an API token that an intruder made with a stolen account", () => {
  const time = standingTime();

  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());

  const tokenOf = async ({ token }: SignedIn): Promise<string> => {
    const body = { name: "back door", scopes: ["system:read"] };
    const { status, json, text } = await agent.call("POST", "/api/tokens", { token, body });
    assert.equal(status, 201, text);
    return json.token;
  };
  const intruded = async (username: string): Promise<Intruded> => {
    const owner = await agent.signedIn(username, "operator");
    return { ...owner, username, stolen: await tokenOf(owner) };
  };
  /** As local root. */
  const root = async (method: string, path: string, body?: object) => {
    const answer = await agent.call(method, path, { local: true, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  const use = async (token: string) => {
    const { status, json } = await agent.call("GET", "/api/system", { token });
    return status === 200 ? "taken" : `${status} ${json.reason ?? json.code}`;
  };
  const newestEvent = async (type: string) => (await root("GET", `/api/events?type=${type}`)).items[0];

  it("ends with a reset of the password, which says how many did", async () => {
    const { id, stolen } = await intruded("reset");
    const { tokens_ended, tokens } = await root("POST", `/api/users/${id}/password-reset`, {});
    assert.equal(await use(stolen), "401 revoked");
    assert.deepEqual([tokens_ended, tokens], [1, 0]);
    const { details } = await newestEvent("user.password_reset");
    assert.deepEqual(details, { role: "operator", has_initial_password: true, tokens_ended: 1 });
  });

  it("ends when root rescues the user", async () => {
    const { id, stolen } = await intruded("rescued");
    const { tokens_ended } = await root("POST", `/api/users/${id}/rescue`);
    assert.equal(await use(stolen), "401 revoked");
    assert.equal(tokens_ended, 1);
    assert.equal((await newestEvent("user.rescued")).details.tokens_ended, 1);
  });

  describe("ends when the second factor is recovered", () => {
    const enrolled = async (username: string) => {
      const owner = await agent.signedIn(username, "operator");
      const { recoveryCodes } = await enrol(
        agent.call,
        { ...owner, password: goodPassword },
        time.nowSeconds(),
      );
      return { ...owner, stolen: await tokenOf(owner), recovery_code: recoveryCodes[0] };
    };
    it("by an administrator", async () => {
      const { id, stolen } = await enrolled("lost");
      const { tokens_ended } = await root("POST", `/api/users/${id}/2fa/recover`, { reason: "stolen" });
      assert.equal(await use(stolen), "401 revoked");
      assert.equal(tokens_ended, 1);
      const { details } = await newestEvent("two_factor.recovered");
      assert.deepEqual(details, { role: "operator", reason: "stolen", tokens_ended: 1 });
    });
    it("by the owner with a recovery code", async () => {
      const { id, stolen, recovery_code } = await enrolled("found");
      const body = { password: goodPassword, recovery_code };
      const { status, json, text } = await agent.call("POST", `/api/users/${id}/2fa/recover`, { body });
      assert.equal(status, 200, text);
      assert.equal(await use(stolen), "401 revoked");
      assert.deepEqual([json.tokens_ended, json.user.tokens], [1, 0]);
      assert.equal((await newestEvent("two_factor.recovered")).details.tokens_ended, 1);
    });
  });

  it("is kept where that is asked for, bound by what the owner has to do first", async () => {
    const { id, username, stolen } = await intruded("careful");
    const made = await root("POST", `/api/users/${id}/password-reset`, { keep_tokens: true });
    assert.deepEqual([made.tokens_ended, made.tokens], [0, 1]);
    assert.equal((await newestEvent("user.password_reset")).details.tokens_kept, 1);
    const { status, json } = await agent.call("GET", "/api/system", { token: stolen });
    assert.deepEqual([status, json.code], [403, "password_change_required"]);
    assert.match(json.detail, /owner of this API token, careful, has a one-use password/);
    const { token } = await agent.login(username, made.initial_password);
    const passwords = { current_password: made.initial_password, new_password: goodPassword };
    await agent.call("PUT", "/api/auth/password", { token, body: passwords });
    assert.equal(await use(stolen), "taken");
  });

  it("is refused while the device asks its owner for a second factor that there is not", async () => {
    const { stolen } = await intruded("factorless");
    await root("PUT", "/api/system", { security: { require_2fa: "all" } });
    const { status, json } = await agent.call("GET", "/api/system", { token: stolen });
    await root("PUT", "/api/system", { security: { require_2fa: "none" } });
    assert.deepEqual([status, json.code], [403, "two_factor_enrolment_required"]);
    assert.match(json.detail, /owner of this API token, factorless, has not enrolled/);
    assert.equal(await use(stolen), "taken");
  });
});
