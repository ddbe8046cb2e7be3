import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  notedCalls,
  runSteward,
  temporaryDirectory,
  writeOffline,
} from "../../../lab/command-line/run-steward.ts";
import {
  annaId,
  exampleUser,
  pageOf,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import type { ApiToken } from "../../../src/contract/types.ts";
import { password, signInAnswers, untilSteppedUp } from "../own-session.ts";

const token: ApiToken = {
  id: `tok_${"b".repeat(32)}`,
  name: "fleet\u001b[2J\u202etools",
  user_id: annaId,
  username: "anna",
  scopes: ["logs:read", "system:read"],
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
const secret = "stw_AAAABBBBCCCCDDDD";
const listOf = (...items: ApiToken[]) => ({ body: { items, total: items.length, next_cursor: null } });

describe("steward token add", { concurrency: true }, () => {
  const add = ["token", "add", "--user", "anna", "--name", "fleet", "--scope", "logs:read"];

  it("signs in as the user, steps up, and prints the token alone", async (test) => {
    const { socketPath, received } = await startAgent(test, {
      ...signInAnswers(),
      "POST /api/tokens": untilSteppedUp({ status: 201, body: { ...token, token: secret } }),
    });
    const args = [...add, "--scope", "system:read", "--expires-in", "30d", "--password-stdin"];
    const { code, stdout, stderr } = await runSteward([...args, "--socket", socketPath], {
      stdin: `${password}\n`,
    });
    assert.deepEqual([code, stdout], [0, `${secret}\n`], stderr);
    assert.match(stderr, /shown only once/);
    const body = { name: "fleet", scopes: ["logs:read", "system:read"], expires_in: "30d" };
    assert.deepEqual(received.find(({ path }) => path === "/api/tokens")?.body, body);
    assert.equal(received.at(-1)?.path, "/api/auth/logout");
  });

  it("makes it as root over the socket, without the user's password or code", async (test) => {
    const { code, stdout, received } = await runAgainst(test, [...add], {
      "GET /api/users": pageOf(exampleUser()),
      "POST /api/tokens": { status: 201, body: { ...token, token: secret } },
    });
    assert.deepEqual([code, stdout], [0, `${secret}\n`]);
    const body = { name: "fleet", scopes: ["logs:read"], user_id: annaId };
    assert.deepEqual([received.length, received.at(-1)?.body], [2, body]);
  });

  const wrong: [what: string, args: string[], message: RegExp][] = [
    ["no user", ["--name", "x", "--scope", "logs:read"], /needs --user, --name and at least one --scope/],
    ["no name", ["--user", "anna", "--scope", "logs:read"], /needs --user/],
    ["no scope", ["--user", "anna", "--name", "x"], /needs --user/],
    ["a scope that is none", ["--scope", "log:read"], /did you mean "logs:read"\?/],
    ["a second scope that is none", ["--scope", "logs:read", "--scope", "root"], /--scope is one of/],
  ];
  for (const [what, args, message] of wrong) {
    it(`ends with 2 for ${what}`, async () => {
      const { code, stderr } = await runSteward(["token", "add", ...args, "--password-stdin"]);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }
});

describe("steward token list", { concurrency: true }, () => {
  it("reads all pages, and shows a hostile name harmlessly", async (test) => {
    const other = { ...token, id: `tok_${"c".repeat(32)}`, is_expired: true };
    const { code, stdout } = await runAgainst(test, "token list", {
      "GET /api/tokens": (query) =>
        query.has("cursor") ? listOf(other) : { body: { items: [token], total: 2, next_cursor: "next" } },
    });
    assert.equal(code, 0);
    const [, first, second] = stdout.split("\n");
    assert.match(
      first ?? "",
      /^tok_b+ {2}anna {2}fleet\\x1b\[2J\\x\{202e\}tools {2}logs:read, system:read {2}2026/,
    );
    assert.match(second ?? "", /^tok_c+ .* expired /);
  });

  it("asks for those of one user", async (test) => {
    const { socketPath, received } = await startAgent(test, {
      "GET /api/users": pageOf(exampleUser()),
      "GET /api/tokens": listOf(token),
    });
    await runSteward(`token list --user anna --socket ${socketPath}`);
    assert.equal(received[1]?.path, `/api/tokens?user_id=${annaId}&limit=200`);
  });
});

describe("steward token rm", () => {
  it("deletes with the agent down too", async (test) => {
    const directory = temporaryDirectory(test);
    writeOffline(directory, {});
    const places = ["--socket", "/nonexistent/s", "--state", directory];
    const { code, stderr } = await runSteward(["token", "rm", token.id, "--yes", ...places]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(notedCalls(directory)[0], { id: "deleteToken", params: { id: token.id } });
  });
});
