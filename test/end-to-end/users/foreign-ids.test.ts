import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword, stepUp } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";
import { type OperationId, operationIds, operationOf } from "../../../src/contract/operations.ts";

/** For operations with an id in their path a valid request about another user. */
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
const table: Record<string, string> = {
  getUser: "forbidden forbidden 200",
  updateUser: "forbidden forbidden step_up_required",
  deleteUser: "forbidden forbidden step_up_required",
  resetPassword: "forbidden forbidden step_up_required",
  unlockUser: "forbidden forbidden step_up_required",
  rescueUser: "forbidden forbidden step_up_required",
  endUserSessions: "forbidden forbidden step_up_required",
  getTwoFactor: "forbidden forbidden 200",
  setUpTwoFactor: "forbidden forbidden forbidden",
  enableTwoFactor: "forbidden forbidden forbidden",
  disableTwoFactor: "forbidden forbidden forbidden",
  recoverTwoFactor: "forbidden forbidden step_up_required",
  beginPasskey: "forbidden forbidden forbidden",
  addPasskey: "forbidden forbidden forbidden",
  removePasskey: "forbidden forbidden forbidden",
  makeRecoveryCodes: "forbidden forbidden forbidden",
  deleteToken: "not_found not_found step_up_required",
  resumeToken: "forbidden forbidden step_up_required",
  rotateToken: "forbidden forbidden forbidden",
  endSession: "not_found not_found not_found",
};

/** Refused like a stranger's, or like nothing; never by a crash. */
const strangeIds = [
  ...["me", "USR_{hex}", "usr_{hex}0", "usr_{hex}%00", "usr_{hex}%2f..", "%2e%2e"],
  ...["..%2f..%2fetc%2fpasswd", "__proto__", "a".repeat(2_000)],
];

describe("the ids of others", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  let victim: SignedIn;
  let program: { id: string; token: string };
  let session: string;
  const tokens = new Map<string, string>();
  before(async () => {
    const admin = await agent.signedInAdmin();
    victim = await agent.signedIn("victim", "operator");
    const { token } = victim;
    await enrol(agent.call, { ...victim, password: goodPassword }, time.nowSeconds());
    const body = { name: "fleet", scopes: ["system:read"] };
    program = (await agent.call("POST", "/api/tokens", { token, body })).json;
    session = (await agent.call("GET", "/api/auth/sessions", { token })).json.items[0].id;
    for (const role of ["readonly", "operator"] as const)
      tokens.set(role, (await agent.signedIn(`a-${role}`, role)).token);
    tokens.set("admin", (await agent.login(adminName, adminPassword)).token);
    time.pass(stepUpSeconds);
    await stepUp(agent.call, admin.token, adminPassword);
    tokens.set("stepped-up", admin.token);
  });

  const withId = operationIds.filter((id) => /\{s?id\}/.test(operationOf(id).path));
  /** The code of the refusal, or the status. */
  const ask = async (id: OperationId, caller: string, path: string): Promise<string> => {
    const body = bodies[id];
    const sent = { token: tokens.get(caller), ...(body && { body }) };
    const { status, json } = await agent.call(operationOf(id).method, path, sent);
    return json?.code ?? String(status);
  };
  const pathOf = (id: OperationId): string =>
    operationOf(id)
      .path.replace("/api/tokens/{id}", `/api/tokens/${program.id}`)
      .replace("{id}", victim.id)
      .replace("{sid}", session);
  const present = async () => ({
    user: await agent.read(`/api/users/${victim.id}`),
    session: (await agent.call("GET", "/api/auth/me", { token: victim.token })).status,
    program: (await agent.call("GET", "/api/system", { token: program.token })).status,
  });

  it("are tried on every operation that has one in its path", () => {
    assert.deepEqual(Object.keys(table).sort(), [...withId].sort());
  });

  for (const id of withId)
    it(`${id}: ${table[id]}, and nothing is changed`, async () => {
      const before = await present();
      assert.deepEqual([before.session, before.program], [200, 200]);
      const answers: string[] = [];
      for (const caller of callers) answers.push(await ask(id, caller, pathOf(id)));
      assert.equal(answers.join(" "), table[id]);
      assert.deepEqual(await present(), before);
    });

  it("of sessions: with user_id they are an administrator's business, with the password given again", async () => {
    const [list, own] = ["/api/auth/sessions", `?user_id=${victim.id}`];
    for (const [caller, ended, listed] of [
      ["readonly", "forbidden", "forbidden"],
      ["operator", "forbidden", "forbidden"],
      ["admin", "step_up_required", "200"],
    ] as const) {
      assert.equal(await ask("endSession", caller, `${list}/${session}${own}`), ended, caller);
      assert.equal(await ask("listSessions", caller, `${list}${own}`), listed, caller);
    }
    const { id } = (await agent.read("/api/users?q=a-readonly")).items[0];
    const ofAnother = `${list}/${session}?user_id=${id}`;
    assert.equal(await ask("endSession", "stepped-up", ofAnother), "not_found", "it is none of theirs");
    assert.equal((await present()).session, 200);
  });

  it("that no resource can have are refused for every caller, without a crash", async () => {
    for (const id of withId)
      for (const strange of strangeIds) {
        const text = strange.replace("{hex}", victim.id.slice(4));
        const path = operationOf(id).path.replace(/\{s?id\}/, text);
        for (const caller of ["operator", "stepped-up"]) {
          const { status } = await agent.call(operationOf(id).method, path, {
            ...{ token: tokens.get(caller), ...(bodies[id] && { body: bodies[id] }) },
          });
          assert.ok([403, 404].includes(status), `${id} ${strange} as ${caller}: ${status}`);
        }
      }
    const { session: own, program: ofProgram } = await present();
    assert.deepEqual([own, ofProgram], [200, 200]);
  });
});
