import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  type Answers,
  annaId,
  exampleUser,
  pageOf,
  runAgainst,
} from "../../../lab/command-line/scripted-agent.ts";

const anna = `/api/users/${annaId}`;

describe("steward user list", { concurrency: true }, () => {
  it("walks all pages and prints a table", async (test) => {
    const { code, stdout, received } = await runAgainst(test, "user list --role admin --locked --q a", {
      "GET /api/users": (query) =>
        query.has("cursor")
          ? {
              body: {
                items: [exampleUser({ username: "berta", role: "admin" })],
                total: 2,
                next_cursor: null,
              },
            }
          : { body: { items: [exampleUser()], total: 2, next_cursor: "page-2" } },
    });
    assert.equal(code, 0);
    assert.equal(
      stdout,
      "NAME   ROLE      ORIGIN  ENABLED  LOCKED  TWO-FACTOR  TOKENS  LAST SIGN-IN  DISPLAY NAME\n" +
        "anna   readonly  local   yes      no      no          0       -             Anna\n" +
        "berta  admin     local   yes      no      no          0       -             Anna\n",
    );
    assert.equal(received[0]?.path, "/api/users?role=admin&locked=true&q=a&sort=username&limit=200");
    assert.match(received[1]?.path ?? "", /&cursor=page-2$/);
  });
});

describe("steward user, of an account of a provider", { concurrency: true }, () => {
  const issuer = "https://id.example/plant";
  const of = (origin: "provider" | "former_provider") => exampleUser({ origin, issuer });
  const said = async (test: TestContext, user: object, ...words: string[]) => {
    const { stdout, stderr, received } = await runAgainst(test, ["user", ...words], {
      "GET /api/users": pageOf(user),
    });
    return { text: stdout + stderr, asked: received[0]?.path };
  };
  const cases: [words: string[], user: object, expected: RegExp][] = [
    [["list"], of("provider"), /readonly {2}provider {2}yes/],
    [
      ["list"],
      of("former_provider"),
      /1 of these users signed in at a provider that the host file does not name/,
    ],
    [["show", "anna"], of("provider"), /^origin +provider \(https:\/\/id\.example\/plant\)$/m],
    [["show", "anna"], of("former_provider"), /^origin +former_provider \(https:/m],
    [
      ["rm", "anna", "--dry-run"],
      of("provider"),
      /come back as a new, enabled user at their next sign-in at https:\/\/id\.example\/plant.*steward user disable anna/,
    ],
    [["rm", "anna", "--dry-run"], of("former_provider"), /No one can sign in with this account/],
    [
      ["rm", "anna", "--dry-run"],
      exampleUser(),
      /Only a new account brings them back: steward user add anna/,
    ],
  ];
  for (const [words, user, expected] of cases)
    it(`user ${words.join(" ")}: ${String(expected).slice(1, 40)}`, async (test) => {
      assert.match((await said(test, user, ...words)).text, expected);
    });

  it("is listed by itself with --former-provider", async (test) => {
    const { asked } = await said(test, of("former_provider"), "list", "--former-provider");
    assert.match(asked ?? "", /[?&]origin=former_provider&/);
  });
});

describe("steward user NAME commands", { concurrency: true }, () => {
  it("finds the user of exactly that name among those that have it as a part", async (test) => {
    const { code, stdout } = await runAgainst(test, "user show anna", {
      "GET /api/users": pageOf(
        exampleUser({ username: "joanna", id: `usr_${"b".repeat(32)}` }),
        exampleUser(),
      ),
    });
    assert.equal(code, 0);
    assert.match(stdout, /^name {18}anna$/m);
    assert.match(stdout, new RegExp(`^id {20}${annaId}$`, "m"));
  });

  const changes: [args: string[], method: string, path: string, body: object | undefined][] = [
    [
      ["set", "anna", "--role", "admin", "--display-name", "A"],
      "PUT",
      anna,
      { role: "admin", display_name: "A" },
    ],
    [["enable", "anna"], "PUT", anna, { enabled: true }],
    [["disable", "anna"], "PUT", anna, { enabled: false }],
    [["unlock", "anna"], "POST", `${anna}/unlock`, undefined],
    [["delete", "anna", "--yes"], "DELETE", anna, undefined],
    [["passwd", "anna", "--generate"], "POST", `${anna}/password-reset`, {}],
  ];
  for (const [args, method, path, body] of changes) {
    it(`sends one change for user ${args.join(" ")}`, async (test) => {
      const answer = method === "DELETE" ? { status: 204 } : { body: exampleUser() };
      const answers: Answers = { "GET /api/users": pageOf(exampleUser()), [`${method} ${path}`]: answer };
      const { code, received } = await runAgainst(test, ["user", ...args], answers);
      assert.equal(code, 0);
      assert.deepEqual(
        received
          .filter((request) => request.method !== "GET")
          .map((request) => [request.method, request.path, request.body]),
        [[method, path, body]],
      );
    });
  }

  it("refuses `user set` without anything to set before it asks the agent", async (test) => {
    const { code, stderr, received } = await runAgainst(test, "user set anna", {});
    assert.equal(code, 2);
    assert.match(stderr, /nothing to set/);
    assert.deepEqual(received, []);
  });
});

describe("what ends the sessions of a user with API tokens", { concurrency: true }, () => {
  const known = exampleUser({ tokens: 3 });
  const line = async (test: TestContext, words: string[], answers: Answers) => {
    const { code, stderr } = await runAgainst(test, [...words], {
      "GET /api/users": pageOf(known),
      ...answers,
    });
    assert.equal(code, 0, stderr);
    return stderr;
  };
  const changed = (enabled: boolean) => ({ [`PUT ${anna}`]: { body: { ...known, enabled } } });

  it("revoke: says how many tokens stay good, and what ends them", async (test) => {
    const answers = { [`DELETE ${anna}/sessions`]: { status: 204 } };
    const said = await line(test, ["user", "sessions", "revoke", "anna", "--yes"], answers);
    assert.match(said, /3 API tokens stay good: steward token list --user anna\. A new password ends them/);
  });
  it("list: counts them beside the sessions", async (test) => {
    const sessions = { "GET /api/auth/sessions": { body: { items: [], total: 0, next_cursor: null } } };
    const said = await line(test, ["user", "sessions", "list", "anna"], sessions);
    assert.match(said, /3 API tokens stay good/);
  });
  it("disable: says that they are valid again with the user", async (test) => {
    const said = await line(test, ["user", "disable", "anna"], changed(false));
    assert.match(said, /3 API tokens are refused until the user is enabled; then they are valid again\./);
  });
  it("enable: says that they are valid again", async (test) => {
    const said = await line(test, ["user", "enable", "anna"], changed(true));
    assert.match(said, /3 API tokens are valid again: steward token list --user anna/);
  });
});
