import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostStart, virtualHost } from "../../lab/simulated/virtual-host.ts";
import { context, virtualSignIn } from "../../lab/simulated/virtual-sign-in.ts";
import { createPeopleFacts } from "../../src/accounts/people.ts";
import type { Settings } from "../../src/contract/types.ts";

const day = 86_400;

const issuer = "https://id.example";

async function begin() {
  const host = virtualHost({ trust: "trusted" });
  const rooms = await virtualSignIn(host);
  let policy: Settings["security"]["require_2fa"] = "none";
  const common = { ...rooms, security: () => ({ require_2fa: policy }), issuer };
  const people = createPeopleFacts(common);
  const facts = (wanted: typeof policy = "none") => {
    policy = wanted;
    // Facts that are kept are those that would be found now.
    const kept = people();
    assert.deepEqual(kept, createPeopleFacts(common)());
    return kept;
  };
  const make = async (days: number, isUsed = true) => {
    const wanted = { name: "fleet", scopes: ["system:read"] as const, lifetimeSeconds: days * day };
    const { token } = await rooms.apiTokens.create(rooms.account(), wanted);
    if (isUsed) rooms.apiTokens.used(token, context.address);
  };
  const at = (days: number) => new Date(hostStart.getTime() + days * day * 1_000).toISOString();
  return { host, ...rooms, facts, make, at };
}

describe("API tokens that end soon", () => {
  it("are those in use with seven days left, the first first", async () => {
    const { facts, make, at } = await begin();
    for (const days of [7, 8, 3]) await make(days);
    await make(2, false);
    assert.deepEqual(facts().tokenEnds, [at(3), at(7)]);
    assert.equal(facts().figures.tokens, 4);
  });
  it("are told of no more when they have expired, or were last used long ago", async () => {
    const { host, facts, make, at } = await begin();
    await make(3);
    await make(33);
    host.pass(28 * day);
    assert.deepEqual(facts().tokenEnds, [at(33)]);
    host.pass(3 * day);
    assert.deepEqual(facts().tokenEnds, []);
    assert.equal(facts().figures.tokens, 1, "the dead one is not counted");
  });
});

describe("people without the second factor that is required", () => {
  it("are those who are enabled and concerned, with the API tokens that rest on it", async () => {
    const { accounts, facts, make } = await begin();
    await make(90);
    const password = "quiet otters borrow umbrellas";
    await accounts.create({ username: "olga", role: "operator", password }, null);
    await accounts.create({ username: "gone", role: "admin", password, enabled: false }, null);
    const told = (policy: "none" | "admins" | "all") => {
      const { withoutFactor, refusedTokens, figures } = facts(policy);
      return [withoutFactor, refusedTokens, figures.two_factor_missing, figures.without_two_factor];
    };
    assert.deepEqual(told("none"), [[], 0, 0, 2]);
    assert.deepEqual(told("admins"), [["ana"], 1, 1, 2]);
    assert.deepEqual(told("all"), [["ana", "olga"], 1, 2, 2]);
    // No policy asks it of them: advice, and only where no policy does.
    const found = (["none", "admins"] as const).map((policy) => facts(policy).unprotectedAdmins);
    assert.deepEqual(found, [["ana"], []]);
    const { accounts: all, administrators, disabled } = facts().figures;
    assert.deepEqual([all, administrators, disabled], [3, 1, 1]);
  });
});

describe("facts about people that are kept", () => {
  it("are found again after each kind of change, and when time passes or goes back", async () => {
    const { accounts, apiTokens, account, throttle, host, facts, make, at } = await begin();
    const { id, username } = account();
    const seen = () => {
      const { figures, tokenEnds, locked } = facts("all");
      return [figures.accounts, figures.two_factor_missing, figures.tokens, tokenEnds.length, locked];
    };
    assert.deepEqual(seen(), [1, 1, 0, 0, []]);
    const { user } = await accounts.create({ username: "olga", role: "admin" }, null);
    assert.deepEqual(seen(), [2, 2, 0, 0, []]);
    await accounts.update(user.id, { enabled: false });
    assert.deepEqual(seen(), [2, 1, 0, 0, []]);
    await make(3);
    await make(90, false);
    assert.deepEqual(seen(), [2, 1, 2, 1, []]);
    host.pass(2 * day);
    assert.deepEqual(seen(), [2, 1, 2, 1, []]);
    host.step(-day);
    assert.deepEqual(facts("all").tokenEnds, [at(3)]);
    host.step(day);
    for (let times = 0; times < 5; times += 1) throttle.begin(username, "192.0.2.9", { exists: true }).fail();
    assert.deepEqual(seen(), [2, 1, 2, 1, [username]]);
    throttle.unlock(username);
    assert.deepEqual(seen(), [2, 1, 2, 1, []]);
    host.pass(day);
    assert.deepEqual(seen(), [2, 1, 1, 0, []]);
    await apiTokens.endAll(id);
    assert.deepEqual(seen(), [2, 1, 0, 0, []]);
    await accounts.remove(user.id);
    assert.deepEqual(seen(), [1, 1, 0, 0, []]);
  });
});

describe("administrators", () => {
  it("are counted unless their provider is none that the host file names", async () => {
    const { accounts, facts } = await begin();
    const counted = facts().figures.administrators;
    for (const from of [issuer, "https://former.example"])
      await accounts.keepProviderAccount({
        ...{ identity: { issuer: from, subject: "1" }, role: "admin", display_name: "" },
        usernames: ["paula", "paula-2"],
      });
    assert.equal(facts().figures.administrators, counted + 1);
  });
});
