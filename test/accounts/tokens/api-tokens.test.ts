import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostStart, temporaryDocument, virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { hashOfToken } from "../../../src/accounts/sessions/refresh-token.ts";
import { apiTokensKind, suspended } from "../../../src/accounts/tokens/api-token.ts";
import { createApiTokens, type WantedToken } from "../../../src/accounts/tokens/api-tokens.ts";
import { newFirstToken, provisionToken, readFirstToken } from "../../../src/accounts/tokens/first-token.ts";
import type { Account } from "../../../src/accounts/users/account.ts";

const day = 86_400;
const ana = { id: `usr_${"a".repeat(32)}`, role: "operator" } as Account;
const bob = { id: `usr_${"b".repeat(32)}`, role: "readonly" } as Account;
const quarter: WantedToken = { name: "fleet", scopes: ["system:read"], lifetimeSeconds: 90 * day };

async function begin(known?: Parameters<typeof virtualHost>[0]) {
  const host = virtualHost(known);
  const document = await temporaryDocument(apiTokensKind);
  const apiTokens = createApiTokens({ document, time: host.time, uptime: host.uptime });
  const make = async (change: Partial<WantedToken> = {}, owner = ana) => {
    const { text, token } = await apiTokens.create(owner, { ...quarter, ...change });
    return { text, id: token.id };
  };
  const stored = (id: string) => apiTokens.byId(id) ?? assert.fail("no such token");
  return {
    ...host,
    document,
    apiTokens,
    make,
    stored,
    isExpired: (id: string) => apiTokens.isExpired(stored(id)),
  };
}

describe("making an API token", () => {
  it("gives a secret that is found again and stored nowhere", async () => {
    const { apiTokens, document, make } = await begin();
    const { text, id } = await make();
    assert.match(text, /^stw_[\w-]{43}$/);
    assert.equal(apiTokens.find(text)?.id, id);
    assert.equal(apiTokens.find(`${text.slice(0, -1)}!`), undefined);
    assert.ok(!JSON.stringify(document.read()).includes(text.slice(4)), "the secret is in the document");
  });
  it("dates its creation and its end by one reading of the clock", async () => {
    const { document, time, uptime } = await begin();
    let readings = 0;
    const moving = { ...time, now: () => new Date(hostStart.getTime() + readings++) };
    const { token } = await createApiTokens({ document, time: moving, uptime }).create(ana, quarter);
    assert.equal(Date.parse(token.expires_at) - Date.parse(token.created_at), 90 * day * 1_000);
  });
  it("gives it the scopes that its owner's role may have, and none besides", async () => {
    const { apiTokens, make, stored } = await begin();
    const { id } = await make({ scopes: ["logs:read", "time:write"] });
    assert.deepEqual(stored(id).scopes, ["logs:read", "time:write"]);
    assert.equal(await codeFrom(make({ scopes: ["system:read", "users:read"] })), "forbidden");
    assert.equal(await codeFrom(make({ scopes: ["system:write"] }, bob)), "forbidden");
    assert.equal(apiTokens.list().length, 1, "nothing was made");
  });
  it("stops at fifty of one user, also for those that are made at once", async () => {
    const { apiTokens, make } = await begin();
    const made = await Promise.all(Array.from({ length: 53 }, () => codeFrom(make())));
    assert.equal(made.filter((code) => code === "token_limit_reached").length, 3);
    assert.equal(apiTokens.list(ana.id).length, 50);
    assert.equal(await codeFrom(make({}, bob)), "done");
    await apiTokens.remove(({ user_id }) => user_id === ana.id);
    assert.deepEqual([apiTokens.list(ana.id).length, apiTokens.list().length], [0, 1]);
  });
  it("made under an untrusted clock begins its lifetime when the clock is trusted", async () => {
    const { apiTokens, know, pass, step, make, isExpired, stored } = await begin({ trust: "none" });
    step(-20_000 * day);
    const { id } = await make();
    pass(200 * day);
    assert.equal(isExpired(id), false, "the age of the token is unknown");
    step(20_000 * day);
    know({ trust: "trusted" });
    apiTokens.sweep();
    const end = hostStart.getTime() + (200 + 90) * day * 1_000;
    assert.equal(Date.parse(stored(id).expires_at), end);
    pass(90 * day - 1);
    assert.equal(isExpired(id), false);
    pass(1);
    assert.equal(isExpired(id), true);
  });
});

