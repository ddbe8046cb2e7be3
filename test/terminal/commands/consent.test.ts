import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward, stewardCommand } from "../../../lab/command-line/run-steward.ts";
import {
  annaId,
  exampleUser,
  pageOf,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import type { ApiToken } from "../../../src/contract/types.ts";
import { twoFactorOn } from "../../cli/own-session.ts";

const anna = exampleUser(twoFactorOn);
const token: ApiToken = {
  id: `tok_${"c".repeat(32)}`,
  name: "backup of the roof",
  user_id: annaId,
  username: "anna",
  scopes: ["logs:read"],
  created_at: "2026-01-02T03:04:05.000Z",
  expires_at: "2026-04-02T03:04:05.000Z",
  is_expired: false,
  last_used_at: null,
  last_used_from: null,
  is_fleet: false,
  sources: [],
  no_expiry: false,
  is_suspended: false,
};

const user = `/api/users/${annaId}`;
const answers = {
  "GET /api/users": pageOf(anna),
  "GET /api/tokens": { body: { items: [token], total: 1, next_cursor: null } },
  [`DELETE ${user}`]: { status: 204 },
};

/** Each with its words about the user concerned, and about how they get back in. */
const commands: [words: string[], whom: RegExp, back: RegExp][] = [
  [
    ["user", "rm", "anna"],
    /User anna \(Anna, readonly\) is deleted/,
    /steward user add anna --role readonly/,
  ],
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
    ["token", "rm", token.id],
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

    it(`is only said by \`${what} --dry-run\`, with the way back`, async (test) => {
      const { socketPath, received } = await startAgent(test, answers);
      const args = [...words, "--dry-run", "--yes", "--socket", socketPath];
      const { code, stdout, stderr } = await runSteward(args);
      assert.equal(code, 0, stderr);
      assert.match(stdout, whom);
      assert.match(stdout, back);
      assert.ok(received.every(({ method }) => method === "GET"));
    });
  }

  it("asks at a terminal, with the user concerned and the way back; n changes nothing", async (test) => {
    const { socketPath, received } = await startAgent(test, answers);
    const words = [...stewardCommand, "user", "rm", "anna", "--socket", socketPath];
    const { code, screen } = await typeInto(words, [['Delete the user "anna"? [y/N] ', "n\n"]]);
    assert.equal(code, 1, screen);
    assert.match(screen, /User anna \(Anna, readonly\) is deleted, with the sessions[\s\S]*user add anna/);
    assert.match(screen, /nothing was changed/);
    assert.ok(received.every(({ method }) => method === "GET"));
  });

  it("is rescued only after it was said what may keep the user out", async (test) => {
    const { code, stderr } = await runAgainst(test, "user rescue anna", answers);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^These may keep anna from signing in: a second factor, which may be lost\.\n[\s\S]*--yes/,
    );
  });
});
