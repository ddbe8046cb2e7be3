import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward, stewardCommand } from "../../../lab/command-line/run-steward.ts";
import {
  type Answers,
  annaId,
  exampleUser,
  pageOf,
  problem,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { exampleSession, password, signInAnswers, twoFactorOn } from "../own-session.ts";

const base = `/api/users/${annaId}/2fa`;
const anna = exampleUser(twoFactorOn);

describe("steward user 2fa disable", () => {
  it("sends password and a second code, for the first opened the session", async (test) => {
    const { code, stderr, received } = await runAgainst(
      test,
      "user 2fa disable anna --password-stdin",
      { ...signInAnswers(anna), [`POST ${base}/disable`]: { body: exampleUser() } },
      { stdin: `${password}\n111111\n222222\n` },
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual(received.at(-2)?.body, { password, code: "222222" });
    assert.match(stderr, /second factor of anna is off/);
  });
});

describe("steward user 2fa recover", () => {
  it("sends password and recovery code, says what to do next, and ends the session", async (test) => {
    const { code, stderr, received } = await runAgainst(
      test,
      "user 2fa recover anna --password-stdin",
      {
        "POST /api/users/anna/2fa/recover": { body: exampleSession(exampleUser()) },
        "POST /api/auth/logout": { status: 204 },
      },
      { stdin: `${password}\nK7QM-2F9X-0TRB-5WHD\n` },
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /factor of anna is off[\s\S]*steward user 2fa setup anna/);
    assert.deepEqual(received[0]?.body, { password, recovery_code: "K7QM-2F9X-0TRB-5WHD" });
    assert.deepEqual(received[1]?.body, { refresh_token: "refresh-1" });
  });
});

describe("steward user 2fa reset", { concurrency: true }, () => {
  const reset = ["user", "2fa", "reset", "anna"];
  const answers: Answers = {
    "GET /api/users": pageOf(anna),
    [`POST ${base}/recover`]: { body: exampleUser() },
  };

  it("removes the factor with a reason, once it is confirmed", async (test) => {
    const { socketPath, received } = await startAgent(test, answers);
    const { code, screen } = await typeInto(
      [...stewardCommand, ...reset, "--reason", "phone lost", "--socket", socketPath],
      [["end all sessions? [y/N] ", "y\r"]],
    );
    assert.equal(code, 0, screen);
    assert.deepEqual(received.at(-1)?.body, { reason: "phone lost" });
  });

  const refused: [what: string, args: string[], user: object, exit: number][] = [
    ["without a reason", ["--yes"], anna, 2],
    ["with an empty reason", ["--yes", "--reason="], anna, 2],
    ["without terminal and --yes", ["--reason", "phone lost"], anna, 2],
    ["for a user without a factor", ["--yes", "--reason", "phone lost"], exampleUser(), 5],
  ];
  for (const [what, args, user, exit] of refused) {
    it(`ends with ${exit} ${what}, and removes nothing`, async (test) => {
      const { code, received } = await runAgainst(test, [...reset, ...args], {
        ...answers,
        "GET /api/users": { body: { items: [user], total: 1, next_cursor: null } },
      });
      assert.equal(code, exit);
      assert.ok(
        received.every(({ method }) => method === "GET"),
        "nothing was removed",
      );
    });
  }
});

describe("steward user 2fa status", () => {
  it("shows the second factor and the lock", async (test) => {
    const locked = { password: false, totp: true, until: "2026-01-02T03:04:05.000Z" };
    const { stdout } = await runAgainst(test, "user 2fa status anna", {
      "GET /api/users": pageOf(anna),
      [`GET ${base}`]: { body: { ...anna.two_factor, passkeys: [], locked } },
    });
    assert.match(
      stdout,
      /^enabled +yes\nsince +2026.*\nrecovery codes left +10\npasskeys +none\nlocked +two-factor code until /,
    );
  });

  it("finds oneself with a token that may not list users", async (test) => {
    const { socketPath } = await startAgent(test, {
      "GET /api/users": problem({ code: "forbidden", status: 403 }),
      "GET /api/auth/me": { body: anna },
      [`GET ${base}`]: { body: { ...anna.two_factor, passkeys: [], locked: null } },
    });
    const own = await runSteward(`user 2fa status anna --socket ${socketPath}`);
    assert.equal(own.code, 0, own.stderr);
    const other = await runSteward(`user 2fa status berta --socket ${socketPath}`);
    assert.equal(other.code, 4);
  });
});