describe("an API token's end", () => {
  for (const seconds of [3_650 * day, -20_000 * day]) {
    it(`does not depend on an untrusted clock, stepped by ${seconds / day} days`, async () => {
      const { know, step, make, isExpired } = await begin();
      const living = await make();
      const dead = await make({ lifetimeSeconds: 3_600 });
      step(7_200);
      assert.deepEqual([isExpired(living.id), isExpired(dead.id)], [false, true]);
      know({ trust: "none" });
      step(seconds);
      assert.deepEqual([isExpired(living.id), isExpired(dead.id)], [false, true]);
    });
  }
});

describe("sweeping", () => {
  it("records which tokens have expired, without their being used, while the clock is trusted", async () => {
    const { apiTokens, know, step, make, isExpired, stored } = await begin();
    const [short, long] = [await make({ lifetimeSeconds: 3_600 }), await make()];
    step(7_200);
    know({ trust: "none" });
    apiTokens.sweep();
    assert.equal(stored(short.id).is_dead, false);
    know({ trust: "accepted" });
    apiTokens.sweep();
    assert.deepEqual([stored(short.id).is_dead, stored(long.id).is_dead], [true, false]);
    know({ trust: "none" });
    step(-20_000 * day);
    assert.deepEqual([isExpired(short.id), isExpired(long.id)], [true, false]);
  });
  it("writes nothing down of what only monotonic time has brought to its end", async () => {
    const { apiTokens, know, pass, make, isExpired, stored } = await begin();
    const { id } = await make({ lifetimeSeconds: 3_600 });
    know({ trust: "none" });
    pass(3_600 + 20 * day);
    apiTokens.sweep();
    assert.deepEqual([isExpired(id), stored(id).is_dead], [true, false]);
  });
  it("changes nothing, and writes nothing, when there is nothing to change", async () => {
    const { apiTokens, document, make } = await begin();
    await make();
    const before = document.read();
    apiTokens.sweep();
    assert.equal(document.read(), before);
  });
});

describe("the last use of an API token", () => {
  it("is noted at most every quarter of an hour of monotonic time, with where it came from", async () => {
    const { apiTokens, pass, make, stored } = await begin();
    const { id } = await make();
    const use = (from: string) => apiTokens.used(stored(id), from);
    const noted = () => [stored(id).last_used_at, stored(id).last_used_from];
    assert.deepEqual(noted(), [null, null]);
    use("192.0.2.1");
    const first = [hostStart.toISOString(), "192.0.2.1"];
    assert.deepEqual(noted(), first);
    pass(899);
    use("192.0.2.2");
    assert.deepEqual(noted(), first);
    pass(1);
    use("192.0.2.3");
    assert.deepEqual(noted(), ["2026-11-20T12:15:00.000Z", "192.0.2.3"]);
  });
});

