import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Enrolment } from "../../../src/contract/types.ts";
import {
  type Answers,
  annaId,
  ended,
  endedOnTerminal,
  ends,
  endsAlone,
  endsOnTerminal,
  exampleSession,
  exampleUser,
  offline,
  pageOf,
  password,
  problem,
  signInAnswers,
  startAgent,
  stewardCommand,
  temporaryDirectory,
  twoFactorOn,
  untilSteppedUp,
} from "../fixture.ts";

const base = `/api/users/${annaId}/2fa`;
const codesPath = `${base}/recovery-codes`;
const makeCodes = `POST ${codesPath}`;
const codes = { body: { recovery_codes: ["K7QM-2F9X-0TRB-5WHD"] } };
const renew = "user 2fa recovery-codes anna";
const byInput = `${renew} --password-stdin`;
const anna = exampleUser(twoFactorOn);
const refusal = (code: string, status: number) => problem({ code, status });
const typedPassword = ["Password of anna: ", `${password}\r`] as const;

/** Runs the command as a process of its own, which gets the password and nothing else. */
function startRenewing(socketPath: string) {
  const [program = "", ...words] = [...stewardCommand, ...byInput.split(" "), "--socket", socketPath];
  const env = { PATH: process.env.PATH };
  const child = spawn(program, words, { stdio: ["pipe", "ignore", "ignore"], env });
  child.stdin.end(`${password}\n`);
  return child;
}

