import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { codeFrom, context, errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { displayNameOf, roleOf, usernamesFor } from "../../../src/accounts/oidc/identity.ts";
import { createSingleSignOn } from "../../../src/accounts/oidc/single-sign-on.ts";
import { createSignIn } from "../../../src/accounts/sign-in/sign-in.ts";
import { originOf } from "../../../src/accounts/users/provider-account.ts";
import { noChallenges } from "../sessions-at.ts";
import {
  claims,
  type DeviceWithProvider,
  device,
  host,
  operator,
  origin,
  provider,
} from "./device-with-provider.ts";
import { clientId, type Json, type Lies } from "./lying-provider.ts";

let here: DeviceWithProvider;
beforeEach(async () => {
  provider.lie({});
  here = await device();
});

describe("signing in at the provider", () => {
  it("makes an account with the role of the groups, and opens a session", async () => {
    const { session, method, kept } = await here.signIn({ ...operator, name: "Ada Lovelace" });
    const { username, role, origin: made, display_name, two_factor, must_change_password } = session.user;
    assert.deepEqual(
      [username, role, made, display_name, two_factor.enabled, must_change_password, method, kept.before],
      ["ada.lovelace", "operator", "provider", "Ada Lovelace", false, false, "provider", undefined],
    );
    assert.equal(here.sessions.list(session.user.id).length, 1);
    assert.equal(here.stepUps.isGranted(session.session.id), false);
  });

  it("asks for a code with S256, a state and a nonce that differ each time", async () => {
    const [one, other] = [await here.begin(), await here.begin()].map(
      ({ authorization_url }) => new URL(authorization_url),
    );
    assert.ok(one && other);
    const asked = Object.fromEntries(one.searchParams);
    const { state, nonce, code_challenge, ...fixed } = asked;
    assert.deepEqual(fixed, {
      ...{ client_id: clientId, response_type: "code", scope: "openid profile" },
      ...{ redirect_uri: `${origin}/oidc`, code_challenge_method: "S256" },
    });
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.match(one.searchParams.get(name) ?? "", /^[\w-]{43}$/);
      assert.notEqual(one.searchParams.get(name), other.searchParams.get(name));
    }
  });

  it("finds the account again by issuer and subject, with the role of today's groups", async () => {
    const { session } = await here.signIn();
    const again = await here.signIn({ ...operator, preferred_username: "ada.king", groups: ["admins"] });
    const { id, username, role } = again.session.user;
    assert.deepEqual([id, username, role], [session.user.id, "ada.lovelace", "admin"]);
    assert.equal(again.kept.before?.role, "operator");
  });

  it("never takes a local account for one of the provider, nor the other way round", async () => {
    const { session } = await here.signIn({ ...operator, preferred_username: "ana" });
    assert.match(session.user.username, /^ana-[0-9a-f]{4}$/);
    assert.equal(here.account().provider, null);
    // As events and the log name root.
    const asRoot = { sub: "person-9", preferred_username: "Local-Root@example.com" };
    const root = await here.signIn({ ...operator, ...asRoot });
    assert.equal(root.session.user.username, "person");
    const local = createSignIn({ ...here, challenges: noChallenges });
    const tried = local.login({ username: session.user.username, password: "" }, context);
    assert.equal(await codeFrom(tried), "invalid_credentials");
    // Even if a password got into the state of such an account.
    const password_hash = await here.passwords.hash("seven quiet owls at dusk", null);
    const spoilt = here.accounts.find(session.user.id);
    assert.ok(spoilt);
    const accounts = { ...here.accounts, findByName: () => ({ ...spoilt, password_hash }) };
    const given = { username: spoilt.username, password: "seven quiet owls at dusk" };
    const entered = createSignIn({ ...here, accounts, challenges: noChallenges }).login(given, context);
    assert.equal(await codeFrom(entered), "invalid_credentials");
  });

  it("reads the groups from the userinfo endpoint where the ID token has none", async () => {
    const { groups: _, ...bare } = operator;
    assert.equal((await here.signIn(bare)).session.user.role, "operator");
    const found = await reasonOfSecond({ userinfo: () => ({ sub: "person-2", groups: ["admins"] }) }, bare);
    assert.equal(found, "provider_refused: subject");
  });

  it("asks that endpoint for nothing else, and finds no group where there is none", async () => {
    const before = provider.requests.length;
    await here.signIn();
    assert.ok(!JSON.stringify(provider.requests.slice(before)).includes("/userinfo"));
    const { groups: _, ...bare } = operator;
    here = await device();
    provider.lie({ discovery: (doc) => ({ ...doc, userinfo_endpoint: undefined }) });
    assert.equal(await codeFrom(here.signIn(bare)), "role_missing");
  });

  it("refuses users without a group that counts, and ends the sessions that they had", async () => {
    const { session } = await here.signIn();
    const error = await errorFrom(here.signIn({ ...operator, groups: ["visitors"] }));
    assert.equal(error?.code, "role_missing");
    assert.match(error?.message ?? "", /none of your groups/);
    assert.equal(here.sessions.list(session.user.id).length, 0);
    const { type, subject, details } = here.events.at(-1) ?? {};
    const found = [type, subject, details];
    assert.deepEqual(found, [
      ...["session.ended", { id: session.user.id, name: "ada.lovelace" }],
      { session: session.session.id, because: "role_missing" },
    ]);
    for (const groups of [[], [7, "admins"], { admins: true }, null])
      assert.equal(await codeFrom(here.signIn({ ...operator, sub: "person-3", groups })), "role_missing");
  });

  it("refuses a user who is disabled here", async () => {
    const { session } = await here.signIn();
    await here.accounts.update(session.user.id, { enabled: false });
    assert.equal(await codeFrom(here.signIn()), "forbidden");
  });

  it("is refused while the clock is not trusted, and says so", async () => {
    const { authorization_url, flow_token } = await here.begin();
    const query = provider.visit(authorization_url, operator);
    host.know({ trust: "none" });
    const [first, last] = [
      await errorFrom(here.begin()),
      await errorFrom(here.singleSignOn.finish({ flow_token, query }, context)),
    ];
    host.know({ trust: "trusted" });
    assert.deepEqual([first?.code, last?.code], ["clock_not_synchronised", "clock_not_synchronised"]);
    assert.match(first?.message ?? "", /clock of this device is not trusted/);
    // A stranger learns the time of the device and no more.
    assert.deepEqual(Object.keys(first?.details.clock ?? {}), ["server_time", "synchronised"]);
  });

  it("does not exist without a provider in the host file", async () => {
    const off = createSingleSignOn({
      ...here,
      config: null,
      readSecret: async () => null,
      openTransfers: () => assert.fail("a connection was prepared"),
    });
    assert.equal(off.name, null);
    assert.equal(await codeFrom(off.begin(origin, null, context)), "not_found");
  });

  it("leaves the password, the second factor and the role of such a user to the provider", async () => {
    const { session } = await here.signIn();
    const { id } = session.user;
    const person = here.personOf(id);
    const refused = [
      here.accounts.setPassword(id, undefined, null),
      here.accounts.rescue(id, undefined, null, "local-root"),
      here.accounts.update(id, { role: "admin" }),
      here.accounts.update(id, { must_change_password: true }),
      here.enrolment.setUp(person),
      here.ownAccount.reauthenticate(person, { password: "" }, context),
      here.ownAccount.changePassword(person, "", "seven quiet owls at dusk", context),
    ];
    for (const one of refused) assert.equal(await codeFrom(one), "account_of_provider");
  });

  it("does not count such an administrator as the last of the device", async () => {
    await here.signIn({ ...operator, groups: ["admins"] });
    assert.equal(await codeFrom(here.accounts.remove(here.account().id)), "last_admin");
  });
});