describe("rotating an API token", () => {
  const lasting = async (known?: Parameters<typeof virtualHost>[0]) => {
    const rooms = await begin(known);
    const { id, text } = await rooms.make({ name: "scraper", scopes: ["logs:read"] });
    const rotate = (overlap: number, token = rooms.stored(id)) => rooms.apiTokens.rotate(ana, token, overlap);
    return { ...rooms, id, text, rotate };
  };

  it("makes another with the same rights and the same life, and leaves the former for the overlap", async () => {
    const { apiTokens, pass, id, text, rotate, stored, isExpired } = await lasting();
    apiTokens.used(stored(id), "192.0.2.1");
    pass(day);
    const next = await rotate(3_600);
    assert.notEqual(next.text, text);
    assert.equal(apiTokens.find(next.text)?.id, next.token.id);
    const { name, scopes, user_id, last_used_at, last_used_from, is_dated } = next.token;
    assert.deepEqual([name, scopes, user_id], ["scraper", ["logs:read"], ana.id]);
    assert.deepEqual([last_used_at, last_used_from, is_dated], [null, null, true]);
    assert.equal(next.token.created_at, "2026-11-21T12:00:00.000Z");
    assert.equal(Date.parse(next.token.expires_at), hostStart.getTime() + 91 * day * 1_000);
    assert.equal(stored(id).expires_at, "2026-11-21T13:00:00.000Z");
    assert.equal(apiTokens.find(text)?.id, id);
    pass(3_599);
    assert.equal(isExpired(id), false);
    pass(1);
    assert.deepEqual([isExpired(id), isExpired(next.token.id)], [true, false]);
  });
  it("without an overlap ends the former at once, and touches no other", async () => {
    const { apiTokens, make, id, text, rotate } = await lasting();
    const others = [await make(), await make({}, bob)].map((other) => other.id);
    const { token } = await rotate(0);
    assert.deepEqual([apiTokens.find(text), apiTokens.byId(id)], [undefined, undefined]);
    const ids = apiTokens.list().map((one) => one.id);
    assert.deepEqual(ids, [...others, token.id]);
  });
  it("of the fiftieth needs room for both, unless the former ends at once", async () => {
    const { apiTokens, make, id, rotate } = await lasting();
    for (let count = 1; count < 50; count += 1) await make();
    assert.equal(await codeFrom(rotate(1)), "token_limit_reached");
    assert.ok(apiTokens.byId(id), "the former is still there");
    assert.equal(await codeFrom(rotate(0)), "done");
    assert.equal(apiTokens.list(ana.id).length, 50);
  });
  it("does not prolong a former one that would end before", async () => {
    const { pass, rotate, stored, id } = await lasting();
    const { expires_at } = stored(id);
    pass(90 * day - 60);
    await rotate(3_600);
    assert.equal(stored(id).expires_at, expires_at);
  });
  it("does not revive a former one that has expired", async () => {
    const { pass, step, rotate, stored, id, isExpired } = await lasting();
    pass(90 * day);
    assert.equal(isExpired(id), true);
    step(-day);
    const next = await rotate(7_200);
    assert.equal(isExpired(id), true);
    assert.deepEqual([stored(id).is_dead, next.token.is_dead], [true, false]);
  });
  it("under an untrusted clock begins both lives when the clock is trusted", async () => {
    const { apiTokens, know, step, rotate, stored, id } = await lasting({ trust: "none" });
    step(-20_000 * day);
    const { token } = await rotate(3_600);
    assert.deepEqual([stored(id).is_dated, token.is_dated], [false, false]);
    step(20_000 * day);
    know({ trust: "trusted" });
    apiTokens.sweep();
    assert.equal(stored(id).expires_at, "2026-11-20T13:00:00.000Z");
    assert.equal(Date.parse(stored(token.id).expires_at), hostStart.getTime() + 90 * day * 1_000);
  });
  it("ends one without a date by the trusted clock, whatever date stood in it", async () => {
    const { know, step, rotate, stored, id } = await lasting({ trust: "none" });
    step(200 * day);
    know({ trust: "trusted" });
    await rotate(3_600);
    assert.equal(Date.parse(stored(id).expires_at), hostStart.getTime() + (200 * day + 3_600) * 1_000);
  });
  it("of one that was deleted meanwhile is refused", async () => {
    const { apiTokens, rotate, stored, id } = await lasting();
    const former = stored(id);
    await apiTokens.remove((token) => token.id === id);
    assert.equal(await codeFrom(rotate(60, former)), "not_found");
    assert.equal(apiTokens.list().length, 0);
  });
});

