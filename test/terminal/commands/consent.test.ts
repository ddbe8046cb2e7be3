import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  annaId,
  ends,
  endsOnTerminal,
  exampleToken,
  exampleUser,
  pageOf,
  runSteward,
  startAgent,
  twoFactorOn,
} from "../../cli/fixture.ts";

const answers = {
  "GET /api/users": pageOf(exampleUser(twoFactorOn)),
  "GET /api/tokens": pageOf(exampleToken),
  [`DELETE /api/users/${annaId}`]: { status: 204 },
};

/** Each with its words about the user concerned, and about how they get back in. */
const commands: readonly (readonly [words: readonly string[], whom: RegExp, back: RegExp])[] = [
  [["user", "rm", "anna"], /User anna \(Anna, readonly\) is deleted/, /user add anna --role readonly/],
  [
    ["user", "rescue", "anna"],
    /User anna loses the second factor, gets a one-use password/,
    /anna signs in with the one-use password, chooses a new one, and sets up an authenticator again/,
  ],
  [
    ["user", "2fa", "reset", "anna", "--reason", "lost it"],
    /User anna loses the second factor/,
    /steward user 2fa setup anna/,
  ],
  [["user", "sessions", "revoke", "anna"], /All sessions of anna end/, /anna signs in again/],
  [
    ["token", "rm", exampleToken.id],
    /The token "backup of the roof" of anna ends at once/,
    /steward token add --user anna --name TEXT --scope logs:read/,
  ],
];

describe("a command about another user", { concurrency: true }, () => {
  for (const [words, whom, back] of commands) {
    const what = words.slice(0, -1).join(" ");
    it(`is not done by a script's \`${what}\` without --yes: exit 2, with the line to type`, async (test) => {
      const { socketPath, received } = await startAgent(test, answers);
      const { code, stderr } = await runSteward([...words, "--socket", socketPath]);
      const line = words.map((word) => (word.includes(" ") ? `'${word}'` : word)).join(" ");
      assert.equal(code, 2);
      assert.ok(stderr.includes(`type:\n  steward ${line} --socket ${socketPath} --yes\n`), stderr);
      assert.ok(received.every(({ method }) => method === "GET"));
    });

    it(`is only said by \`${what} --dry-run\`, with the way back`, (test) =>
      ends(test, [...words, "--dry-run", "--yes"], answers, { stdout: [whom, back], sent: [] }));
  }

  it("asks at a terminal, with the user concerned and the way back; n changes nothing", (test) =>
    endsOnTerminal(test, "user rm anna", answers, [['Delete the user "anna"? [y/N] ', "n\n"]], {
      code: 1,
      screen: [
        /User anna \(Anna, readonly\) is deleted, with the sessions[\s\S]*user add anna/,
        /nothing was changed/,
      ],
      sent: [],
    }));

  it("is rescued only after it was said what may keep the user out", (test) =>
    ends(test, "user rescue anna", answers, {
      code: 2,
      stderr: /^These may keep anna from signing in: a second factor, which may be lost\.\n[\s\S]*--yes/,
    }));
});
