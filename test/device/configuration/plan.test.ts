import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostStart } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { suspended } from "../../../src/accounts/tokens/api-token.ts";
import { noEnd } from "../../../src/accounts/tokens/token-rights.ts";
import type { Configuration } from "../../../src/contract/types.ts";
import { changeEvents } from "../../../src/device/configuration/change-events.ts";
import { changesBetween } from "../../../src/device/configuration/changes.ts";
import { planned, requireSound } from "../../../src/device/configuration/plan.ts";
import { accountOf, anna, berta, hashOf, orderOf, presentOf, tokenOf } from "./virtual-device.ts";

type File = Omit<Configuration, "version">;

const [hashA, hashB, hashC] = [hashOf("A"), hashOf("B"), hashOf("C")];

const now = hostStart.toISOString();
const after = (seconds: number) => new Date(hostStart.getTime() + seconds * 1_000).toISOString();
const day = 86_400;

describe("the users of a plan", () => {
  const usersOf = (file: File, accounts = [anna, berta]) => planned(presentOf(accounts), orderOf(file)).users;

  it("are the same object where nothing changes", () => {
    const present = presentOf();
    for (const file of [
      {},
      { users: [{ name: "berta" }] },
      { users: [{ name: "berta", role: "operator", display_name: "Berta", password_hash: hashA }] },
      { users: [{ name: "berta", enabled: true }] },
      { users: [{ name: "anna" }, { name: "berta" }], users_not_named: "remove" },
      { users: [], users_not_named: "keep" },
    ] as File[]) {
      const next = planned(present, orderOf(file));
      for (const part of ["users", "tokens", "settings"] as const)
        assert.equal(next[part], present[part], part);
    }
  });

  it("keep what a file does not name, and their order; those who are new follow", () => {
    const carla = { name: "carla", role: "operator", password_hash: hashC } as const;
    const dora = { ...carla, name: "dora", enabled: false, display_name: "Dora" };
    const { accounts } = usersOf({ users: [carla, { name: "berta", enabled: false }, dora] });
    const made = { created_at: now, updated_at: now, role: "operator", password_hash: hashC } as const;
    assert.deepEqual(accounts, [
      anna,
      { ...berta, enabled: false, updated_at: now },
      { ...accountOf("carla", made), id: accounts[2]?.id },
      { ...accountOf("dora", { ...made, enabled: false, display_name: "Dora" }), id: accounts[3]?.id },
    ]);
    for (const { id } of accounts.slice(2)) assert.match(id, /^usr_[0-9a-f]{32}$/);
  });

  it("have the file's hash as a password that was chosen; a hash that is theirs, or only for a new user, changes nothing", () => {
    const initial = { ...berta, password_state: "initial" as const };
    const hashed = (password_hash: string, more: object = {}) =>
      usersOf({ users: [{ name: "berta", password_hash, ...more }] }, [anna, initial]).accounts[1];
    assert.equal(hashed(hashA), initial, "they still have to choose one");
    assert.equal(hashed(hashB, { update_password: "on_create" }), initial);
    for (const more of [{}, { update_password: "always" }]) {
      const { password_hash, password_state } = hashed(hashB, more) ?? {};
      assert.deepEqual([password_hash, password_state], [hashB, "chosen"]);
    }
    const fresh = { name: "carla", role: "readonly", update_password: "on_create" } as const;
    assert.equal(usersOf({ users: [{ ...fresh, password_hash: hashB }] }).accounts[2]?.password_hash, hashB);
  });

  it("have a second factor that is new without recovery codes, and keep one that is theirs", () => {
    const own = { sealed_secret: "v1.own", enrolled_at: "2026-11-01T00:00:00.000Z", recovery_hashes: ["a"] };
    const carla = accountOf("carla", { two_factor: own });
    const named = orderOf({ users: [{ name: "carla" }] });
    const order = (secret: string) => ({ ...named, secondFactors: { carla: secret } });
    const present = presentOf([anna, carla]);
    assert.equal(planned(present, order("v1.own")).users, present.users);
    const { two_factor } = planned(present, order("v1.next")).users.accounts[1] ?? {};
    assert.deepEqual(two_factor, { sealed_secret: "v1.next", enrolled_at: now, recovery_hashes: [] });
    const unnamed = { ...named, secondFactors: { berta: "v1.next" } };
    assert.equal(planned(present, unnamed).users, present.users);
  });
});