describe("a token that rotates itself", () => {
  const lasting = async () => {
    const rooms = await begin();
    const { id } = await rooms.make({ name: "scraper", scopes: ["logs:read"] });
    const rotateOwn = (of = id, overlap = 3_600) => rooms.apiTokens.rotateOwn(ana, rooms.stored(of), overlap);
    return { ...rooms, id, rotateOwn };
  };
  it("gets another one with the whole life after an answer that was lost, and the lost one is gone", async () => {
    const { apiTokens, id, rotateOwn, stored, pass } = await lasting();
    const lost = await rotateOwn();
    pass(60);
    const { token } = await rotateOwn();
    assert.equal(apiTokens.find(lost.text), undefined);
    const ids = apiTokens.list().map((one) => one.id);
    assert.deepEqual(ids, [id, token.id]);
    assert.equal(Date.parse(token.expires_at), hostStart.getTime() + (90 * day + 60) * 1_000);
    assert.equal(stored(id).expires_at, "2026-11-20T13:00:00.000Z", "its own end is not put off");
  });
  it("is refused once the successor has been used: another program may have the token", async () => {
    const { apiTokens, rotateOwn, stored } = await lasting();
    const { token } = await rotateOwn();
    apiTokens.used(stored(token.id), "192.0.2.66");
    assert.equal(await codeFrom(rotateOwn()), "forbidden");
    assert.equal(apiTokens.list().length, 2);
    const next = await rotateOwn(token.id);
    assert.equal(next.token.replaces, token.id);
  });
  it("lives no longer than its rest where an administrator has deleted the successor", async () => {
    const { apiTokens, rotateOwn } = await lasting();
    const { token } = await rotateOwn();
    await apiTokens.remove(({ id }) => id === token.id);
    const { token: next } = await rotateOwn();
    assert.equal(Date.parse(next.expires_at), hostStart.getTime() + 3_600 * 1_000);
  });
});

describe("a suspended API token", () => {
  const suspendAll = async ({ document }: Awaited<ReturnType<typeof begin>>) => {
    await document.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
  };
  it("is found and counts as none that lives, until it is resumed", async () => {
    const device = await begin();
    const { apiTokens, make } = device;
    const { text, id } = await make();
    await make({ lifetimeSeconds: 3_600 }, bob);
    await suspendAll(device);
    assert.equal(apiTokens.find(text)?.id, id);
    assert.deepEqual([apiTokens.living().length, apiTokens.nextEnd()], [0, null]);
    await apiTokens.resume(id);
    const { hash, suspended: former } = apiTokens.find(text) ?? assert.fail("it is gone");
    assert.deepEqual([hash, former], [hashOfToken(text), false]);
    const ids = apiTokens.living().map((token) => token.id);
    assert.deepEqual(ids, [id]);
  });
  it("has a valid successor when root rotates it", async () => {
    const device = await begin();
    const { text, id } = await device.make();
    await suspendAll(device);
    const made = await device.apiTokens.rotate(ana, device.stored(id), 3_600);
    assert.equal(made.token.suspended, false);
    assert.equal(device.apiTokens.find(text)?.suspended, true, "the former one stays suspended");
  });
  it("that was deleted cannot be resumed", async () => {
    const { apiTokens } = await begin();
    assert.equal(await codeFrom(apiTokens.resume(`tok_${"0".repeat(32)}`)), "not_found");
  });
});