/** The same after an honest sign-in, which has made the account. */
async function reasonOfSecond(lies: Lies, who: Json): Promise<string> {
  provider.lie(lies);
  const error = await errorFrom(here.signIn(who));
  return `${error?.code}: ${error?.details.reason}`;
}

describe("a step-up at the provider", () => {
  async function steppedUp(who: Json, lies: Lies = {}) {
    provider.lie({});
    const { session } = await here.signIn();
    const person = here.personOf(session.user.id);
    const { authorization_url, flow_token } = await here.begin(person);
    provider.lie(lies);
    const query = provider.visit(authorization_url, who);
    const work = here.singleSignOn.confirm(person, { flow_token, query }, context);
    return { work, person, url: new URL(authorization_url), flow_token, query };
  }

  it("has the provider ask again, and steps this session up", async () => {
    const { work, person, url } = await steppedUp(operator);
    assert.deepEqual([url.searchParams.get("prompt"), url.searchParams.get("max_age")], ["login", "0"]);
    assert.equal(await work, 300);
    assert.equal(here.stepUps.isGranted(person.session.id), true);
  });

  it("is refused where the provider did not ask again: auth_time lies before the step-up", async () => {
    for (const auth_time of [host.time.nowSeconds() - 40, host.time.nowSeconds() + 3_600, undefined]) {
      const { work, person } = await steppedUp(operator, claims({ auth_time }));
      const error = await errorFrom(work);
      assert.equal(error?.details.reason, "auth_time");
      assert.match(error?.message ?? "", /\(auth_time\)\. .+ administrator of the provider/);
      assert.equal(here.stepUps.isGranted(person.session.id), false);
    }
  });

  it("does not count a sign-in before its beginning, within the tolerance of the clocks", async () => {
    const now = host.time.nowSeconds();
    const { work, person } = await steppedUp(operator, claims({ iat: now, auth_time: now - 1 }));
    assert.equal((await errorFrom(work))?.details.reason, "auth_time");
    assert.equal(here.stepUps.isGranted(person.session.id), false);
    // The clock of the provider may differ by half a minute.
    for (const apart of [-25, 25]) {
      const { work } = await steppedUp(operator, claims({ iat: now + apart, auth_time: now + apart }));
      assert.equal(await work, 300);
    }
  });

  it("is refused for another person at the same provider", async () => {
    const { work, person } = await steppedUp({ ...operator, sub: "person-2" });
    assert.equal((await errorFrom(work))?.details.reason, "subject");
    assert.equal(here.stepUps.isGranted(person.session.id), false);
  });

  it("takes no answer to a sign-in, and a sign-in none to a step-up", async () => {
    const { person, flow_token, query, work } = await steppedUp(operator);
    await work;
    assert.equal(
      (await errorFrom(here.singleSignOn.finish({ flow_token, query }, context)))?.details.reason,
      "flow",
    );
    const begun = await here.begin();
    const back = provider.visit(begun.authorization_url, operator);
    const crossed = here.singleSignOn.confirm(person, { flow_token: begun.flow_token, query: back }, context);
    assert.equal((await errorFrom(crossed))?.details.reason, "flow");
  });

  it("is not for accounts of the device", async () => {
    const { id } = here.account();
    here.sessions.open(id, context);
    assert.equal(await codeFrom(here.begin(here.personOf(id))), "forbidden");
  });
});

