import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiTokensKind } from "../../../src/auth/tokens/api-token.ts";
import { createApiTokens, type WantedToken } from "../../../src/auth/tokens/api-tokens.ts";
import type { Account } from "../../../src/users/account.ts";
import { hostStart, temporaryDocument, virtualHost } from "../virtual-host.ts";
import { codeFrom } from "../virtual-sign-in.ts";

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
  it("is not put off by a rotation, whatever the clock is worth", async () => {
    for (const trust of ["trusted", "none"] as const) {
      const { apiTokens, know, pass, make, isExpired, stored } = await begin();
      const [dead, dying] = [await make({ lifetimeSeconds: 3_600 }), await make({ lifetimeSeconds: 7_200 })];
      know({ trust });
      pass(3_600);
      for (const { id } of [dead, dying]) await apiTokens.rotate(ana, stored(id), 30 * day);
      assert.deepEqual([isExpired(dead.id), isExpired(dying.id)], [true, false], trust);
      pass(3_600);
      know({ trust: "trusted" });
      apiTokens.sweep();
      assert.equal(isExpired(dying.id), true, trust);
    }
  });

  it("comes when its lifetime is over, to the second, and permanently", async () => {
    const { pass, make, isExpired, stored, step } = await begin();
    const { id } = await make();
    assert.equal(stored(id).expires_at, new Date(hostStart.getTime() + 90 * day * 1_000).toISOString());
    pass(90 * day - 1);
    assert.equal(isExpired(id), false);
    pass(1);
    assert.equal(isExpired(id), true);
    step(-91 * day);
    assert.equal(isExpired(id), true, "a trusted clock that is put back revives it");
  });
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
  it("under a clock that was never trusted comes by monotonic time, and is not recorded", async () => {
    const { know, pass, step, make, isExpired, stored } = await begin();
    const { id } = await make({ lifetimeSeconds: 3_600 });
    isExpired(id);
    know({ trust: "none" });
    pass(3_600);
    assert.deepEqual([isExpired(id), stored(id).is_dead], [true, false]);
    know({ trust: "trusted" });
    step(-1_800);
    assert.equal(isExpired(id), false, "the trusted clock says so");
  });
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
  it("shortens what was made by a clock far ahead to the lifetime that was asked for", async () => {
    const { apiTokens, know, step, make, stored } = await begin({ trust: "none" });
    step(3_650 * day);
    const { id } = await make();
    step(-3_650 * day);
    know({ trust: "trusted" });
    apiTokens.sweep();
    assert.equal(Date.parse(stored(id).expires_at), hostStart.getTime() + 90 * day * 1_000);
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
  it("is known to the second for tolerance, and is none after a start", async () => {
    const { apiTokens, pass, make, stored } = await begin();
    const { id } = await make();
    assert.equal(apiTokens.secondsSinceUse(stored(id)), Number.POSITIVE_INFINITY);
    apiTokens.used(stored(id), "192.0.2.1");
    pass(10);
    apiTokens.used(stored(id), "192.0.2.1");
    pass(5);
    assert.equal(apiTokens.secondsSinceUse(stored(id)), 5);
  });
});