describe("the tokens of a user", () => {
  it("are counted while they live, and end together or are kept", async () => {
    const { apiTokens, make, pass } = await begin();
    const [short] = [await make({ lifetimeSeconds: 3_600 }), await make(), await make(), await make({}, bob)];
    assert.equal(apiTokens.countLiving()(ana.id), 3);
    pass(3_600);
    assert.equal(apiTokens.countLiving()(ana.id), 2);
    assert.deepEqual(await apiTokens.endAll(ana.id, true), { tokens_ended: 0, tokens_kept: 2 });
    assert.equal(apiTokens.find(short?.text ?? "")?.id, short?.id);
    assert.deepEqual(await apiTokens.endAll(ana.id), { tokens_ended: 2 });
    assert.deepEqual([apiTokens.list(ana.id).length, apiTokens.list(bob.id).length], [0, 1]);
  });
  it("without an end live as long as the device, also when they are rotated, and with the ranges that they were given", async () => {
    const { apiTokens, make, stored, isExpired, pass, know } = await begin({ trust: "none" });
    const { id } = await make({ hasNoEnd: true, sources: ["192.0.2.0/24"] });
    const { scopes, sources, is_fleet, is_dated } = stored(id);
    assert.deepEqual([scopes, sources, is_fleet, is_dated], [["system:read"], ["192.0.2.0/24"], false, true]);
    know({ trust: "trusted" });
    pass(50 * 365 * day);
    assert.equal(isExpired(id), false);
    const { token } = await apiTokens.rotate(ana, stored(id), 0);
    assert.deepEqual([token.expires_at, token.is_dated], ["9999-12-31T23:59:59.999Z", true]);
  });
});

describe("the token of a provisioned device", () => {
  const file = {
    ...{ username: "ana", name: "fleet", scopes: ["system:read"] },
    token_hash: "0123456789abcdef".repeat(4),
  };
  const { token_hash: hash } = file;
  const read = (change: object) => readFirstToken(JSON.stringify({ ...file, ...change }));

  it("has what its file says, and ninety days where that says nothing of an end", () => {
    const { username, name, scopes } = file;
    assert.deepEqual(read({}), { username, name, scopes, hash, lifetimeSeconds: 90 * day });
    const lives = ["1h", "366d"].map((expires_in) => read({ expires_in }).lifetimeSeconds);
    assert.deepEqual([lives, read({ name: "x".repeat(64) }).name.length], [[3_600, 366 * day], 64]);
    const { scopes: both } = read({ scopes: ["time:write", "logs:read"] });
    assert.deepEqual(both.toSorted(), ["logs:read", "time:write"]);
  });

  const faults: readonly [member: string, values: readonly unknown[]][] = [
    ["username", [undefined, null, 7, "", "Ana", "an"]],
    ["name", [undefined, 7, "", "two\nlines", "x".repeat(65)]],
    ["token_hash", [undefined, "", `x${hash}`, `${hash}0`, hash.toUpperCase()]],
    ["scopes", [undefined, "system:read", {}, [], ["everything"], ["system:read", "system:read"]]],
    // Only root gives that one away, at the device.
    ["scopes", [["users:write"], ["system:read", "users:write"]]],
    ["expires_in", [null, 3_600, "", "59m", "3599s", "366d1s", "367d", "for ever"]],
  ];
  for (const [member, values] of faults)
    it(`is refused for its ${member}, which is named: ${JSON.stringify(values.at(-1))}`, () => {
      for (const value of values)
        assert.throws(() => read({ [member]: value }), new RegExp(`^Error: ${member} must be `), `${value}`);
    });
  it("is refused for a member that is not known, and where it is no object", () => {
    assert.throws(() => read({ token: "stw_x" }), /^Error: token is not a member known here/);
    for (const text of ["null", "7", '"text"', "[]"])
      assert.throws(() => readFirstToken(text), /^Error: it must be an object/, text);
  });

  it("is made once: not again once it was deleted, and not before its owner is there", async () => {
    const { apiTokens } = await begin();
    const { token, file: made } = newFirstToken({ username: "ana", name: "fleet", scopes: ["time:write"] });
    const noAccounts = { findByName: () => undefined };
    await assert.rejects(provisionToken(noAccounts, apiTokens, made), /there is no user ana/);
    const accounts = { findByName: (name: string) => (name === "ana" ? ana : undefined) };
    const first = await provisionToken(accounts, apiTokens, made);
    assert.equal(apiTokens.find(token)?.id, first?.id);
    assert.deepEqual([first?.name, first?.scopes, first?.user_id], ["fleet", ["time:write"], ana.id]);
    await apiTokens.remove(({ id }) => id === first?.id);
    assert.equal(await provisionToken(accounts, apiTokens, made), null);
    assert.equal(apiTokens.list().length, 0);
  });
});
