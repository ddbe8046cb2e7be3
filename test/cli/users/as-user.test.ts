import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, stewardCommand, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import {
  type Answers,
  annaId,
  exampleUser,
  pageOf,
  problem,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { password, signInAnswers, stepsOf, twoFactorOn, untilSteppedUp } from "../own-session.ts";

const codesPath = `/api/users/${annaId}/2fa/recovery-codes`;
const codes = { body: { recovery_codes: ["K7QM-2F9X-0TRB-5WHD"] } };
const renew = ["user", "2fa", "recovery-codes", "anna"];
const renewing = (test: TestContext, answers: Answers, stdin = `${password}\n`) =>
  runAgainst(test, [...renew, "--password-stdin"], answers, { stdin });

/** Runs the command as a process of its own, which gets the password and nothing else. */
function startRenewing(socketPath: string) {
  const [program = "", ...words] = [...stewardCommand, ...renew, "--password-stdin", "--socket", socketPath];
  const child = spawn(program, words, {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH },
  });
  child.stdin.end(`${password}\n`);
  return child;
}

describe("a command about one's own secrets", { concurrency: true }, () => {
  it("signs in, steps up when the agent asks for it, repeats the request, and signs out", async (test) => {
    const { code, stdout, stderr, received } = await renewing(test, {
      ...signInAnswers(),
      [`POST ${codesPath}`]: untilSteppedUp(codes),
    });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "K7QM-2F9X-0TRB-5WHD\n");
    assert.deepEqual(stepsOf(received), [
      "GET /api/users",
      "POST /api/auth/login",
      `POST ${codesPath}`,
      "POST /api/auth/reauth",
      `POST ${codesPath}`,
      "POST /api/auth/logout",
    ]);
    assert.deepEqual(received[1]?.body, { username: "anna", password });
    assert.deepEqual(received[3]?.body, { password });
    assert.deepEqual(received[5]?.body, { refresh_token: "refresh-1" });
    assert.deepEqual(
      received.map(({ authorization }) => authorization),
      [undefined, undefined, "Bearer access-1", "Bearer access-1", "Bearer access-1", undefined],
    );
  });

  const factors: [typed: string, sent: object][] = [
    ["123456", { code: "123456" }],
    ["123 456", { code: "123 456" }],
    ["12345", { code: "12345" }],
    ["K7QM-2F9X-0TRB-5WHD", { recovery_code: "K7QM-2F9X-0TRB-5WHD" }],
    ["k7qm2f9x0trb5whd", { recovery_code: "k7qm2f9x0trb5whd" }],
    ["1234-5678-9012-3456", { recovery_code: "1234-5678-9012-3456" }],
  ];
  for (const [typed, sent] of factors) {
    it(`answers the challenge with ${Object.keys(sent).join("")} for "${typed}"`, async (test) => {
      const { code, stderr, received } = await renewing(
        test,
        { ...signInAnswers(exampleUser(twoFactorOn)), [`POST ${codesPath}`]: codes },
        `${password}\n${typed}\n`,
      );
      assert.equal(code, 0, stderr);
      const challenged = received.find(({ path }) => path === "/api/auth/totp");
      assert.deepEqual(challenged?.body, { challenge_token: "stc_challenge", ...sent });
    });
  }

  it("takes another code for the step-up than for the sign-in, for each is good once", async (test) => {
    const { code, stderr, received } = await renewing(
      test,
      { ...signInAnswers(exampleUser(twoFactorOn)), [`POST ${codesPath}`]: untilSteppedUp(codes) },
      `${password}\n111111\n222222\n`,
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /each code works once: wait until the authenticator shows the next one/);
    const stepUp = received.find(({ path }) => path === "/api/auth/reauth");
    assert.deepEqual(stepUp?.body, { password, code: "222222" });
  });

  describe("when it cannot be done", () => {
    const failures: [what: string, answers: Answers, stdin: string, exit: number, message: RegExp][] = [
      [
        "the agent refuses it",
        { [`POST ${codesPath}`]: refusal("two_factor_not_enabled", 409) },
        "",
        5,
        /wrong/,
      ],
      [
        "the step-up is refused",
        {
          [`POST ${codesPath}`]: refusal("step_up_required", 401),
          "POST /api/auth/reauth": refusal("password_wrong", 403),
        },
        "",
        4,
        /wrong/,
      ],
      [
        "the agent asks for a step-up after the step-up",
        { [`POST ${codesPath}`]: refusal("step_up_required", 401) },
        "",
        4,
        /wrong/,
      ],
    ];
    for (const [what, answers, stdin, exit, message] of failures) {
      it(`ends with ${exit} and signs out when ${what}`, async (test) => {
        const { code, stderr, received } = await renewing(
          test,
          { ...signInAnswers(), ...answers },
          `${password}\n${stdin}`,
        );
        assert.equal(code, exit, stderr);
        assert.match(stderr, message);
        assert.equal(stepsOf(received).at(-1), "POST /api/auth/logout");
      });
    }

    it("ends with 6 and opens no session when the input ends before the code", async (test) => {
      const { code, stderr, received } = await renewing(
        test,
        signInAnswers(exampleUser(twoFactorOn)),
        password,
      );
      assert.equal(code, 6);
      assert.match(stderr, /Standard input ended before this answer: Code of anna/);
      assert.deepEqual(stepsOf(received), ["GET /api/users", "POST /api/auth/login"]);
      assert.doesNotMatch(stderr, /stc_challenge/);
    });

    it("ends with 3 before it sends a password for a name that is not there", async (test) => {
      const { code, received } = await renewing(test, { "GET /api/users": pageOf() });
      assert.equal(code, 3);
      assert.ok(!stepsOf(received).includes("POST /api/auth/login"), "no password was sent");
    });

    it("ends with 2 without terminal and --password-stdin, and sends nothing", async (test) => {
      const { code, stderr, received } = await runAgainst(test, [...renew], signInAnswers());
      assert.equal(code, 2);
      assert.match(stderr, /--password-stdin/);
      assert.deepEqual(received, []);
    });

    it("ends with 8 when the agent is down, touches no state, and says what works all the same", async (test) => {
      const directory = temporaryDirectory(test);
      const places = ["--socket", join(directory, "none"), "--state", directory];
      const { code, stderr } = await runSteward([...renew, "--password-stdin", ...places], {
        stdin: `${password}\n`,
      });
      assert.equal(code, 8);
      assert.match(stderr, /agent is not running[\s\S]*user rescue/);
    });
  });

  it("begins nothing new after Ctrl-C, and signs out", async (test) => {
    const { socketPath, received } = await startAgent(test, {
      ...signInAnswers(),
      [`POST ${codesPath}`]: () => {
        child.kill("SIGINT");
        return refusal("step_up_required", 401);
      },
    });
    const child = startRenewing(socketPath);
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.equal(code, 130);
    const steps = stepsOf(received);
    assert.equal(steps.filter((step) => step === `POST ${codesPath}`).length, 1);
    assert.equal(steps.at(-1), "POST /api/auth/logout");
  });

  it("has nothing secret in its arguments or environment while it runs", async (test) => {
    let seen = "";
    const { socketPath } = await startAgent(test, {
      ...signInAnswers(),
      [`POST ${codesPath}`]: () => {
        seen = ["cmdline", "environ"].map((name) => readFileSync(`/proc/${child.pid}/${name}`)).join("\0");
        return codes;
      },
    });
    const child = startRenewing(socketPath);
    await new Promise((resolve) => child.once("close", resolve));
    assert.match(seen, /recovery-codes/);
    assert.doesNotMatch(seen, /umbrellas|access-1|refresh-1/);
  });
});

function refusal(code: string, status: number) {
  return problem({ code, status });
}
