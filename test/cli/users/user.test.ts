import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answers, annaId, ended, ends, exampleUser, pageOf } from "../fixture.ts";

const anna = `/api/users/${annaId}`;
const having = (...users: object[]): Answers => ({ "GET /api/users": pageOf(...users) });

describe("steward user list", { concurrency: true }, () => {
  it("walks all pages and prints a table", (test) => {
    const first = { items: [exampleUser()], total: 2, next_cursor: "page-2" };
    const second = pageOf(exampleUser({ username: "berta", role: "admin" }));
    const query = "?role=admin&locked=true&q=a&sort=username&limit=200";
    const answers: Answers = { "GET /api/users": (one) => (one.has("cursor") ? second : { body: first }) };
    return ends(test, "user list --role admin --locked --q a", answers, {
      stdout:
        "NAME   ROLE      ORIGIN  ENABLED  LOCKED  TWO-FACTOR  TOKENS  LAST SIGN-IN  DISPLAY NAME\n" +
        "anna   readonly  local   yes      no      no          0       -             Anna\n" +
        "berta  admin     local   yes      no      no          0       -             Anna\n",
      asked: [`GET /api/users${query}`, `GET /api/users${query}&cursor=page-2`],
    });
  });

  it("asks for those of a former provider with --former-provider", async (test) => {
    const { received } = await ended(test, "user list --former-provider", having());
    assert.match(received[0]?.path ?? "", /[?&]origin=former_provider&/);
  });
});

const issuer = "https://id.example/plant";
const provided = exampleUser({ origin: "provider", issuer });
const former = exampleUser({ origin: "former_provider", issuer });
const withTokens = exampleUser({ tokens: 3 });
const joanna = exampleUser({ username: "joanna", id: `usr_${"b".repeat(32)}` });
const knowing = having(withTokens);
const changing = { [`PUT ${anna}`]: { body: withTokens } };

