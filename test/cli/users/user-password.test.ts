import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/command-line/run-steward.ts";
import {
  type Answers,
  annaId,
  exampleUser,
  pageOf,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";

const anna = `/api/users/${annaId}`;
const oneUse = "one-use-password-1";

describe("steward user add", { concurrency: true }, () => {
  const added: Answers = { "POST /api/users": { status: 201, body: exampleUser() } };
  const generated: Answers = {
    "POST /api/users": { status: 201, body: { ...exampleUser(), initial_password: oneUse } },
  };

  it("sends the first line of standard input as the password, readonly by default", async (test) => {
    const { code, stdout, stderr, received } = await runAgainst(
      test,
      "user add anna --password-stdin",
      added,
      { stdin: " pass wörd \r\nsecond line\n" },
    );
    assert.deepEqual([code, stdout, stderr], [0, "", "User anna is added with the role readonly.\n"]);
    assert.deepEqual(received[0]?.body, {
      username: "anna",
      role: "readonly",
      enabled: true,
      password: " pass wörd ",
    });
  });

  it("prints a generated password alone on standard output", async (test) => {
    const { socketPath, received } = await startAgent(test, generated);
    const args = [
      "user",
      "add",
      "anna",
      "--generate",
      "--disabled",
      "--role",
      "operator",
      "--display-name",
      "Anna B",
    ];
    const { code, stdout, stderr } = await runSteward([...args, "--socket", socketPath]);
    assert.deepEqual([code, stdout], [0, `${oneUse}\n`]);
    assert.match(stderr, /shown only once/);
    assert.deepEqual(received[0]?.body, {
      username: "anna",
      role: "operator",
      enabled: false,
      display_name: "Anna B",
    });
  });

  describe("when there is no password", () => {
    const without: [what: string, args: string[], stdin: string | Buffer, exit: number, message: RegExp][] = [
      ["neither a terminal nor an option for it", [], "", 2, /--password-stdin.*--generate/],
      ["an empty first line", ["--password-stdin"], "\nsecret\n", 6, /password or passphrase is empty/],
      ["an empty input", ["--password-stdin"], "", 6, /password or passphrase is empty/],
      ["a line that is not UTF-8", ["--password-stdin"], Buffer.from([0xff, 0x0a]), 6, /not UTF-8/],
      ["a file without lines", ["--password-stdin"], "x".repeat(100_000), 6, /more than 4096 bytes/],
    ];
    for (const [what, args, stdin, exit, message] of without) {
      it(`ends with ${exit} for ${what}, and adds no user`, async (test) => {
        const { code, stderr, received } = await runAgainst(test, ["user", "add", "anna", ...args], added, {
          stdin,
        });
        assert.equal(code, exit);
        assert.match(stderr, message);
        assert.deepEqual(received, []);
      });
    }
  });
});

describe("steward user rescue", { concurrency: true }, () => {
  const rescued = { body: { ...exampleUser(), initial_password: oneUse, tokens_ended: 2 } };
  const answersFor = (user: ReturnType<typeof exampleUser>): Answers => ({
    "GET /api/users": pageOf(user),
    [`POST ${anna}/rescue`]: rescued,
  });

  it("says all that may keep the user out, enables, unlocks, removes the factor, prints a one-use password", async (test) => {
    const locked = { password: true, totp: false, until: "2026-01-02T03:04:05.000Z" };
    const two_factor = {
      ...{ enabled: true, enrolled_at: null, recovery_codes_remaining: 0 },
      sealing_key: "missing" as const,
    };
    const user = exampleUser({ enabled: false, must_change_password: true, locked, two_factor });
    const { code, stdout, stderr, received } = await runAgainst(
      test,
      "user rescue anna --yes",
      answersFor(user),
    );
    assert.deepEqual([code, stdout], [0, `${oneUse}\n`]);
    assert.match(
      stderr,
      /anna from signing in: codes cannot be checked, as the key .* is not on this device; the user is disabled; locked: password until 2026-01-02T03:04:05\.000Z; a second factor, which may be lost; the password must/,
    );
    assert.deepEqual(
      received.slice(1).map(({ method, path, body }) => [method, path, body]),
      [["POST", `${anna}/rescue`, {}]],
    );
  });

  it("says that nothing was found, and nothing of memory where the disk is well", async (test) => {
    const { code, stderr } = await runAgainst(test, "user rescue anna --yes", answersFor(exampleUser()));
    assert.equal(code, 0);
    assert.match(stderr, /nothing was found/);
    assert.match(stderr, /the sessions are ended\. 2 API tokens ended\./);
    assert.doesNotMatch(stderr, /memory/);
  });

  it("keeps the API tokens with --keep-tokens, and says where they are listed", async (test) => {
    const kept = { body: { ...rescued.body, tokens_ended: 0, tokens: 1 } };
    const answers = { ...answersFor(exampleUser({ tokens: 1 })), [`POST ${anna}/rescue`]: kept };
    const { socketPath, received } = await startAgent(test, answers);
    const words = ["user", "rescue", "anna", "--keep-tokens", "--yes", "--socket", socketPath];
    const { code, stderr } = await runSteward(words);
    assert.deepEqual([code, received.at(-1)?.body], [0, { keep_tokens: true }]);
    assert.match(stderr, /1 API token kept: steward token list --user anna/);
  });
});
