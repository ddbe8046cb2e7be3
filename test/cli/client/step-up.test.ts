import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, stewardCommand, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import {
  type Answers,
  annaId,
  exampleUser,
  pageOf,
  problem,
  startNetworkAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { twoFactorOn, untilSteppedUp } from "../own-session.ts";

const admin = exampleUser({ id: `usr_${"c".repeat(32)}`, username: "chief", role: "admin" });
const unlock = `POST /api/users/${annaId}/unlock`;

async function startWith(test: TestContext, user: typeof admin, answers: Answers = {}) {
  const agent = await startNetworkAgent(test, {
    "GET /api/users": pageOf(exampleUser()),
    "GET /api/auth/me": { body: user },
    "POST /api/auth/reauth": { body: { expires_in: 300 } },
    [unlock]: untilSteppedUp({ body: exampleUser() }),
    ...answers,
  });
  const tokenFile = join(temporaryDirectory(test), "token");
  writeFileSync(tokenFile, "chiefs-token\n");
  const words = ["user", "unlock", "anna", "--url", agent.url, "--token-file", tokenFile];
  const sent = () => agent.received.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
  return { ...agent, words, sent };
}

describe("an administrator's command with a token file", { concurrency: true }, () => {
  it("asks for the password once on a terminal, steps up and repeats the request", async (test) => {
    const { received, words } = await startWith(test, admin);
    const { code, screen, isRestored } = await typeInto(
      [...stewardCommand, ...words],
      [["Password of chief: ", "my password\r"]],
    );
    assert.equal(code, 0, screen);
    assert.ok(isRestored, screen);
    assert.doesNotMatch(screen, /my password/);
    assert.deepEqual(received[3]?.body, { password: "my password" });
    assert.equal(received.length, 5);
  });

  it("asks for a code too where there is a second factor", async (test) => {
    const { received, words } = await startWith(test, { ...admin, ...twoFactorOn });
    const { code, screen } = await typeInto(
      [...stewardCommand, ...words],
      [
        ["Password of chief: ", "my password\r"],
        ["Code of chief (or a recovery code): ", "123456\r"],
      ],
    );
    assert.equal(code, 0, screen);
    assert.deepEqual(received[3]?.body, { password: "my password", code: "123456" });
  });

  it("does not repeat the request when the password is wrong", async (test) => {
    const refused = problem({ code: "password_wrong", status: 403 });
    const { sent, words } = await startWith(test, admin, { "POST /api/auth/reauth": refused });
    const { code, screen } = await typeInto(
      [...stewardCommand, ...words],
      [["Password of chief: ", "not it\r"]],
    );
    assert.equal(code, 4, screen);
    assert.equal(sent().filter((line) => line === unlock).length, 1);
  });

  it("ends with 4 and the agent's advice where no user can be asked", async (test) => {
    const advice = "This takes the password again: POST /api/auth/reauth.";
    const refused = problem({ code: "step_up_required", status: 401, detail: advice });
    const { sent, words } = await startWith(test, admin, { [unlock]: refused });
    const { code, stderr } = await runSteward(words);
    assert.equal(code, 4);
    assert.match(stderr, /This takes the password again: POST/);
    assert.deepEqual(sent(), ["GET /api/users", unlock]);
  });
});