/** The words about a user, on standard output or error. */
const said: readonly (readonly [line: string, answers: Answers, words: RegExp])[] = [
  ["list", having(provided), /readonly {2}provider {2}yes/],
  ["list", having(former), /1 of these users signed in at a provider that the host file does not name/],
  ["show anna", having(provided), /^origin +provider \(https:\/\/id\.example\/plant\)$/m],
  ["show anna", having(former), /^origin +former_provider \(https:/m],
  ["show anna", having(joanna, exampleUser()), new RegExp(`^name {18}anna$[\\s\\S]*^id {20}${annaId}$`, "m")],
  [
    "rm anna --dry-run",
    having(provided),
    /come back as a new, enabled user at their next sign-in at https:\/\/id\.example\/plant.*steward user disable anna/,
  ],
  ["rm anna --dry-run", having(former), /No one can sign in with this account/],
  ["rm anna --dry-run", having(exampleUser()), /Only a new account brings them back: steward user add anna/],
  [
    "sessions revoke anna --yes",
    { ...knowing, [`DELETE ${anna}/sessions`]: { status: 204 } },
    /3 API tokens stay good: steward token list --user anna\. A new password ends them/,
  ],
  ["sessions list anna", { ...knowing, "GET /api/auth/sessions": pageOf() }, /3 API tokens stay good/],
  [
    "disable anna",
    { ...knowing, [`PUT ${anna}`]: { body: { ...withTokens, enabled: false } } },
    /3 API tokens are refused until the user is enabled; then they are valid again\./,
  ],
  [
    "enable anna",
    { ...knowing, ...changing },
    /3 API tokens are valid again: steward token list --user anna/,
  ],
];

const changes: readonly (readonly [line: string, request: string, body?: object])[] = [
  ["set anna --role admin --display-name A", `PUT ${anna}`, { role: "admin", display_name: "A" }],
  ["enable anna", `PUT ${anna}`, { enabled: true }],
  ["disable anna", `PUT ${anna}`, { enabled: false }],
  ["unlock anna", `POST ${anna}/unlock`],
  ["delete anna --yes", `DELETE ${anna}`],
  ["passwd anna --generate", `POST ${anna}/password-reset`, {}],
];

describe("steward user", { concurrency: true }, () => {
  for (const [line, answers, words] of said)
    it(`${line}: ${String(words).slice(1, 40)}`, async (test) => {
      const { stdout, stderr } = await ended(test, `user ${line}`, answers);
      assert.match(stdout + stderr, words);
    });

  for (const [line, request, body] of changes)
    it(`${line}: sends one change`, (test) => {
      const answer = request.startsWith("DELETE") ? { status: 204 } : { body: exampleUser() };
      const sent = [[request, body]] as const;
      return ends(test, `user ${line}`, { ...having(exampleUser()), [request]: answer }, { sent });
    });

  it("set: is refused without anything to set before it asks the agent", (test) =>
    ends(test, "user set anna", {}, { code: 2, stderr: /nothing to set/, asked: [] }));
});

const oneUse = "one-use-password-1";

describe("steward user add", { concurrency: true }, () => {
  const body = exampleUser();
  const added: Answers = { "POST /api/users": { status: 201, body } };
  const created = (user: object) => [["POST /api/users", { username: "anna", ...user }]] as const;

  it("sends the first line of standard input as the password, readonly by default", (test) =>
    ends(test, "user add anna --password-stdin", added, {
      stdin: " pass wörd \r\nsecond line\n",
      stdout: "",
      stderr: "User anna is added with the role readonly.\n",
      sent: created({ role: "readonly", enabled: true, password: " pass wörd " }),
    }));

  it("prints a generated password alone on standard output", (test) => {
    const generated = { "POST /api/users": { status: 201, body: { ...body, initial_password: oneUse } } };
    return ends(test, "user add anna --generate --disabled --role operator --display-name B", generated, {
      stdout: `${oneUse}\n`,
      stderr: /shown only once/,
      sent: created({ role: "operator", enabled: false, display_name: "B" }),
    });
  });

  const input = "--password-stdin";
  for (const [what, options, stdin, code, stderr] of [
    ["neither a terminal nor an option for it", "", "", 2, /--password-stdin.*--generate/],
    ["an empty first line", input, "\nsecret\n", 6, /password or passphrase is empty/],
    ["an empty input", input, "", 6, /password or passphrase is empty/],
    ["a line that is not UTF-8", input, Buffer.from([0xff, 0x0a]), 6, /not UTF-8/],
    ["a file without lines", input, "x".repeat(100_000), 6, /more than 4096 bytes/],
  ] as const)
    it(`ends with ${code} for ${what}, and adds no user`, (test) =>
      ends(test, `user add anna ${options}`.trim(), added, { stdin, code, stderr, asked: [] }));
});

describe("steward user rescue", { concurrency: true }, () => {
  const rescued = { ...exampleUser(), initial_password: oneUse, tokens_ended: 2 };
  const rescuing = (user: object, body: object = rescued): Answers => ({
    ...having(user),
    [`POST ${anna}/rescue`]: { body },
  });

  it("says all that may keep the user out, enables, unlocks, removes the factor, prints a one-use password", (test) => {
    const locked = { password: true, totp: false, until: "2026-01-02T03:04:05.000Z" };
    const factor = { enabled: true, enrolled_at: null, recovery_codes_remaining: 0 };
    const two_factor = { ...factor, sealing_key: "missing" as const };
    const user = exampleUser({ enabled: false, must_change_password: true, locked, two_factor });
    return ends(test, "user rescue anna --yes", rescuing(user), {
      stdout: `${oneUse}\n`,
      stderr:
        /anna from signing in: codes cannot be checked, as the key .* is not on this device; the user is disabled; locked: password until 2026-01-02T03:04:05\.000Z; a second factor, which may be lost; the password must/,
      sent: [[`POST ${anna}/rescue`, {}]],
    });
  });

  it("says that nothing was found, and nothing of memory where the disk is well", async (test) => {
    const said = [/nothing was found/, /the sessions are ended\. 2 API tokens ended\./];
    const { stderr } = await ended(test, "user rescue anna --yes", rescuing(exampleUser()), { stderr: said });
    assert.doesNotMatch(stderr, /memory/);
  });

  it("keeps the API tokens with --keep-tokens, and says where they are listed", (test) => {
    const answers = rescuing(exampleUser({ tokens: 1 }), { ...rescued, tokens_ended: 0, tokens: 1 });
    return ends(test, "user rescue anna --keep-tokens --yes", answers, {
      stderr: /1 API token kept: steward token list --user anna/,
      sent: [[`POST ${anna}/rescue`, { keep_tokens: true }]],
    });
  });
});