describe("the name of an account of the provider", () => {
  const config = { issuer: "https://id.example", nameClaim: "preferred_username" } as never;
  const stemOf = (claim: unknown) => usernamesFor({ sub: "1", preferred_username: claim }, config)[0];

  it("is what is left of the provider's in the alphabet of this device", () => {
    const names = {
      ...{ "Ada.Lovelace@example.com": "ada.lovelace", "Éloïse Müller": "e-loi-se-mu-ller", "ada.-_": "ada" },
      ...{ "  7 of--nine  ": "of-nine", "a@example.com": "person", ab: "person", abc: "abc" },
      ...{ "": "person", "@": "person", 李小龍: "person", ["a".repeat(300)]: "a".repeat(23) },
      [`${"a".repeat(22)}.b`]: "a".repeat(22),
    };
    for (const [claim, name] of Object.entries(names)) assert.equal(stemOf(claim), name, claim);
    for (const claim of [undefined, 7, ["ada"]]) assert.equal(stemOf(claim), "person");
  });
  it("has a part of the digest of issuer and subject behind it, where it is taken", () => {
    const digest = createHash("sha256").update("https://id.example\n1").digest("hex");
    assert.deepEqual(usernamesFor({ sub: "1", preferred_username: "ada" }, config), [
      ...["ada", `ada-${digest.slice(0, 4)}`, `ada-${digest.slice(0, 8)}`],
    ]);
    const long = usernamesFor({ sub: "1", preferred_username: "a".repeat(40) }, config);
    const found = long.map((name) => name.length);
    assert.deepEqual(found, [23, 28, 32]);
  });
  it("is shown as the provider has it, where it can be shown", () => {
    const shown = (name: unknown) => displayNameOf({ sub: "1", name });
    const emoji = "\u{1f600}".repeat(64);
    for (const name of ["Ada Lovelace", "x".repeat(64), emoji]) assert.equal(shown(name), name);
    assert.equal(shown("  Ada "), "Ada");
    for (const name of [undefined, 7, "x".repeat(65), "two\nlines", "\u202egnp.exe"])
      assert.equal(shown(name), "");
  });
});

describe("the role of a user of the provider", () => {
  const roles = { admin: ["root", "wheel"], operator: ["ops"], readonly: ["all"] };
  const of = (groups: unknown) => roleOf({ sub: "1", groups }, { groupClaim: "groups", roles } as never);

  it("is the one with the most rights that a group gives", () => {
    const found = [of(["all", "ops"]), of(["ops", "wheel"]), of("all"), of(["others"]), of(["roots"])];
    assert.deepEqual(found, ["operator", "admin", "readonly", null, null]);
    for (const groups of [undefined, 7, [], ["ops", 7], { ops: true }]) assert.equal(of(groups), null);
  });

  it("is also found at a path, and by a name that has dots itself", () => {
    const at = (groupClaim: string, claims: object) =>
      roleOf({ sub: "1", ...claims }, { groupClaim, roles } as never);
    assert.equal(at("realm_access.roles", { realm_access: { roles: ["ops"] } }), "operator");
    assert.equal(at("https://a.example/roles", { "https://a.example/roles": ["all"] }), "readonly");
    for (const realm_access of [undefined, null, "ops", ["ops"], { roles: { ops: true } }])
      assert.equal(at("realm_access.roles", { realm_access }), null);
    for (const name of ["constructor.name", "__proto__.roles", "realm_access..roles", "."])
      assert.equal(at(name, {}), null);
  });

  it("is that of a former provider once the host file names another issuer, or none", () => {
    const of = (issuer: string | null, provider: object | null = { issuer: "https://id.example" }) =>
      originOf({ provider } as never, issuer);
    const found = [of("https://id.example"), of("https://id.example/"), of(null), of(null, null)];
    assert.deepEqual(found, ["provider", "former_provider", "former_provider", "local"]);
  });
});
