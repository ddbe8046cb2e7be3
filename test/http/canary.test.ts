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
  const told: [string, Parameters<ReturnType<typeof createCanary>["sent"]>[0], string][] = [
    ["a password", { body: { username: "ada", password: "quiet otters" } }, "tried quiet otters"],
    ["a password in JSON", { body: { password: 'ten "quoted" words' } }, 'x ten \\"quoted\\" words'],
    ["a password in a body that is text", { body: '{"password":"quiet otters"}' }, "quiet otters"],
    ["a bearer token", { token: "stw_abcdefghijkl" }, "GET /api?x=stw_abcdefghijkl"],
    ["a token in a header", { headers: { authorization: "Bearer stw_abcdefghijkl" } }, "[stw_abcdefghijkl]"],
    ["a cookie", { headers: { cookie: "a=b; steward-refresh-1=str_abcdefghijkl" } }, "str_abcdefghijkl"],
    ["a recovery code", { body: { recovery_code: "K7QM-2F9X-0TRB-5WHD" } }, "K7QM-2F9X-0TRB-5WHD"],
    ["a plain recovery code", { body: { recovery_code: "K7QM-2F9X-0TRB-5WHD" } }, "K7QM2F9X0TRB5WHD"],
    ["a code", { body: { code: "314159" } }, '"detail":"314159 is wrong"'],
    ["a code as it was typed with a blank", { body: { code: "314 159" } }, "?code=314159&x"],
  ];
  for (const [name, request, text] of told)
    it(`finds ${name} that was sent`, () => {
      const canary = createCanary();
      canary.assertNotIn(text, "it");
      canary.sent(request);
      assert.throws(() => canary.assertNotIn(text, "it"), /it has a (secret|code)/);
    });

  const given: [string, Answer][] = [
    ["a refresh token", answer(200, { refresh_token: "str_abcdefghijkl" })],
    ["a refresh token in a cookie", answer(200, {}, { "set-cookie": ["x=str_abcdefghijkl; HttpOnly"] })],
    ["a challenge", answer(401, { challenge_token: "str_abcdefghijkl" })],
    ["recovery codes", answer(200, { recovery_codes: ["first-in-the-list", "str_abcdefghijkl"] })],
  ];
  for (const [name, from] of given)
    it(`finds ${name} that was given`, () => {
      const canary = createCanary();
      canary.received("POST", from);
      assert.throws(() => canary.assertNotIn("an str_abcdefghijkl", "it"), /it has a secret of 16/);
    });

  it("finds what a GET body showed, also when it became a secret only later", () => {
    const canary = createCanary();
    canary.received("GET", answer(200, { note: "quiet otters" }));
    canary.assertNotInBodies();
    canary.sent({ body: { password: "quiet otters" } });
    assert.throws(canary.assertNotInBodies, /what was read from the agent has a secret/);
  });

  for (const text of ["usr_1314159", "0.314159", "314159.26", '{"size":314159}', "3141592", "a-314159-b"])
    it(`does not take ${text} for the code 314159`, () => {
      const canary = createCanary();
      canary.sent({ body: { code: "314159" } });
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
