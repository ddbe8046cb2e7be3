import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { type Answers, annaId, exampleUser, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { password, stepsOf, twoFactorOn, untilSteppedUp } from "../own-session.ts";

const codesPath = `/api/users/${annaId}/2fa/recovery-codes`;
const codes = { body: { recovery_codes: ["K7QM-2F9X-0TRB-5WHD"] } };
const renew = ["user", "2fa", "recovery-codes", "anna"];

describe("a command about one's own secrets with --token-file", { concurrency: true }, () => {
  async function withToken(test: Parameters<typeof startAgent>[0], answers: Answers) {
    const agent = await startAgent(test, answers);
    const tokenFile = join(temporaryDirectory(test), "token");
    writeFileSync(tokenFile, "mine\n");
    return { ...agent, places: ["--socket", agent.socketPath, "--token-file", tokenFile] };
  }

  it("is done in the token's session, which stays", async (test) => {
    const { received, places } = await withToken(test, {
      "GET /api/auth/me": { body: exampleUser() },
      [`POST ${codesPath}`]: codes,
    });
    const { code, stderr } = await runSteward([...renew, "--password-stdin", ...places]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stepsOf(received), ["GET /api/auth/me", `POST ${codesPath}`]);
    assert.equal(received[1]?.authorization, "Bearer mine");
  });

  it("steps the session up with password and code when the agent asks for it", async (test) => {
    const { received, places } = await withToken(test, {
      "GET /api/auth/me": { body: exampleUser(twoFactorOn) },
      "POST /api/auth/reauth": { body: { expires_in: 300 } },
      [`POST ${codesPath}`]: untilSteppedUp(codes),
    });
    const { code, stderr } = await runSteward([...renew, "--password-stdin", ...places], {
      stdin: `${password}\n123456\n`,
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(received[2]?.body, { password, code: "123456" });
  });

  it("ends with 4 for another user's token, and shows a hostile name harmlessly", async (test) => {
    const { places } = await withToken(test, {
      "GET /api/auth/me": { body: exampleUser({ username: "berta\u001b[31m\u202e\nx" }) },
    });
    const { code, stderr } = await runSteward([...renew, "--password-stdin", ...places]);
    assert.equal(code, 4);
    assert.match(stderr, /is of "berta\\x1b\[31m\\x\{202e\}\\x0ax"/);
  });
});
