import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createCanary, shownByProcess } from "../../lab/agents/canary.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { type Answer, adminPassword } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

const answer = (status: number, json: unknown, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers,
  text: JSON.stringify(json),
  json,
});

describe("the canary", () => {
  /** A request with a secret, and a text that has it. */
  const told: readonly (readonly [
    what: string,
    sent: Parameters<ReturnType<typeof createCanary>["sent"]>[0],
    text: string,
  ])[] = [
    ["a password in JSON", { body: { password: 'ten "quoted" words' } }, 'x ten \\"quoted\\" words'],
    ["a password in a body that is text", { body: '{"password":"quiet otters"}' }, "tried quiet otters"],
    ["a bearer token", { token: "stw_abcdefghijkl" }, "GET /api?x=stw_abcdefghijkl"],
    ["a token in a header", { headers: { authorization: "Bearer stw_abcdefghijkl" } }, "[stw_abcdefghijkl]"],
    ["a cookie", { headers: { cookie: "a=b; steward-refresh-1=str_abcdefghijkl" } }, "str_abcdefghijkl"],
    ["a recovery code", { body: { recovery_code: "K7QM-2F9X-0TRB-5WHD" } }, "K7QM2F9X0TRB5WHD"],
    ["a code as it was typed with a blank", { body: { code: "314 159" } }, "?code=314159&x"],
  ];
  const given: readonly (readonly [what: string, answer: Answer])[] = [
    ["a refresh token in a cookie", answer(200, {}, { "set-cookie": ["x=str_abcdefghijkl; HttpOnly"] })],
    ["a challenge", answer(401, { challenge_token: "str_abcdefghijkl" })],
    ["recovery codes", answer(200, { recovery_codes: ["first-in-the-list", "str_abcdefghijkl"] })],
  ];
  it("finds each secret that was sent or given, in any form", () => {
    const found = (text: string, learn: (canary: ReturnType<typeof createCanary>) => void, what: string) => {
      const canary = createCanary();
      canary.assertNotIn(text, "it");
      learn(canary);
      assert.throws(() => canary.assertNotIn(text, "it"), /it has a (secret|code)/, what);
    };
    for (const [what, sent, text] of told) found(text, (canary) => canary.sent(sent), what);
    for (const [what, from] of given)
      found("an str_abcdefghijkl", (canary) => canary.received("POST", from), what);
  });

  it("finds what a GET body showed, also when it became a secret only later", () => {
    const canary = createCanary();
    canary.received("GET", answer(200, { note: "quiet otters" }));
    canary.assertNotInBodies();
    canary.sent({ body: { password: "quiet otters" } });
    assert.throws(canary.assertNotInBodies, /what was read from the agent has a secret/);
  });

  it("does not take a longer number for a code", () => {
    const canary = createCanary();
    canary.sent({ body: { code: "314159" } });
    for (const text of ["usr_1314159", "0.314159", "314159.26", '{"size":314159}', "3141592", "a-314159-b"])
      canary.assertNotIn(text, "it");
  });

  it("looks through the whole state, and sees what a process shows", () => {
    const directory = scratchDirectory();
    const canary = createCanary();
    canary.sent({ body: { password: "quiet otters" } });
    mkdirSync(join(directory, "events"));
    writeFileSync(join(directory, "events/security-1.jsonl"), "ok\n");
    canary.assertNotInState(directory);
    appendFileSync(join(directory, "events/security-1.jsonl"), "quiet otters\n");
    const failing = () => canary.assertNotInState(directory);
    assert.throws(failing, /^AssertionError.*events\/security-1.jsonl has a/);
    rmSync(directory, { recursive: true });
    assert.match(shownByProcess(process.pid), /node.*PATH=/s);
    assert.equal(shownByProcess(undefined).trim(), "");
  });

  it("makes the disposal of an agent fail that has written a secret down", async () => {
    const agent = await startCheckedAgent();
    await agent.signedInAdmin();
    const events = join(agent.stateDirectory, "events");
    const [file = ""] = readdirSync(events);
    appendFileSync(join(events, file), `{"password":"${adminPassword}"}\n`);
    await assert.rejects(agent.dispose(), /events\/.* has a secret of 26/);
  });
});