describe("the tokens of a plan", () => {
  const own = tokenOf("a", anna);
  const wanted = { token_hash: own.hash, name: own.name, user: "anna", scopes: [...own.scopes] };
  const fresh = { token_hash: "f".repeat(64), name: "m", user: "berta", scopes: ["system:read" as const] };
  const tokensOf = (file: File, { trusted = true, present = presentOf([anna, berta], [own]) } = {}) =>
    planned(present, orderOf(file, trusted)).tokens.tokens;

  it("are the same object where nothing changes, in whatever order rights are named", () => {
    const sources = ["10.0.0.0/8", "192.0.2.0/24"];
    const restricted = tokenOf("b", berta, { scopes: ["system:read", "time:write"], sources });
    const present = presentOf([anna, berta], [own, restricted]);
    const turned = {
      ...{ token_hash: restricted.hash, name: restricted.name, user: "berta" },
      ...{ scopes: ["time:write" as const, "system:read" as const], sources: sources.toReversed() },
    };
    // The end of a token that is there stays what it was: `expires_in` is of a new one.
    for (const tokens of [
      [],
      [wanted],
      [turned],
      [{ ...wanted, expires_in: "1h" }],
      [{ ...wanted, expires_at: "2027-01-30T00:00:00Z" }],
    ])
      assert.equal(planned(present, orderOf({ tokens })).tokens, present.tokens, JSON.stringify(tokens));
  });

  it("count at the pages that the file names, and at all of them where it names none", () => {
    const bound = tokenOf("a", anna, { scopes: ["product:use"], pages: ["pump", "far"] });
    const rights = { ...wanted, scopes: ["product:use" as const] };
    const present = presentOf([anna, berta], [bound]);
    const pagesOf = (pages?: string[]) =>
      tokensOf({ tokens: [{ ...rights, ...(pages && { pages }) }] }, { present })[0];
    assert.equal(pagesOf(["far", "pump"]), bound);
    assert.deepEqual(pagesOf(["far"])?.pages, ["far"]);
    assert.equal(pagesOf()?.pages, undefined);
    const made = { ...rights, token_hash: "e".repeat(64), pages: ["far"] };
    assert.deepEqual(tokensOf({ tokens: [made] })[1]?.pages, ["far"]);
  });

  it("are dated by a clock that is trusted, and by no other", () => {
    const dated = (file: File, trusted: boolean) => tokensOf(file, { trusted })[1]?.is_dated;
    // A date that root gave holds whatever the clock is worth.
    for (const [end, distrusted] of [
      [{}, false],
      [{ expires_at: after(day) }, true],
      [{ no_expiry: true }, true],
    ] as const) {
      const file = { tokens: [{ ...fresh, ...end }] };
      assert.deepEqual([dated(file, true), dated(file, false)], [true, distrusted]);
    }
  });

  it("end when the file says: after 90 days, a span, at a date, or never", () => {
    const endOf = (end: object) => {
      const [, token] = tokensOf({ tokens: [{ ...fresh, ...end }] });
      return [token?.lifetime_seconds, token?.expires_at];
    };
    assert.deepEqual(endOf({}), [90 * day, after(90 * day)]);
    assert.deepEqual(endOf({ expires_in: "30d" }), [30 * day, after(30 * day)]);
    assert.deepEqual(endOf({ expires_at: after(day) }), [day, after(day)]);
    assert.deepEqual(endOf({ expires_at: after(-day) }), [1, after(-day)], "one that is over stays over");
    assert.deepEqual(endOf({ no_expiry: true }), [366 * day, noEnd]);
  });

  it("that are there end at another date where the file names one, and live again", () => {
    const dead = { ...own, is_dead: true, is_dated: false };
    const present = presentOf([anna], [dead]);
    const [token] = tokensOf({ tokens: [{ ...wanted, expires_at: after(day) }] }, { present });
    const seconds = (hostStart.getTime() + day * 1_000 - Date.parse(own.created_at)) / 1_000;
    assert.deepEqual(token, { ...own, expires_at: after(day), lifetime_seconds: seconds });
  });

  it("go with their user, and with those that the file does not name where it says so", () => {
    const ofBerta = tokenOf("b", berta);
    const present = presentOf([anna, berta], [own, ofBerta]);
    const hashes = (file: File) => tokensOf(file, { present }).map(({ hash }) => hash[0]);
    for (const [file, expected] of [
      [{ users: [{ name: "anna" }], users_not_named: "remove" }, ["a"]],
      [{ tokens: [wanted] }, ["a", "b"]],
      [{ tokens: [wanted], tokens_not_named: "keep" }, ["a", "b"]],
      [{ tokens: [wanted], tokens_not_named: "remove" }, ["a"]],
      [{ tokens: [fresh], tokens_not_named: "remove" }, ["f"]],
      [{ tokens_not_named: "remove" }, []],
    ] as [File, string[]][])
      assert.deepEqual(hashes(file), expected);
  });
});

