import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiToken } from "../../../src/contract/types.ts";
import {
  type Answers,
  annaId,
  ended,
  ends,
  endsAlone,
  exampleToken,
  exampleUser,
  notedCalls,
  offline,
  pageOf,
  password,
  signInAnswers,
  untilSteppedUp,
} from "../fixture.ts";

const token: ApiToken = { ...exampleToken, name: "fleet\u001b[2J\u202etools" };
const secret = "stw_AAAABBBBCCCCDDDD";
const made = { status: 201, body: { ...token, token: secret } };
const users: Answers = { "GET /api/users": pageOf(exampleUser()) };

describe("steward token add", { concurrency: true }, () => {
  const add = "token add --user anna --name fleet --scope logs:read";

  it("signs in as the user, steps up, and prints the token alone", async (test) => {
    const line = `${add} --scope system:read --expires-in 30d --password-stdin`;
    const answers = { ...signInAnswers(), "POST /api/tokens": untilSteppedUp(made) };
    const body = { name: "fleet", scopes: ["logs:read", "system:read"], expires_in: "30d" };
    const { received } = await ended(test, line, answers, {
      stdin: `${password}\n`,
      stdout: `${secret}\n`,
      stderr: /shown only once/,
      bodies: { "/api/tokens": body },
    });
    assert.equal(received.at(-1)?.path, "/api/auth/logout");
  });

  it("makes it as root over the socket, without the user's password or code", (test) =>
    ends(
      test,
      add,
      { ...users, "POST /api/tokens": made },
      {
        stdout: `${secret}\n`,
        asked: ["GET /api/users", "POST /api/tokens"],
        bodies: { "/api/tokens": { name: "fleet", scopes: ["logs:read"], user_id: annaId } },
      },
    ));

  it("binds it to pages of the product", (test) =>
    ends(
      test,
      `${add} --scope product:use --page pump --page far`,
      { ...users, "POST /api/tokens": made },
      {
        stdout: `${secret}\n`,
        bodies: {
          "/api/tokens": {
            ...{ name: "fleet", scopes: ["logs:read", "product:use"], user_id: annaId },
            pages: ["pump", "far"],
          },
        },
      },
    ));

  for (const [what, options, stderr] of [
    ["no user", "--name x --scope logs:read", /needs --user, --name and at least one --scope/],
    ["no name", "--user anna --scope logs:read", /needs --user/],
    ["no scope", "--user anna --name x", /needs --user/],
    ["a scope that is none", "--scope log:read", /did you mean "logs:read"\?/],
    ["a second scope that is none", "--scope logs:read --scope root", /--scope is one of/],
  ] as const)
    it(`ends with 2 for ${what}`, () =>
      endsAlone(`token add ${options} --password-stdin`, { code: 2, stderr }));
});

describe("steward token list and rm", { concurrency: true }, () => {
  it("says which pages a token is bound to, also in the line that makes another", async (test) => {
    const bound = {
      ...exampleToken,
      scopes: ["system:read", "product:use"] as const,
      pages: ["pump", "far"],
    };
    const answers = { "GET /api/tokens": pageOf(bound) };
    await ends(test, "token list", answers, { stdout: /system:read, product:use, pump, far {2}2026/ });
    await ends(test, `token rm ${bound.id} --dry-run`, answers, {
      stdout: /--scope system:read --scope product:use --page pump --page far$/m,
    });
  });

  it("reads all pages, and shows a hostile name harmlessly", (test) => {
    const other = pageOf({ ...token, id: `tok_${"c".repeat(32)}`, is_expired: true });
    const first = { body: { items: [token], total: 2, next_cursor: "next" } };
    const answers: Answers = { "GET /api/tokens": (query) => (query.has("cursor") ? other : first) };
    return ends(test, "token list", answers, {
      stdout: [
        /^tok_b+ {2}anna {2}fleet\\x1b\[2J\\x\{202e\}tools {2}logs:read, system:read {2}2026/m,
        /^tok_c+ .* expired /m,
      ],
    });
  });

  it("asks for those of one user", (test) =>
    ends(
      test,
      "token list --user anna",
      { ...users, "GET /api/tokens": pageOf(token) },
      {
        asked: [
          "GET /api/users?q=anna&sort=username&limit=200",
          `GET /api/tokens?user_id=${annaId}&limit=200`,
        ],
      },
    ));

  it("deletes with the agent down too", async (test) => {
    const { directory, places } = offline(test);
    await endsAlone(["token", "rm", token.id, "--yes", ...places]);
    assert.deepEqual(notedCalls(directory)[0], { id: "deleteToken", params: { id: token.id } });
  });
});
