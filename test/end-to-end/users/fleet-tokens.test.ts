import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom, context, virtualSignIn } from "../../../lab/simulated/virtual-sign-in.ts";
import { createSetupToken } from "../../../src/accounts/sign-in/setup-token.ts";
import { createPasswords } from "../../../src/accounts/users/passwords.ts";
import type { Call } from "../../../src/http/call.ts";
import { createUserHandlers } from "../../../src/http/handlers/users.ts";

/** Documentation addresses (RFC 5737, RFC 3849): the network of the fleet's server, and others. */
const inside = "203.0.113.7";
const outside = "198.51.100.7";
const sources = ["203.0.113.0/24", "2001:db8:7::/48"];

describe("a fleet token", () => {
  let admin: SignedIn;
  let fleet: string;
  let environment: Record<string, string>;
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    await agent.signedInAdmin();
    admin = await agent.signedIn("fleet-owner", "admin");
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    fleet = await add(`--scope users:write --scope system:write --fleet --from ${sources}`);
  });

  const add = async (words: string): Promise<string> => {
    const own = ["token", "add", "--user", "fleet-owner", "--name", "fleet"];
    const { code, stdout, stderr } = await runSteward([...own, ...words.split(" ")], { environment });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  type More = { token?: string; from?: string; local?: boolean; headers?: Record<string, string> };
  const call = (method: string, path: string, body?: object, more: More = {}) =>
    agent.call(method, path, { token: fleet, from: inside, ...more, ...(body && { body }) });
  const codeOf = (...request: Parameters<typeof call>) => outcome(call(...request));
  const set = (idle: string, more: More = {}) =>
    codeOf("PUT", "/api/system", { security: { session_idle: idle } }, more);

  it("writes the settings of administrators without a step-up, from its own ranges", async () => {
    assert.equal(await set("40m"), "200");
    assert.equal(await set("41m", { from: "2001:db8:7:1::5" }), "200");
  });

  it("makes, changes and deletes users who are no administrators", async () => {
    const reader = { username: "reader", role: "readonly", password: goodPassword };
    const made = await call("POST", "/api/users", reader);
    assert.equal(made.status, 201, made.text);
    const path = `/api/users/${made.json.id}`;
    assert.equal(await codeOf("PUT", path, { role: "operator" }), "200");
    assert.equal(await codeOf("POST", `${path}/password-reset`, {}), "200");
    assert.equal(await codeOf("DELETE", `${path}/sessions`), "204");
    assert.equal(await codeOf("DELETE", path), "204");
  });

  describe("is refused", () => {
    it("from any other address, and tells a thief nothing of the clock", async () => {
      const { json } = await call("GET", "/api/system", undefined, { from: outside });
      assert.deepEqual([json.code, json.reason, json.clock?.state], ["invalid_token", "source", undefined]);
      // Loopback, and root's socket, are in none of its ranges.
      for (const where of [{ from: outside }, { from: "2001:db8:8::5" }, { local: true }])
        assert.equal(await set("42m", where), "401 invalid_token");
    });

    it("where X-Forwarded-For is a stranger's word: only a trusted proxy is believed", async () => {
      const forged = { from: "127.0.0.1", headers: { "x-forwarded-for": inside } };
      assert.equal(await set("43m", forged), "401 invalid_token");
      const behind = { from: `${inside}, ${outside}` };
      assert.equal(await set("43m", behind), "401 invalid_token", "to the left the client has written");
    });

    it("no more than it should be from its range mapped into IPv6, and a range of IPv6 holds no IPv4", async () => {
      assert.equal(await set("44m", { from: `::ffff:${inside}` }), "200");
      const token = await add("--scope system:write --fleet --from ::/1");
      assert.equal(await set("45m", { token }), "401 invalid_token");
    });

    it("at its own owner and every other administrator, and it makes none", async () => {
      const path = `/api/users/${admin.id}`;
      const { id } = await agent.signedIn("climber", "operator");
      const requests: Parameters<typeof call>[] = [
        ["POST", `${path}/password-reset`, {}],
        ["PUT", path, { display_name: "Mine now" }],
        ["DELETE", path],
        ["DELETE", `${path}/sessions`],
        ["POST", `${path}/unlock`],
        ["POST", "/api/users", { username: "another", role: "admin", password: goodPassword }],
        ["PUT", `/api/users/${id}`, { role: "admin" }],
      ];
      for (const request of requests)
        assert.equal(await codeOf(...request), "403 token_not_allowed", request.join(" "));
    });

    it("at a user who becomes an administrator while their new password is hashed", async () => {
      const passwords = createPasswords({ isKnownClient: () => true });
      let turn = Promise.resolve();
      const hash: typeof passwords.hash = async (...given) => turn.then(() => passwords.hash(...given));
      const rooms = await virtualSignIn(virtualHost(), { ...passwords, hash });
      const { user } = await rooms.accounts.create({ username: "rising", role: "operator" }, null);
      const options = {
        ...rooms,
        setupToken: createSetupToken("/nonexistent"),
        forget: async () => undefined,
      };
      let begin = (): void => undefined;
      turn = new Promise((resolve) => {
        begin = resolve;
      });
      const actor = { kind: "token" };
      const call = { params: { id: user.id }, body: {}, actor, context, note: () => undefined };
      const reset = createUserHandlers(options).resetPassword(call as unknown as Call<"resetPassword">);
      await rooms.accounts.update(user.id, { role: "admin" });
      begin();
      assert.equal(await codeFrom(Promise.resolve(reset)), "token_not_allowed");
    });
  });

  it("is made by root alone: an administrator over the network is refused, with each of its marks", async () => {
    const owner = await agent.signedIn("tempted", "admin");
    for (const more of [
      { scopes: ["users:write"] },
      { scopes: ["system:read"], is_fleet: true, sources },
      { scopes: ["system:read"], sources },
      { scopes: ["system:read"], no_expiry: true },
    ]) {
      const body = { name: "mine", ...more };
      assert.equal(
        await outcome(agent.call("POST", "/api/tokens", { token: owner.token, body })),
        "403 forbidden",
        JSON.stringify(more),
      );
    }
  });
});