describe("what a plan changes", () => {
  const own = tokenOf("a", anna, { name: "metrics" });
  const before = presentOf([anna, berta], [own]);
  const between = (file: File) => {
    const next = planned(before, orderOf(file));
    const changes = changesBetween(before, next);
    const events = changeEvents(before, next, changes);
    return { changes, events: events.map(({ type, subject, details }) => [type, subject?.name, details]) };
  };

  it("is told of each member of a user with what it was, of a secret only that it differs, with an event for it", () => {
    const reset = { role: "operator", has_initial_password: false, tokens_ended: 0 };
    const all = { role: "admin", display_name: "B", enabled: false, password_hash: hashB } as const;
    const one = (member: string, before: string, after: string) => ({ member, before, after });
    const password = { member: "password", before: null, after: null, is_secret: true };
    const changedRole = { role: "admin", role_before: "operator" };
    for (const [user, members, ...expected] of [
      [{}, []],
      [{ enabled: false }, [one("enabled", "true", "false")], { enabled: false }],
      [{ display_name: "B" }, [one("display_name", "Berta", "B")], { display_name_changed: true }],
      [{ role: "admin" }, [one("role", "operator", "admin")], changedRole],
      [{ password_hash: hashB }, [password], null, reset],
      [
        all,
        [
          one("role", "operator", "admin"),
          one("display_name", "Berta", "B"),
          one("enabled", "true", "false"),
          password,
        ],
        { ...changedRole, enabled: false, display_name_changed: true },
        { ...reset, role: "admin" },
      ],
    ] as [object, object[], ...(object | null)[]][]) {
      const { changes, events } = between({ users: [{ name: "berta", ...user }] });
      const change = { subject: "user", name: "berta", action: "changed", members };
      assert.deepEqual(changes, members.length === 0 ? [] : [change]);
      const types = ["user.changed", "user.password_reset"];
      const named = expected.flatMap((details, index) => (details ? [[types[index], "berta", details]] : []));
      assert.deepEqual(events, named);
    }
  });

  it("is told of users who come and go, and of their tokens", () => {
    const user = { name: "carla", role: "admin", password_hash: hashC } as const;
    const scopes = ["system:read" as const, "product:use" as const];
    const rights = { scopes, sources: ["10.0.0.0/8"], pages: ["pump"] };
    const token = { token_hash: "f".repeat(64), name: "backup", user: "carla", ...rights };
    const { changes, events } = between({ users: [user], users_not_named: "remove", tokens: [token] });
    assert.deepEqual(changes, [
      { subject: "user", name: "anna", action: "removed", members: [] },
      { subject: "user", name: "berta", action: "removed", members: [] },
      {
        ...{ subject: "user", name: "carla", action: "created" },
        members: [
          { member: "role", before: null, after: "admin" },
          { member: "enabled", before: null, after: "true" },
          { member: "password", before: null, after: null, is_secret: true },
        ],
      },
      { subject: "token", name: "anna/metrics", action: "removed", members: [] },
      {
        ...{ subject: "token", name: "carla/backup", action: "created" },
        members: [
          { member: "user", before: null, after: "carla" },
          { member: "name", before: null, after: "backup" },
          { member: "scopes", before: null, after: '["system:read","product:use"]' },
          { member: "sources", before: null, after: '["10.0.0.0/8"]' },
          { member: "is_fleet", before: null, after: "false" },
          { member: "pages", before: null, after: '["pump"]' },
          { member: "expires_at", before: null, after: after(90 * day) },
        ],
      },
    ]);
    assert.deepEqual(events, [
      ["user.created", "carla", { role: "admin", enabled: true, has_initial_password: false }],
      ["user.deleted", "anna", { role: "admin" }],
      ["user.deleted", "berta", { role: "operator" }],
      ["token.created", "backup", { ...rights, owner: "carla", ends_at: after(90 * day) }],
      ["token.deleted", "metrics", {}],
    ]);
  });

  it("resumes a suspended token that the file names, and tells so", () => {
    const present = presentOf([anna], [suspended(own)]);
    const file = [{ token_hash: own.hash, name: own.name, user: "anna", scopes: [...own.scopes] }];
    const next = planned(present, orderOf({ tokens: file }));
    assert.deepEqual(next.tokens.tokens, [own]);
    const changes = changesBetween(present, next);
    const [{ name, members } = { name: "", members: [] }, ...more] = changes;
    const member = { member: "is_suspended", before: "true", after: null };
    assert.deepEqual([name, members, more], ["anna/metrics", [member], []]);
    const [event] = changeEvents(present, next, changes);
    assert.deepEqual([event?.type, event?.subject?.id], ["token.resumed", own.id]);
    const unnamed = planned(present, orderOf({ tokens_not_named: "keep" }));
    assert.equal(unnamed.tokens, present.tokens, "it stays suspended");
  });

  it("is told of settings by their names, and is an event with them", () => {
    const { changes, events } = between({
      settings: { device: { name: "edge-7" }, security: { session_idle: "45m" } },
    });
    const [change, ...more] = changes;
    assert.deepEqual([change?.subject, change?.name, change?.action, more], ["settings", "", "changed", []]);
    const members = change?.members.map(({ member, after }) => `${member} ${after}`);
    assert.deepEqual(members, ["device.name edge-7", "security.session_idle 45m"]);
    assert.deepEqual(events, [
      ["settings.changed", undefined, { changed: ["device.name", "security.session_idle"] }],
    ]);
  });

  it("is an event where it is a second factor that is new, also of a user who is", () => {
    const factored = (name: string, file: File) => {
      const order = { ...orderOf(file), secondFactors: { [name]: "v1.next" } };
      const next = planned(before, order);
      return changeEvents(before, next, changesBetween(before, next)).map(({ type }) => type);
    };
    const user = { name: "carla", role: "admin", password_hash: hashC } as const;
    assert.deepEqual(factored("carla", { users: [user] }), ["user.created", "two_factor.enabled"]);
    assert.deepEqual(factored("berta", { users: [{ name: "berta" }] }), ["two_factor.enabled"]);
  });
});

describe("a plan that no start could read", () => {
  it("is refused whichever part of it is wrong", async () => {
    const sound = presentOf([anna], [tokenOf("a", anna)]);
    requireSound(sound);
    const wrong = [
      { ...sound, users: { accounts: [{ ...anna, role: "auditor" as never }] } },
      { ...sound, tokens: { ...sound.tokens, tokens: [{ ...tokenOf("a", anna), hash: "none" }] } },
      { ...sound, settings: { ...sound.settings, device: { ...sound.settings.device, name: 5 as never } } },
    ];
    for (const one of wrong)
      assert.equal(await codeFrom(Promise.resolve().then(() => requireSound(one))), "state_damaged");
    assert.throws(
      () => requireSound(wrong[0] ?? sound),
      /^StewardError: users\/accounts\/0\/role .*: the configuration would damage the state\. Nothing was changed\.$/,
    );
  });
});
