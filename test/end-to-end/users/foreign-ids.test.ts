import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type CheckedAgent,
  goodPassword,
  type SignedIn,
  startCheckedAgent,
} from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { type Answer, adminName, adminPassword, stepUp } from "../../../lab/agents/running-agent.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";
import { type OperationId, operationIds, operationOf } from "../../../src/contract/operations.ts";

/** For each operation with an id in its path a valid request about another user. */
const bodies: Partial<Record<OperationId, object>> = {
  updateUser: { display_name: "taken over" },
  resetPassword: { password: "seven lamps beside canals" },
  enableTwoFactor: { code: "314159", allow_unsynchronised_clock: true },
  disableTwoFactor: { password: goodPassword },
  recoverTwoFactor: { reason: "not mine" },
};

const callers = ["readonly", "operator", "admin"] as const;

/**
 * The answers about another user, who exists, to a readonly user, an operator, and an administrator whose
 * password was not given in the last five minutes. Only their owner and administrators learn that tokens are there.
 */
const table: Record<string, readonly [string, string, string]> = {
  getUser: ["forbidden", "forbidden", "200"],
  updateUser: ["forbidden", "forbidden", "step_up_required"],
  deleteUser: ["forbidden", "forbidden", "step_up_required"],
  resetPassword: ["forbidden", "forbidden", "step_up_required"],
  unlockUser: ["forbidden", "forbidden", "step_up_required"],
  rescueUser: ["forbidden", "forbidden", "step_up_required"],
  endUserSessions: ["forbidden", "forbidden", "step_up_required"],
  getTwoFactor: ["forbidden", "forbidden", "200"],
  setUpTwoFactor: ["forbidden", "forbidden", "forbidden"],
  enableTwoFactor: ["forbidden", "forbidden", "forbidden"],
  disableTwoFactor: ["forbidden", "forbidden", "forbidden"],
  recoverTwoFactor: ["forbidden", "forbidden", "step_up_required"],
  beginPasskey: ["forbidden", "forbidden", "forbidden"],
  addPasskey: ["forbidden", "forbidden", "forbidden"],
  removePasskey: ["forbidden", "forbidden", "forbidden"],
  makeRecoveryCodes: ["forbidden", "forbidden", "forbidden"],
  deleteToken: ["not_found", "not_found", "step_up_required"],
  resumeToken: ["forbidden", "forbidden", "step_up_required"],
  rotateToken: ["forbidden", "forbidden", "forbidden"],
  endSession: ["not_found", "not_found", "not_found"],
};

/** Refused like a stranger's, or like nothing; never by a crash. */
const strangeIds = [
  "me",
  "USR_{hex}",
  "usr_{hex}0",
  "usr_{hex}%00",
  "usr_{hex}%2f..",
  "%2e%2e",
  "..%2f..%2fetc%2fpasswd",
  "__proto__",
  "a".repeat(2_000),
];

describe("the ids of others", () => {
  let agent: CheckedAgent;
  let victim: SignedIn;
  let victimToken: { id: string; token: string };
  let victimSession: string;
  const sessions = new Map<string, string>();
  before(async () => {
    const time = standingTime();
    agent = await startCheckedAgent({ time });
    const admin = await agent.signedInAdmin();
    victim = await agent.signedIn("victim", "operator");
    await enrol(agent.call, { ...victim, password: goodPassword }, time.nowSeconds());
    const body = { name: "fleet", scopes: ["system:read"] };
    victimToken = (await agent.call("POST", "/api/tokens", { token: victim.token, body })).json;
    const list = await agent.call("GET", "/api/auth/sessions", { token: victim.token });
    victimSession = list.json.items[0].id;
    for (const role of ["readonly", "operator"] as const) {
      await agent.signedIn(`a-${role}`, role);
      sessions.set(role, (await agent.login(`a-${role}`, goodPassword)).token);
    }
    sessions.set("admin", (await agent.login(adminName, adminPassword)).token);
    time.pass(stepUpSeconds);
    await stepUp(agent.call, admin.token, adminPassword);
    sessions.set("stepped-up", admin.token);
  });
  after(() => agent.dispose());

  const withId = operationIds.filter((id) => /\{s?id\}/.test(operationOf(id).path));
  const ask = (id: OperationId, caller: string, path: string): Promise<Answer> => {
    const body = bodies[id];
    return agent.call(operationOf(id).method, path, { token: sessions.get(caller), ...(body && { body }) });
  };
  const pathOf = (id: OperationId): string =>
    operationOf(id)
      .path.replace("/api/tokens/{id}", `/api/tokens/${victimToken.id}`)
      .replace("{id}", victim.id)
      .replace("{sid}", victimSession);
  const present = async () => {
    const user = await agent.read(`/api/users/${victim.id}`);
    const own = await agent.call("GET", "/api/auth/me", { token: victim.token });
    const program = await agent.call("GET", "/api/system", { token: victimToken.token });
    return { user, session: own.status, program: program.status };
  };

  it("are tried on every operation that has one in its path", () => {
    assert.deepEqual(Object.keys(table).sort(), [...withId].sort());
  });

  for (const id of withId) {
    for (const [index, caller] of callers.entries()) {
      const expected = table[id]?.[index];
      it(`${id}: ${caller} → ${expected}, and nothing is changed`, async () => {
        const before = await present();
        const { status, json } = await ask(id, caller, pathOf(id));
        assert.equal(status === 200 ? "200" : json.code, expected);
        assert.deepEqual(await present(), before);
        assert.deepEqual([before.session, before.program], [200, 200]);
      });
    }
  }

  it("of sessions: with user_id they are an administrator's business, with the password given again", async () => {
    const path = `/api/auth/sessions/${victimSession}?user_id=${victim.id}`;
    for (const [caller, code] of [
      ["readonly", "forbidden"],
      ["operator", "forbidden"],
      ["admin", "step_up_required"],
    ]) {
      assert.equal((await ask("endSession", caller ?? "", path)).json.code, code, caller);
      const list = await ask("listSessions", caller ?? "", `/api/auth/sessions?user_id=${victim.id}`);
      assert.equal(list.status, caller === "admin" ? 200 : 403, caller);
    }
    assert.equal((await present()).session, 200);
  });

  it("of a session that is another's than user_id says are none", async () => {
    const { id } = (await agent.read("/api/users?q=a-readonly")).items[0];
    const path = `/api/auth/sessions/${victimSession}?user_id=${id}`;
    assert.equal((await ask("endSession", "stepped-up", path)).json.code, "not_found");
    assert.equal((await present()).session, 200);
  });

  it("that no resource can have are refused for every caller, without a crash", async () => {
    for (const id of withId) {
      for (const strange of strangeIds) {
        const [, hex = ""] = victim.id.split("_");
        const text = strange.replace("{hex}", hex).replace("{HEX}", hex.toUpperCase());
        const path = operationOf(id).path.replace(/\{s?id\}/, text);
        for (const caller of ["operator", "stepped-up"]) {
          const { status } = await ask(id, caller, path);
          assert.ok([403, 404].includes(status), `${id} ${strange} as ${caller}: ${status}`);
        }
      }
    }
    assert.deepEqual([(await present()).session, (await present()).program], [200, 200]);
  });
});