describe("a command about one's own secrets", { concurrency: true }, () => {
  it("signs in, steps up when the agent asks for it, repeats the request, and signs out", async (test) => {
    const answers = { ...signInAnswers(), [makeCodes]: untilSteppedUp(codes) };
    const { received } = await ended(test, byInput, answers, {
      stdin: `${password}\n`,
      stdout: "K7QM-2F9X-0TRB-5WHD\n",
      asked: [
        ...["GET /api/users", "POST /api/auth/login", makeCodes, "POST /api/auth/reauth", makeCodes],
        "POST /api/auth/logout",
      ],
      bodies: {
        "/api/auth/login": { username: "anna", password },
        "/api/auth/reauth": { password },
        "/api/auth/logout": { refresh_token: "refresh-1" },
      },
    });
    assert.deepEqual(
      received.map(({ authorization }) => authorization),
      [undefined, undefined, "Bearer access-1", "Bearer access-1", "Bearer access-1", undefined],
    );
  });

  for (const [typed, sent] of [
    ["123456", { code: "123456" }],
    ["123 456", { code: "123 456" }],
    ["12345", { code: "12345" }],
    ["K7QM-2F9X-0TRB-5WHD", { recovery_code: "K7QM-2F9X-0TRB-5WHD" }],
    ["k7qm2f9x0trb5whd", { recovery_code: "k7qm2f9x0trb5whd" }],
    ["1234-5678-9012-3456", { recovery_code: "1234-5678-9012-3456" }],
  ] as const)
    it(`answers the challenge with ${Object.keys(sent).join("")} for "${typed}"`, (test) =>
      ends(
        test,
        byInput,
        { ...signInAnswers(anna), [makeCodes]: codes },
        {
          stdin: `${password}\n${typed}\n`,
          bodies: { "/api/auth/totp": { challenge_token: "stc_challenge", ...sent } },
        },
      ));

  it("takes another code for the step-up than for the sign-in, for each is good once", (test) =>
    ends(
      test,
      byInput,
      { ...signInAnswers(anna), [makeCodes]: untilSteppedUp(codes) },
      {
        stdin: `${password}\n111111\n222222\n`,
        stderr: /each code works once: wait until the authenticator shows the next one/,
        bodies: { "/api/auth/reauth": { password, code: "222222" } },
      },
    ));

  const stepUp = refusal("step_up_required", 401);
  const failures: [what: string, answers: Answers, exit: number][] = [
    ["the agent refuses it", { [makeCodes]: refusal("two_factor_not_enabled", 409) }, 5],
    ["it is refused", { [makeCodes]: stepUp, "POST /api/auth/reauth": refusal("password_wrong", 403) }, 4],
    ["the agent asks for a step-up after the step-up", { [makeCodes]: stepUp }, 4],
  ];
  for (const [what, answers, code] of failures)
    it(`ends with ${code} and signs out when ${what}`, async (test) => {
      const given = { stdin: `${password}\n`, code, stderr: /wrong/ };
      const { received } = await ended(test, byInput, { ...signInAnswers(), ...answers }, given);
      assert.equal(received.at(-1)?.path, "/api/auth/logout");
    });

  it("ends with 6 and opens no session when the input ends before the code", async (test) => {
    const { stderr } = await ended(test, byInput, signInAnswers(anna), {
      stdin: password,
      code: 6,
      stderr: /Standard input ended before this answer: Code of anna/,
      asked: ["GET /api/users", "POST /api/auth/login"],
    });
    assert.doesNotMatch(stderr, /stc_challenge/);
  });

  it("ends with 3 before it sends a password for a name that is not there", (test) =>
    ends(test, byInput, { "GET /api/users": pageOf() }, { stdin: `${password}\n`, code: 3, sent: [] }));

  it("ends with 2 without terminal and --password-stdin, and sends nothing", (test) =>
    ends(test, renew, signInAnswers(), { code: 2, stderr: /--password-stdin/, asked: [] }));

  it("ends with 8 when the agent is down, touches no state, and says what works all the same", (test) =>
    endsAlone([...byInput.split(" "), ...offline(test).places], {
      stdin: `${password}\n`,
      code: 8,
      stderr: /agent is not running[\s\S]*user rescue/,
    }));

  it("begins nothing new after Ctrl-C, and signs out", async (test) => {
    const { socketPath, received } = await startAgent(test, {
      ...signInAnswers(),
      [makeCodes]: () => {
        child.kill("SIGINT");
        return stepUp;
      },
    });
    const child = startRenewing(socketPath);
    assert.equal(await new Promise((resolve) => child.once("close", resolve)), 130);
    const at = received.map(({ path }) => path);
    assert.deepEqual([at.filter((one) => one === codesPath).length, at.at(-1)], [1, "/api/auth/logout"]);
  });

  it("has nothing secret in its arguments or environment while it runs", async (test) => {
    let seen = "";
    const { socketPath } = await startAgent(test, {
      ...signInAnswers(),
      [makeCodes]: () => {
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

describe("a one-use password", { concurrency: true }, () => {
  const oneUse = exampleUser({ must_change_password: true });

  it("is not used up where the user cannot choose a new one", (test) =>
    ends(test, byInput, signInAnswers(oneUse), {
      stdin: `${password}\n`,
      code: 4,
      stderr: /one-use password, which this sign-in would use up/,
      asked: ["GET /api/users"],
    }));

  it("is replaced first on a terminal, and the new one is used from then on", (test) => {
    const own = "my own good password";
    const changed = { "PUT /api/auth/password": { status: 204 }, [makeCodes]: untilSteppedUp(codes) };
    const typed = [
      typedPassword,
      ...[["New password: ", "one thing\r"] as const, ["The same again: ", "another thing\r"] as const],
      ...[["New password: ", `${own}\r`] as const, ["The same again: ", `${own}\r`] as const],
    ];
    return endsOnTerminal(test, renew, { ...signInAnswers(oneUse), ...changed }, typed, {
      bodies: {
        "/api/auth/password": { current_password: password, new_password: own },
        "/api/auth/reauth": { password: own },
      },
    });
  });
});

/** A line with a file that has this token. */
function withToken(test: TestContext, line: string) {
  const tokenFile = join(temporaryDirectory(test), "token");
  writeFileSync(tokenFile, "mine\n");
  return `${line} --token-file ${tokenFile}`;
}
const steppedUp = { "POST /api/auth/reauth": { body: { expires_in: 300 } } };

describe("a command about one's own secrets with --token-file", { concurrency: true }, () => {
  const owner = (user: object): Answers => ({ "GET /api/auth/me": { body: user }, [makeCodes]: codes });

  it("is done in the token's session, which stays", async (test) => {
    const asked = ["GET /api/auth/me", makeCodes];
    const { received } = await ended(test, withToken(test, byInput), owner(exampleUser()), { asked });
    assert.equal(received[1]?.authorization, "Bearer mine");
  });

  it("steps the session up with password and code when the agent asks for it", (test) => {
    const answers = { ...owner(anna), ...steppedUp, [makeCodes]: untilSteppedUp(codes) };
    return ends(test, withToken(test, byInput), answers, {
      stdin: `${password}\n123456\n`,
      bodies: { "/api/auth/reauth": { password, code: "123456" } },
    });
  });

  it("ends with 4 for another user's token, and shows a hostile name harmlessly", (test) =>
    ends(test, withToken(test, byInput), owner(exampleUser({ username: "berta\u001b[31m\u202e\nx" })), {
      code: 4,
      stderr: /is of "berta\\x1b\[31m\\x\{202e\}\\x0ax"/,
    }));
});

describe("an administrator's command with a token file", { concurrency: true }, () => {
  const admin = exampleUser({ id: `usr_${"c".repeat(32)}`, username: "chief", role: "admin" });
  const unlock = `POST /api/users/${annaId}/unlock`;
  const reauth = "POST /api/auth/reauth";
  const agentOf = (user: object, answers: Answers = {}): Answers => ({
    ...{ "GET /api/users": pageOf(exampleUser()), "GET /api/auth/me": { body: user } },
    ...{ ...steppedUp, [unlock]: untilSteppedUp({ body: exampleUser() }), ...answers },
  });
  const own = "my password";
  const question = ["Password of chief: ", `${own}\r`] as const;
  const code = ["Code of chief (or a recovery code): ", "123456\r"] as const;

  for (const [what, user, typed, proof] of [
    ["the password once", admin, [question], { password: own }],
    [
      "a code too where there is a second factor",
      ...([{ ...admin, ...twoFactorOn }, [question, code], { password: own, code: "123456" }] as const),
    ],
  ] as const)
    it(`asks for ${what} on a terminal, steps up and repeats the request`, async (test) => {
      const sent = [[unlock], [reauth, proof], [unlock]] as const;
      const line = withToken(test, "user unlock anna");
      const { screen } = await endedOnTerminal(test, line, agentOf(user), typed, { sent });
      assert.doesNotMatch(screen, /my password/);
    });

  it("does not repeat the request when the password is wrong", (test) => {
    const wrong = agentOf(admin, { [reauth]: refusal("password_wrong", 403) });
    const end = { code: 4, sent: [[unlock], [reauth, { password: own }]] as const };
    return endsOnTerminal(test, withToken(test, "user unlock anna"), wrong, [question], end);
  });

  it("ends with 4 and the agent's advice where no user can be asked", (test) => {
    const detail = "This takes the password again: POST /api/auth/reauth.";
    const refused = problem({ code: "step_up_required", status: 401, detail });
    const end = { code: 4, stderr: /This takes the password again: POST/, sent: [[unlock]] as const };
    return ends(test, withToken(test, "user unlock anna"), agentOf(admin, { [unlock]: refused }), end);
  });
});

const enrolment: Enrolment = {
  secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  otpauth_uri: "otpauth://totp/Steward:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Steward",
  qr_svg: "<svg/>",
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  expires_at: "2026-01-02T03:14:05.000Z",
};
const recovery_codes = ["K7QM-2F9X-0TRB-5WHD", "AAAA-BBBB-CCCC-DDDD"];
const enabled = { body: { recovery_codes, two_factor: { ...anna.two_factor, locked: null } } };

describe("steward user 2fa setup", { concurrency: true }, () => {
  const setup = "user 2fa setup anna";
  const answers = {
    ...signInAnswers(),
    [`POST ${base}/setup`]: { body: enrolment },
    [`POST ${base}/enable`]: enabled,
  };
  const firstCode = "First code from the authenticator: ";

  it("draws the QR code in colour, and enables with the first code that is typed", async (test) => {
    const { screen } = await endedOnTerminal(test, setup, answers, [typedPassword, [firstCode, "123456\r"]], {
      screen: [
        /\[30;47m.*█/,
        /^GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ\r$/m,
        /^K7QM-2F9X-0TRB-5WHD\r\nAAAA-BBBB-CCCC-DDDD\r$/m,
      ],
      bodies: { [`${base}/enable`]: { code: "123456" } },
    });
    assert.doesNotMatch(screen, /umbrellas|123456/);
  });

  it("ends with 130 at Ctrl-C instead of the code, gives the terminal back, and signs out", async (test) => {
    const typed = [typedPassword, [firstCode, "12\u0003"] as const];
    const { received } = await endedOnTerminal(test, setup, answers, typed, { code: 130 });
    assert.equal(received.at(-1)?.path, "/api/auth/logout");
  });

  it("draws without escape codes when NO_COLOR is set", async (test) => {
    const environment = { NO_COLOR: "1" };
    const end = { environment, screen: /█/ };
    const { screen } = await endedOnTerminal(test, `${setup} --begin`, answers, [typedPassword], end);
    assert.ok(!screen.includes("\u001b"), "no escape code");
  });

  it("prints the API's shape with --begin -o json, and enables nothing", async (test) => {
    const line = `${setup} --begin -o json --password-stdin`;
    const bodies = { [`${base}/enable`]: undefined };
    const { stdout } = await ended(test, line, answers, { stdin: `${password}\n`, bodies });
    assert.deepEqual(JSON.parse(stdout), enrolment);
  });

  it("says where to go on when the input ends before the code, and signs out", async (test) => {
    const { received } = await ended(test, `${setup} --password-stdin`, answers, {
      stdin: `${password}\n`,
      code: 6,
      stderr: /until 2026-01-02T03:14:05\.000Z you can also type: steward user 2fa enable anna/,
    });
    assert.equal(received.at(-1)?.path, "/api/auth/logout");
  });

  it("ends with 5 for users who have a second factor", (test) => {
    const given = { stdin: `${password}\n123456\n`, code: 5, stderr: /has a second factor/ };
    return ends(test, `${setup} --password-stdin`, signInAnswers(anna), given);
  });
});

describe("steward user 2fa enable", { concurrency: true }, () => {
  const enable = "user 2fa enable anna";
  const stdin = `${password}\n123456\n`;
  const sure = { code: "123456", allow_unsynchronised_clock: true };
  /** As an agent whose clock is not trusted, until the user says that it may be. */
  const inDoubt = (): Answers => {
    const clock = { server_time: "2001-02-03T04:05:06.000Z\u001b[2J", synchronised: false };
    const answers = [problem({ code: "clock_not_synchronised", status: 409, clock })];
    return { ...signInAnswers(), [`POST ${base}/enable`]: () => answers.shift() ?? enabled };
  };
  const trusting: Answers = { ...signInAnswers(), [`POST ${base}/enable`]: enabled };

  it("takes password and code from standard input, and prints the recovery codes alone", (test) =>
    ends(test, `${enable} --password-stdin`, trusting, { stdin, stdout: `${recovery_codes.join("\n")}\n` }));

  it("ends with 2 for --code-stdin without a token, before anything is read", (test) =>
    ends(test, `${enable} --code-stdin`, trusting, { stdin: "123456\n", code: 2, asked: [] }));

  it("ends with 9 where the clock is not trusted and no one can be asked; its time is harmless", (test) =>
    ends(test, `${enable} --password-stdin`, inDoubt(), {
      stdin,
      code: 9,
      stderr: /The device says it is 2001-02-03T04:05:06\.000Z\\x1b\[2J; its clock is not trusted/,
    }));

  for (const option of ["--allow-unsynchronised-clock", "--yes"])
    it(`goes on with ${option}`, (test) => {
      const bodies = { [`${base}/enable`]: sure };
      return ends(test, `${enable} ${option} --password-stdin`, trusting, { stdin, bodies });
    });

  for (const [typed, code, last] of [
    ["y\r", 0, sure],
    ["n\r", 9, { code: "123456" }],
  ] as const)
    it(`asks, and ends with ${code} for ${JSON.stringify(typed)}`, (test) => {
      const question = "The device says it is 2001-02-03T04:05:06.000Z\\x1b[2J. Is that right? [y/N] ";
      const questions = [
        ...[typedPassword, ["First code from the authenticator: ", "123456\r"] as const],
        [question, typed] as const,
      ];
      return endsOnTerminal(test, enable, inDoubt(), questions, {
        code,
        bodies: { [`${base}/enable`]: last },
      });
    });
});

describe("the second factor of a user", { concurrency: true }, () => {
  it("recover: sends password and recovery code, says what to do next, and ends the session", (test) => {
    const recovery_code = "K7QM-2F9X-0TRB-5WHD";
    const answers = {
      "POST /api/users/anna/2fa/recover": { body: exampleSession(exampleUser()) },
      "POST /api/auth/logout": { status: 204 },
    };
    return ends(test, "user 2fa recover anna --password-stdin", answers, {
      stdin: `${password}\n${recovery_code}\n`,
      stderr: /factor of anna is off[\s\S]*steward user 2fa setup anna/,
      sent: [
        ["POST /api/users/anna/2fa/recover", { password, recovery_code }],
        ["POST /api/auth/logout", { refresh_token: "refresh-1" }],
      ],
    });
  });

  const reset = ["user", "2fa", "reset", "anna"];
  const recovered = { "GET /api/users": pageOf(anna), [`POST ${base}/recover`]: { body: exampleUser() } };

  for (const [what, args, user, code] of [
    ["without a reason", ["--yes"], anna, 2],
    ["with an empty reason", ["--yes", "--reason="], anna, 2],
    ["for a user without a factor", ["--yes", "--reason", "phone lost"], exampleUser(), 5],
  ] as const)
    it(`reset: ends with ${code} ${what}, and removes nothing`, (test) =>
      ends(test, [...reset, ...args], { ...recovered, "GET /api/users": pageOf(user) }, { code, sent: [] }));

  it("status: shows it and the lock", (test) => {
    const locked = { password: false, totp: true, until: "2026-01-02T03:04:05.000Z" };
    const body = { ...anna.two_factor, passkeys: [], locked };
    return ends(
      test,
      "user 2fa status anna",
      { "GET /api/users": pageOf(anna), [`GET ${base}`]: { body } },
      {
        stdout:
          /^enabled +yes\nsince +2026.*\nrecovery codes left +10\npasskeys +none\nlocked +two-factor code until /,
      },
    );
  });
});
