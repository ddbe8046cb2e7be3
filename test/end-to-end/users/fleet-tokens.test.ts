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

/** Documentation addresses (RFC 5737, RFC 3849): the network of the fleet's server, and another. */
const [inside, outside] = ["203.0.113.7", "198.51.100.7"];
const sources = ["203.0.113.0/24", "2001:db8:7::/48"];
const forwarded = { "x-forwarded-for": inside };

describe("a fleet token", () => {
  const agent = ofSuite(startCheckedAgent);
  let admin: SignedIn;
  let fleet: string;
  before(async () => {
    await agent.signedInAdmin();
    admin = await agent.signedIn("fleet-owner", "admin");
    fleet = await add(`--scope users:write --scope system:write --fleet --from ${sources}`);
  });

  const add = async (words: string): Promise<string> => {
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const own = ["token", "add", "--user", "fleet-owner", "--name", "fleet", ...words.split(" ")];
    const { code, stdout, stderr } = await runSteward(own, { environment });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  type More = { token?: string; from?: string; local?: boolean; headers?: Record<string, string> };
  const call = (method: string, path: string, body?: object, more: More = {}) =>
    agent.call(method, path, { token: fleet, from: inside, ...more, ...(body && { body }) });
  const codeOf = (...request: Parameters<typeof call>) => outcome(call(...request));

  it("writes users who are no administrators, without a step-up", async () => {
    const reader = { username: "reader", role: "readonly", password: goodPassword };
    const path = `/api/users/${(await call("POST", "/api/users", reader)).json.id}`;
    assert.equal(await codeOf("PUT", path, { role: "operator" }), "200");
    assert.equal(await codeOf("POST", `${path}/password-reset`, {}), "200");
    assert.equal(await codeOf("DELETE", `${path}/sessions`), "204");
    assert.equal(await codeOf("DELETE", path), "204");
  });

  it("writes the settings of administrators from its own ranges, and from no other address", async () => {
    let minutes = 40;
    const rows: readonly [what: string, more: More, expected: "200" | "401 invalid_token"][] = [
      ["its range", {}, "200"],
      ["its range of IPv6", { from: "2001:db8:7:1::5" }, "200"],
      ["another address", { from: outside }, "401 invalid_token"],
      ["root's socket, which is in no range", { local: true }, "401 invalid_token"],
      // Only a trusted proxy is believed, and what is to the left the client has written.
      ["a stranger's word", { from: "127.0.0.1", headers: forwarded }, "401 invalid_token"],
      ["the left of X-Forwarded-For", { from: `${inside}, ${outside}` }, "401 invalid_token"],
    ];
    for (const [what, more, expected] of rows) {
      minutes += 1;
      const body = { security: { session_idle: `${minutes}m` } };
      assert.equal(await codeOf("PUT", "/api/system", body, more), expected, what);
    }
    const { json } = await call("GET", "/api/system", undefined, { from: outside });
    assert.deepEqual([json.reason, json.clock?.state], ["source", undefined], "a thief hears nothing else");
  });

  it("is refused at its own owner and every other administrator, and makes none", async () => {
    const path = `/api/users/${admin.id}`;
    const { id } = await agent.signedIn("climber", "operator");
    for (const request of [
      ["POST", `${path}/password-reset`, {}],
      ["PUT", path, { display_name: "Mine now" }],
      ["DELETE", path],
      ["DELETE", `${path}/sessions`],
      ["POST", `${path}/unlock`],
      ["POST", "/api/users", { username: "another", role: "admin", password: goodPassword }],
      ["PUT", `/api/users/${id}`, { role: "admin" }],
    ] as Parameters<typeof call>[])
      assert.equal(await codeOf(...request), "403 token_not_allowed", request.join(" "));
  });

  it("is refused at a user who becomes an administrator while their new password is hashed", async () => {
    const passwords = createPasswords({ isKnownClient: () => true });
    let begin = (): void => undefined;
    let turn = Promise.resolve();
    const hash: typeof passwords.hash = async (...given) => turn.then(() => passwords.hash(...given));
    const rooms = await virtualSignIn(virtualHost(), { ...passwords, hash });
    const { user } = await rooms.accounts.create({ username: "rising", role: "operator" }, null);
    turn = new Promise((resolve) => {
      begin = resolve;
    });
    const setupToken = createSetupToken("/nonexistent");
    const { resetPassword } = createUserHandlers({ ...rooms, setupToken, forget: async () => undefined });
    const actor = { kind: "token" };
    const request = { params: { id: user.id }, body: {}, actor, context, note: () => undefined };
    const reset = resetPassword(request as unknown as Call<"resetPassword">);
    await rooms.accounts.update(user.id, { role: "admin" });
    begin();
    assert.equal(await codeFrom(Promise.resolve(reset)), "token_not_allowed");
  });

  it("is made by root alone: an administrator over the network is refused, with each of its marks", async () => {
    const owner = await agent.signedIn("tempted", "admin");
    for (const more of [
      { scopes: ["users:write"] },
      { scopes: ["system:read"], is_fleet: true, sources },
      { scopes: ["system:read"], sources },
      { scopes: ["system:read"], no_expiry: true },
    ]) {
      const made = agent.call("POST", "/api/tokens", { token: owner.token, body: { name: "mine", ...more } });
      assert.equal(await outcome(made), "403 forbidden", JSON.stringify(more));
    }
  });
});
