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
    fleet = await add(
      "--scope",
      "users:write",
      "--scope",
      "system:write",
      "--fleet",
      "--from",
      sources.join(),
    );
  });

  const run = (...words: string[]) =>
    runSteward(["token", "add", "--user", "fleet-owner", "--name", "fleet", ...words], { environment });
  const add = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...words);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const call = async (
    method: string,
    path: string,
    body?: object,
    options: { token?: string; from?: string } = {},
  ) => agent.call(method, path, { token: fleet, from: inside, ...options, ...(body && { body }) });
  const codeOf = async (...request: Parameters<typeof call>) => {
    const { status, json } = await call(...request);
    return status < 300 ? status : `${status} ${json.code}`;
  };
  const settings = (idle: string) => ({ security: { session_idle: idle } });

  it("writes the settings of administrators without a step-up, from its own ranges", async () => {
    assert.equal(await codeOf("PUT", "/api/system", settings("40m")), 200);
    assert.equal(await codeOf("PUT", "/api/system", settings("41m"), { from: "2001:db8:7:1::5" }), 200);
  });

  it("makes, changes and deletes users who are no administrators", async () => {
    const made = await call("POST", "/api/users", {
      username: "reader",
      role: "readonly",
      password: goodPassword,
    });
    assert.equal(made.status, 201, made.text);
    const path = `/api/users/${made.json.id}`;
    assert.equal(await codeOf("PUT", path, { role: "operator" }), 200);
    assert.equal(await codeOf("POST", `${path}/password-reset`, {}), 200);
    assert.equal(await codeOf("DELETE", `${path}/sessions`), 204);
    assert.equal(await codeOf("DELETE", path), 204);
  });

  describe("is refused", () => {
    it("from any other address, and tells a thief nothing of the clock", async () => {
      const { status, json } = await call("PUT", "/api/system", settings("42m"), { from: outside });
      assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "source"]);
      assert.equal(json.clock?.state, undefined);
      assert.equal(
        await codeOf("PUT", "/api/system", settings("42m"), { from: "2001:db8:8::5" }),
        "401 invalid_token",
      );
      // Loopback, and root's socket, are in none of its ranges.
      const local = await agent.call("PUT", "/api/system", {
        token: fleet,
        body: settings("42m"),
        local: true,
      });
      assert.equal(local.status, 401);
    });

    it("where X-Forwarded-For is a stranger's word: only a trusted proxy is believed", async () => {
      const forged = await agent.call("PUT", "/api/system", {
        token: fleet,
        body: settings("43m"),
        headers: { "x-forwarded-for": inside },
      });
      assert.equal(forged.status, 401);
      const behind = await call("PUT", "/api/system", settings("43m"), { from: `${inside}, ${outside}` });
      assert.equal(behind.status, 401, "what stands to the left was written by the client");
    });

    it("no more than it should be from its range mapped into IPv6, and a range of IPv6 holds no IPv4", async () => {
      assert.equal(await codeOf("PUT", "/api/system", settings("44m"), { from: `::ffff:${inside}` }), 200);
      const six = await add("--scope", "system:write", "--fleet", "--from", "::/1");
      assert.equal(await codeOf("PUT", "/api/system", settings("45m"), { token: six }), "401 invalid_token");
    });

    it("at its own owner and every other administrator, and it makes none", async () => {
      const path = `/api/users/${admin.id}`;
      assert.equal(await codeOf("POST", `${path}/password-reset`, {}), "403 token_not_allowed");
      assert.equal(await codeOf("PUT", path, { display_name: "Mine now" }), "403 token_not_allowed");
      assert.equal(await codeOf("DELETE", path), "403 token_not_allowed");
      assert.equal(await codeOf("DELETE", `${path}/sessions`), "403 token_not_allowed");
      assert.equal(await codeOf("POST", `${path}/unlock`), "403 token_not_allowed");
      const another = { username: "another", role: "admin", password: goodPassword };
      assert.equal(await codeOf("POST", "/api/users", another), "403 token_not_allowed");
      const { id } = await agent.signedIn("climber", "operator");
      assert.equal(await codeOf("PUT", `/api/users/${id}`, { role: "admin" }), "403 token_not_allowed");
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
      const call = {
        params: { id: user.id },
        body: {},
        actor: { kind: "token" },
        context,
        note: () => undefined,
      };
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
