import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("an API token that an intruder made with a stolen account", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(() => agent.signedInAdmin());

  const intruded = async (username: string, hasFactor = false) => {
    const owner = await agent.signedIn(username, "operator");
    const proof = { ...owner, password: goodPassword };
    const factor = hasFactor ? await enrol(agent.call, proof, time.nowSeconds()) : undefined;
    const body = { name: "back door", scopes: ["system:read"] };
    const { token: stolen } = (await agent.call("POST", "/api/tokens", { token: owner.token, body })).json;
    return { path: `/api/users/${owner.id}`, stolen, recovery_code: factor?.recoveryCodes[0] };
  };
  /** As local root. */
  const root = async (method: string, path: string, body?: object) => {
    const answer = await agent.call(method, path, { local: true, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  const use = async (token: string) => {
    const { status, json } = await agent.call("GET", "/api/system", { token });
    return status === 200 ? "taken" : `${status} ${json.reason ?? json.code} ${json.detail}`;
  };
  const detailsOf = async (type: string) =>
    (await agent.read(`/api/events?type=${type}&limit=1`)).items[0].details;

  it("ends with a reset of the password and a rescue, which say how many did", async () => {
    for (const [way, type] of [
      ["password-reset", "user.password_reset"],
      ["rescue", "user.rescued"],
    ] as const) {
      const { path, stolen } = await intruded(way);
      const { tokens_ended, tokens } = await root("POST", `${path}/${way}`, {});
      assert.match(await use(stolen), /^401 revoked/);
      assert.deepEqual([tokens_ended, tokens, (await detailsOf(type)).tokens_ended], [1, 0, 1], way);
    }
  });

  it("ends when the second factor is recovered", async () => {
    for (const [username, isByOwner] of [
      ["lost", false],
      ["found", true],
    ] as const) {
      const { path, stolen, recovery_code } = await intruded(username, true);
      const recover = isByOwner
        ? { body: { password: goodPassword, recovery_code } }
        : { local: true, body: { reason: "stolen" } };
      const { json } = await agent.call("POST", `${path}/2fa/recover`, recover);
      assert.match(await use(stolen), /^401 revoked/);
      const { tokens_ended } = await detailsOf("two_factor.recovered");
      assert.deepEqual([json.tokens_ended, (json.user ?? json).tokens, tokens_ended], [1, 0, 1], username);
    }
  });

  it("is kept where that is asked for, bound by what the owner has to do first", async () => {
    const { path, stolen } = await intruded("careful");
    const made = await root("POST", `${path}/password-reset`, { keep_tokens: true });
    assert.deepEqual([made.tokens_ended, made.tokens], [0, 1]);
    assert.equal((await detailsOf("user.password_reset")).tokens_kept, 1);
    const bound = /403 password_change_required .*owner of this API token, careful, has a one-use password/;
    assert.match(await use(stolen), bound);
    const { token } = await agent.login("careful", made.initial_password);
    const body = { current_password: made.initial_password, new_password: goodPassword };
    await agent.call("PUT", "/api/auth/password", { token, body });
    assert.equal(await use(stolen), "taken");
    const require = (require_2fa: string) => root("PUT", "/api/system", { security: { require_2fa } });
    await require("all");
    assert.match(await use(stolen), /403 two_factor_enrolment_required .*owner .*, careful, has not enr/);
    await require("none");
    assert.equal(await use(stolen), "taken");
  });
});
