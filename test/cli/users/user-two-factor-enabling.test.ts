import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { stewardCommand } from "../../../lab/command-line/run-steward.ts";
import {
  type Answers,
  annaId,
  exampleUser,
  problem,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import type { Enrolment } from "../../../src/contract/types.ts";
import { password, signInAnswers, twoFactorOn } from "../own-session.ts";

const base = `/api/users/${annaId}/2fa`;
const anna = exampleUser(twoFactorOn);

const enrolment: Enrolment = {
  secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  otpauth_uri: "otpauth://totp/Steward:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Steward",
  qr_svg: "<svg/>",
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  expires_at: "2026-01-02T03:14:05.000Z",
};

const enabled = {
  recovery_codes: ["K7QM-2F9X-0TRB-5WHD", "AAAA-BBBB-CCCC-DDDD"],
  two_factor: { ...anna.two_factor, locked: null },
};

const inDoubt = problem({
  code: "clock_not_synchronised",
  status: 409,
  clock: { server_time: "2001-02-03T04:05:06.000Z\u001b[2J", synchronised: false },
});

/** As an agent whose clock is not trusted. */
function enableInDoubt(): Answers {
  let isAsked = false;
  return {
    ...signInAnswers(),
    [`POST ${base}/enable`]: () => {
      if (isAsked) return { body: enabled };
      isAsked = true;
      return inDoubt;
    },
  };
}

describe("steward user 2fa setup", { concurrency: true }, () => {
  const answers = { ...signInAnswers(), [`POST ${base}/setup`]: { body: enrolment } };

  it("draws the QR code in colour, and enables with the first code that is typed", async (test) => {
    const { socketPath, received } = await startAgent(test, {
      ...answers,
      [`POST ${base}/enable`]: { body: enabled },
    });
    const { code, screen, isRestored } = await typeInto(
      [...stewardCommand, "user", "2fa", "setup", "anna", "--socket", socketPath],
      [
        ["Password of anna: ", `${password}\r`],
        ["First code from the authenticator: ", "123456\r"],
      ],
    );
    assert.equal(code, 0, screen);
    assert.ok(isRestored, screen);
    assert.ok(screen.includes("\u001b[30;47m") && screen.includes("█"), "black on white");
    assert.match(screen, /^GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ\r$/m);
    assert.match(screen, /^K7QM-2F9X-0TRB-5WHD\r\nAAAA-BBBB-CCCC-DDDD\r$/m);
    assert.doesNotMatch(screen, /umbrellas|123456/);
    assert.deepEqual(received.at(-2)?.body, { code: "123456" });
  });

  it("ends with 130 at Ctrl-C instead of the code, gives the terminal back, and signs out", async (test) => {
    const { socketPath, received } = await startAgent(test, answers);
    const { code, screen, isRestored } = await typeInto(
      [...stewardCommand, "user", "2fa", "setup", "anna", "--socket", socketPath],
      [
        ["Password of anna: ", `${password}\r`],
        ["First code from the authenticator: ", "12\u0003"],
      ],
    );
    assert.equal(code, 130, screen);
    assert.ok(isRestored, screen);
    assert.equal(received.at(-1)?.path, "/api/auth/logout");
  });

  it("draws without escape codes when NO_COLOR is set", async (test) => {
    const { socketPath } = await startAgent(test, answers);
    const { code, screen } = await typeInto(
      [...stewardCommand, "user", "2fa", "setup", "anna", "--begin", "--socket", socketPath],
      [["Password of anna: ", `${password}\r`]],
      { NO_COLOR: "1" },
    );
    assert.equal(code, 0, screen);
    assert.match(screen, /█/);
    assert.ok(!screen.includes("\u001b"), "no escape code");
  });

  it("prints the API's shape with --begin -o json, and enables nothing", async (test) => {
    const { code, stdout, received } = await runAgainst(
      test,
      "user 2fa setup anna --begin -o json --password-stdin",
      answers,
      { stdin: `${password}\n` },
    );
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), enrolment);
    assert.ok(
      received.every(({ path }) => path !== `${base}/enable`),
      "nothing was enabled",
    );
  });

  it("says where to go on when the input ends before the code, and signs out", async (test) => {
    const { code, stderr, received } = await runAgainst(
      test,
      "user 2fa setup anna --password-stdin",
      answers,
      { stdin: `${password}\n` },
    );
    assert.equal(code, 6);
    assert.match(stderr, /until 2026-01-02T03:14:05\.000Z also with: steward user 2fa enable anna/);
    assert.equal(received.at(-1)?.path, "/api/auth/logout");
  });

  it("ends with 5 for users who have a second factor", async (test) => {
    const { code, stderr } = await runAgainst(
      test,
      "user 2fa setup anna --password-stdin",
      signInAnswers(anna),
      { stdin: `${password}\n123456\n` },
    );
    assert.equal(code, 5);
    assert.match(stderr, /has a second factor/);
  });
});

describe("steward user 2fa enable", { concurrency: true }, () => {
  const enable = ["user", "2fa", "enable", "anna"];
  const enabling = (test: TestContext, words: readonly string[], answers: Answers) =>
    runAgainst(test, words, answers, { stdin: `${password}\n123456\n` });

  it("takes password and code from standard input, and prints the recovery codes alone", async (test) => {
    const { code, stdout } = await enabling(test, [...enable, "--password-stdin"], {
      ...signInAnswers(),
      [`POST ${base}/enable`]: { body: enabled },
    });
    assert.deepEqual([code, stdout], [0, "K7QM-2F9X-0TRB-5WHD\nAAAA-BBBB-CCCC-DDDD\n"]);
  });

  it("ends with 2 for --code-stdin without a token, before anything is read", async (test) => {
    const { code, received } = await runAgainst(test, [...enable, "--code-stdin"], signInAnswers(), {
      stdin: "123456\n",
    });
    assert.equal(code, 2);
    assert.deepEqual(received, []);
  });

  describe("when the clock of the device is not trusted", () => {
    it("ends with 9 without a terminal to ask on, and shows the device's time harmlessly", async (test) => {
      const { code, stderr } = await enabling(test, [...enable, "--password-stdin"], enableInDoubt());
      assert.equal(code, 9);
      assert.match(
        stderr,
        /The device says it is 2001-02-03T04:05:06\.000Z\\x1b\[2J; its clock is not trusted/,
      );
    });

    for (const option of ["--allow-unsynchronised-clock", "--yes"]) {
      it(`goes on with ${option}`, async (test) => {
        const { code, received } = await enabling(test, [...enable, option, "--password-stdin"], {
          ...signInAnswers(),
          [`POST ${base}/enable`]: { body: enabled },
        });
        assert.equal(code, 0);
        assert.deepEqual(received.at(-2)?.body, { code: "123456", allow_unsynchronised_clock: true });
      });
    }

    for (const [typed, exit, last] of [
      ["y\r", 0, { code: "123456", allow_unsynchronised_clock: true }],
      ["n\r", 9, { code: "123456" }],
    ] as const) {
      it(`asks, and ends with ${exit} for ${JSON.stringify(typed)}`, async (test) => {
        const { socketPath, received } = await startAgent(test, enableInDoubt());
        const { code, screen } = await typeInto(
          [...stewardCommand, ...enable, "--socket", socketPath],
          [
            ["Password of anna: ", `${password}\r`],
            ["First code from the authenticator: ", "123456\r"],
            ["The device says it is 2001-02-03T04:05:06.000Z\\x1b[2J. Is that right? [y/N] ", typed],
          ],
        );
        assert.equal(code, exit, screen);
        assert.deepEqual(received.at(-2)?.body, last);
      });
    }
  });
});
