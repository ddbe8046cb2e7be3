import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { codeOf, wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { newAddress, wrongPassword } from "./guessing.ts";

describe("the record of a step of a sign-in", () => {
  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  let ben: SignedIn & Enrolled;
  before(async () => {
    await agent.signedInAdmin();
    await agent.signedIn("anna", "readonly");
    const { id, token, refreshToken } = await agent.signedIn("ben", "readonly");
    const factor = await enrol(agent.call, { id, token, password: goodPassword }, agent.nowSeconds());
    ben = { id, token, refreshToken, ...factor };
  });

  const post = (path: string, body: object, from = newAddress()) => agent.call("POST", path, { from, body });
  const login = (username: string, password = goodPassword, proof: object = {}) =>
    post("/api/auth/login", { username, password, ...proof });
  const second = async (proof: object) => {
    const { challenge_token } = (await login("ben")).json;
    return post("/api/auth/totp", { challenge_token, ...proof });
  };
  const recover = (who: string, password: string) =>
    post(`/api/users/${who}/2fa/recover`, { password, recovery_code: "7k2m-9p4q-x3vz-8wtn" });
  const wrongCode = () => ({ code: wrongCodeOf(ben.secret) });
  /** Each code is good once. */
  const rightCode = () => {
    agent.stepClock(30);
    return { code: codeOf(ben.secret, agent.nowSeconds()) };
  };
  const usedCode = async (step: (proof: object) => Promise<Answer>) => {
    const proof = rightCode();
    await step(proof);
    return step(proof);
  };
  const withLogin = (proof: object) => login("ben", goodPassword, proof);
  const noRecoveryCode = { recovery_code: "7k2m-9p4q-x3vz-8wtn" };

  /** The step, the status and code of the answer, and the event: its type, account and code; `-`: none. */
  const rows: [string, () => Promise<Answer>, string, string][] = [
    ["a password", () => login("anna"), "200", "-"],
    [
      "a wrong password",
      () => login("anna", wrongPassword),
      "401 invalid_credentials",
      "sign_in.refused anna invalid_credentials",
    ],
    [
      "a name that no one has",
      () => login("nobody"),
      "401 invalid_credentials",
      "sign_in.refused - invalid_credentials",
    ],
    ["a password without its code", () => login("ben"), "401 totp_required", "-"],
    ["both at once", () => withLogin(rightCode()), "200", "-"],
    ["a wrong code", () => withLogin(wrongCode()), "401 totp_invalid", "sign_in.refused ben totp_invalid"],
    ["a used code", () => usedCode(withLogin), "401 totp_reused", "sign_in.refused ben totp_reused"],
    [
      "a wrong recovery code",
      () => withLogin(noRecoveryCode),
      "401 recovery_code_invalid",
      "sign_in.refused ben recovery_code_invalid",
    ],
    ["second step: a code", () => second(rightCode()), "200", "-"],
    [
      "second step: a wrong code",
      () => second(wrongCode()),
      "401 totp_invalid",
      "sign_in.refused ben totp_invalid",
    ],
    [
      "second step: a used code",
      () => usedCode(second),
      "401 totp_reused",
      "sign_in.refused ben totp_reused",
    ],
    [
      "second step: a wrong recovery code",
      () => second(noRecoveryCode),
      "401 recovery_code_invalid",
      "sign_in.refused ben recovery_code_invalid",
    ],
    [
      "recovery by name",
      () => recover("ben", wrongPassword),
      "401 invalid_credentials",
      "sign_in.refused ben invalid_credentials",
    ],
    [
      "recovery by id",
      () => recover(ben.id, goodPassword),
      "401 invalid_credentials",
      "sign_in.refused ben invalid_credentials",
    ],
    [
      "recovery of no one",
      () => recover("nobody", goodPassword),
      "401 invalid_credentials",
      "sign_in.refused - invalid_credentials",
    ],
  ];
  for (const [what, ask, wanted, record] of rows)
    it(`${what}: ${wanted} → ${record}`, async () => {
      const answer = await ask();
      assert.equal(`${answer.status} ${answer.json.code ?? ""}`.trim(), wanted, answer.text);
      const id = answer.headers["x-request-id"];
      const { json } = await agent.call("GET", "/api/events?outcome=refused&limit=20", { local: true });
      const own = (json.items as AuditEvent[]).filter(({ request_id }) => request_id === id);
      const told = own.map(({ type, subject, code }) => `${type} ${subject?.name ?? "-"} ${code}`);
      assert.deepEqual(told, record === "-" ? [] : [record]);
    });
});
