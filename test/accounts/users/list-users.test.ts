import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Account, toUser } from "../../../src/accounts/users/account.ts";
import { createUserList } from "../../../src/accounts/users/list-users.ts";
import { originOf } from "../../../src/accounts/users/provider-account.ts";
import type { User } from "../../../src/contract/types.ts";
import { textOf } from "../../../src/http/answer-text.ts";
import { accountOf } from "./accounts-over.ts";

const at = "2026-11-27T12:00:00.000Z";

/** The facts that other rooms keep. */
interface Others {
  readonly locks: Readonly<Record<string, User["locked"]>>;
  readonly tokens: Readonly<Record<string, number>>;
  readonly isKeyMissing: boolean;
}

const issuer = "https://id.example";

const quiet: Others = { locks: {}, tokens: {}, isKeyMissing: false };

function listOver(accounts: () => readonly Account[], others: () => Others) {
  const lockOf = (username: string) => others().locks[username] ?? null;
  return createUserList({
    ...{ all: accounts, lockOf, hasLocks: () => Object.keys(others().locks).length > 0, issuer },
    viewer: () => (account) => {
      const { tokens, isKeyMissing } = others();
      const { id, username, two_factor } = account;
      const state = { locked: lockOf(username), tokens: tokens[id] ?? 0 };
      const origin = originOf(account, issuer);
      return toUser(account, { ...state, origin, isKeyMissing: two_factor !== null && isKeyMissing });
    },
  });
}

describe("a list of users that was asked for before", () => {
  it("is the one of an agent just started, after each kind of change", () => {
    const two_factor = { sealed_secret: "v1", enrolled_at: at, recovery_hashes: [] };
    const [ana, bob] = [accountOf("ana", { role: "admin", two_factor }), accountOf("bob")];
    const lock = (until: string) => ({ password: true, totp: false, until });
    const steps: readonly [accounts: readonly Account[], others: Others][] = [
      [[ana], quiet],
      [[ana, bob], quiet],
      [[ana, bob], { ...quiet, tokens: { [bob.id]: 2 } }],
      [[ana, bob], { ...quiet, locks: { bob: lock("2026-11-27T12:15:00.000Z") } }],
      [[ana, bob], { ...quiet, locks: { bob: lock("2026-11-27T12:16:00.000Z") } }],
      [[ana, bob], quiet],
      [[ana, bob], { ...quiet, isKeyMissing: true }],
      [[ana, { ...bob, enabled: false }], quiet],
      [[{ ...ana, two_factor: null }, bob], quiet],
      [[bob], quiet],
    ];
    let step = 0;
    const present = () => steps[step] ?? [[], quiet];
    const list = listOver(
      () => present()[0],
      () => present()[1],
    );
    for (step = 0; step < steps.length; step += 1) {
      for (const query of [{}, { limit: 1, sort: "-username" }, { locked: true }] as const) {
        const [accounts, others] = present();
        const fresh = listOver(
          () => accounts,
          () => others,
        )(query);
        assert.equal(textOf(list(query)), JSON.stringify(fresh), `step ${step}`);
      }
    }
  });
});

describe("a list of users of whom some signed in at a provider", () => {
  it("tells apart whose provider the host file still names", () => {
    const of = (name: string, at: string) => accountOf(name, { provider: { issuer: at, subject: name } });
    const accounts = [accountOf("ana"), of("bob", issuer), of("cy", "https://id.example/old")];
    const list = listOver(
      () => accounts,
      () => quiet,
    );
    const found = list({}).items.map((user) => `${user.username} ${user.origin} ${user.issuer}`);
    assert.deepEqual(found, [
      "ana local undefined",
      "bob provider https://id.example",
      "cy former_provider https://id.example/old",
    ]);
    for (const [origin, name] of [
      ["local", "ana"],
      ["provider", "bob"],
      ["former_provider", "cy"],
    ] as const)
      assert.equal(
        list({ origin })
          .items.map(({ username }) => username)
          .join(),
        name,
      );
    assert.equal(list({}).counts.former_provider, 1);
  });
});
