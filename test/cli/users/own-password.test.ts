import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stewardCommand } from "../../../lab/command-line/run-steward.ts";
import { annaId, exampleUser, runAgainst, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { password, signInAnswers, stepsOf, untilSteppedUp } from "../own-session.ts";

const codesPath = `/api/users/${annaId}/2fa/recovery-codes`;
const codes = { body: { recovery_codes: ["K7QM-2F9X-0TRB-5WHD"] } };
const renew = ["user", "2fa", "recovery-codes", "anna"];

describe("a one-use password", { concurrency: true }, () => {
  const oneUse = exampleUser({ must_change_password: true });

  it("is not used up where the user cannot choose a new one", async (test) => {
    const { code, stderr, received } = await runAgainst(
      test,
      [...renew, "--password-stdin"],
      signInAnswers(oneUse),
      { stdin: `${password}\n` },
    );
    assert.equal(code, 4);
    assert.match(stderr, /one-use password, which this sign-in would use up/);
    assert.deepEqual(stepsOf(received), ["GET /api/users"]);
  });

  it("is replaced first on a terminal, and the new one is used from then on", async (test) => {
    const { socketPath, received } = await startAgent(test, {
      ...signInAnswers(oneUse),
      "PUT /api/auth/password": { status: 204 },
      [`POST ${codesPath}`]: untilSteppedUp(codes),
    });
    const { code, screen } = await typeInto(
      [...stewardCommand, ...renew, "--socket", socketPath],
      [
        ["Password of anna: ", `${password}\r`],
        ["New password: ", "one thing\r"],
        ["The same again: ", "another thing\r"],
        ["New password: ", "my own good password\r"],
        ["The same again: ", "my own good password\r"],
      ],
    );
    assert.equal(code, 0, screen);
    const body = { current_password: password, new_password: "my own good password" };
    assert.deepEqual(received.find(({ method }) => method === "PUT")?.body, body);
    const stepUp = received.find(({ path }) => path === "/api/auth/reauth");
    assert.deepEqual(stepUp?.body, { password: "my own good password" });
  });
});
