import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fail, type Host, throttleAt, tried } from "../../lab/simulated/throttle-at.ts";
import type { ThrottledClient } from "../../src/accounts/request-context.ts";
import { type TriedSecret, withThrottle } from "../../src/accounts/throttle/with-throttle.ts";
import { StewardError } from "../../src/contract/errors.ts";

const home = "192.0.2.7";

type Throttle = Awaited<ReturnType<typeof throttleAt>>["throttle"];

/** An attempt as sign-in makes it, with a right or a wrong password: the answer, and whether it was looked at. */
async function attempt(
  throttle: Throttle,
  who: TriedSecret,
  isRight: boolean,
  client: ThrottledClient["clientKey"] = home,
) {
  let isLookedAt = false;
  const work = async () => {
    isLookedAt = true;
    if (!isRight) throw new StewardError("invalid_credentials", "");
  };
  try {
    await withThrottle(throttle, who, { clientKey: client }, work);
    return { told: "in", isLookedAt };
  } catch (error) {
    assert.ok(error instanceof StewardError, String(error));
    return { told: `${error.code} ${error.message} ${error.details.retryAfterSeconds}`, isLookedAt };
  }
}

const account = (name: string): TriedSecret => ({ name, exists: true });

async function behindInventedNames(host: Host, known: readonly string[] = []) {
  const { throttle } = await throttleAt(host);
  for (const name of known) tried(throttle, name, home, "succeed");
  for (let count = 0; count < 20; count += 1) fail(throttle, `invented-${count}`, home, 1);
  return throttle;
}

describe("twenty invented names from an address", () => {
  const others: [what: string, who: TriedSecret, known: string[]][] = [
    ["the sign-in from the administrator who is known there", account("ana"), ["ana"]],
    [
      "the step-up from the administrator who is signed in there",
      { ...account("ana"), session: "ses_1" },
      [],
    ],
    ["the sign-in from a user who was never there before", account("ana"), []],
    ["the code behind the right password from such a user", { name: "bob", isProven: true }, []],
  ];
  for (const [what, who, known] of others)
    it(`do not take ${what}`, async () => {
      const throttle = await behindInventedNames({ now: 500 }, known);
      assert.equal((await attempt(throttle, who, true)).told, "in");
    });

  it("do not hide from the right password what it still takes", async () => {
    const throttle = await behindInventedNames({ now: 500 });
    const work = async () => {
      throw new StewardError("totp_required", "");
    };
    await assert.rejects(withThrottle(throttle, account("ana"), { clientKey: home }, work), {
      code: "totp_required",
    });
  });

  it("refuse every other attempt there in the same words, whatever its name", async () => {
    const throttle = await behindInventedNames({ now: 500 }, ["ana"]);
    const told = await Promise.all(
      [account("ana"), account("bob"), { name: "invented" }].map(
        async (who) => (await attempt(throttle, who, false)).told,
      ),
    );
    assert.match(told[0] ?? "", /^too_many_attempts .* 600$/);
    assert.equal(new Set(told).size, 1, told.join("; "));
  });
});

describe("what is looked at behind a full window", () => {
  /** True if an attempt at Ana's account is looked at, after these failures and with the window full. */
  const isLookedAt = async (
    failures: (throttle: Throttle, count: number) => void,
    exists = true,
  ): Promise<boolean> => {
    const { throttle } = await throttleAt({ now: 500 });
    for (let count = 0; count < 19; count += 1) failures(throttle, count);
    for (let count = 0; count < 20; count += 1) tried(throttle, `invented-${count}`, home);
    return (await attempt(throttle, { name: "ana", exists }, false)).isLookedAt;
  };

  it("is an account that exists, and no name that does not", async () => {
    assert.equal(await isLookedAt(() => undefined), true);
    assert.equal(await isLookedAt(() => undefined, false), false);
  });
  it("ends with twenty failures at accounts, of which those before the window was full are some", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    for (let count = 0; count < 12; count += 1)
      tried(throttle, `user-${count}`, home, "fail", { exists: true });
    for (let count = 0; count < 8; count += 1) tried(throttle, `invented-${count}`, home);
    const looks: boolean[] = [];
    for (let count = 0; count < 9; count += 1)
      looks.push((await attempt(throttle, account(`other-${count}`), false)).isLookedAt);
    assert.deepEqual(looks, [...Array(8).fill(true), false]);
  });
  it("is an account that five failures there have closed again, and one that was quiet for a day", async () => {
    const host: Host = { now: 500 };
    const throttle = await behindInventedNames(host);
    const isLookedAtNow = async () => (await attempt(throttle, account("ana"), false)).isLookedAt;
    const looks: boolean[] = [];
    for (let count = 0; count < 6; count += 1) looks.push(await isLookedAtNow());
    assert.deepEqual(looks, [...Array(5).fill(true), false]);
    host.now += 86_400;
    for (let count = 0; count < 20; count += 1) fail(throttle, `invented-${count}`, home, 1);
    assert.deepEqual([await isLookedAtNow(), await isLookedAtNow()], [true, true]);
  });
  it("does not end with the failures of those who are signed in, or whose password was right", async () => {
    const signedIn = (throttle: Throttle, count: number) =>
      void tried(throttle, "bob", home, "fail", { exists: true, session: `ses_${count}` });
    const proven = (throttle: Throttle, count: number) =>
      void tried(throttle, `user-${count}`, home, "fail", { exists: true, isProven: true });
    assert.equal(await isLookedAt((...of) => [signedIn(...of), signedIn(of[0], of[1] + 100)]), true);
    assert.equal(await isLookedAt((...of) => [proven(...of), proven(of[0], of[1] + 100)]), true);
  });
});

describe("wrong passwords for the name of a user who is signed in", () => {
  it("from the same address do not take the step-up, and a session's own do not take the sign-in", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    fail(throttle, "ana", home, 5);
    const session = { exists: true, session: "ses_1" };
    for (let count = 0; count < 5; count += 1) assert.equal(tried(throttle, "ana", home, "fail", session), 0);
    const found = tried(throttle, "ana", "198.51.100.9", "fail", session);
    assert.equal(found, 30, "a session is one wherever it is");
    const seen = tried(throttle, "ana", home, "fail", { ...session, session: "ses_2" });
    assert.equal(seen, 0, "another session");
    assert.equal(tried(throttle, "ana", "198.51.100.9"), 0, "sign-in from elsewhere");
  });
});

describe("a sealed answer", () => {
  it("comes at one moment, whether something was looked at or not (user enumeration by time)", async () => {
    const host: Host = { now: 500, timers: [] };
    const throttle = await behindInventedNames(host);
    const order: string[] = [];
    const one = async (who: TriedSecret) => {
      const { isLookedAt } = await attempt(throttle, who, false);
      order.push(`${who.name} ${isLookedAt}`);
    };
    const all = [one(account("ana")), one({ name: "invented" })];
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, [], "not before its time");
    const found = host.timers?.map(({ seconds }) => seconds);
    assert.deepEqual(found, [2, 2]);
    for (const { call } of host.timers ?? []) call();
    await Promise.all(all);
    assert.deepEqual(order.sort(), ["ana true", "invented false"]);
  });

  it("says nothing either while the hashing queue is full", async () => {
    const throttle = await behindInventedNames({ now: 500 });
    const work = async () => {
      throw new StewardError("hashing_busy", "");
    };
    const refused = withThrottle(throttle, account("ana"), { clientKey: home }, work);
    await assert.rejects(refused, { code: "too_many_attempts" });
  });

  it("is all that a guesser gets: the same as if no name were an account's (user enumeration)", async () => {
    // Names that exist, one of them known at the first address; the other world knows none of them.
    const names = ["ana", "bob", "eve", ...Array.from({ length: 7 }, (_, index) => `invented-${index}`)];
    const step = fc.record({
      name: fc.constantFrom(...names),
      client: fc.constantFrom(home, home, "198.51.100.9"),
      times: fc.integer({ min: 1, max: 6 }),
      pass: fc.constantFrom(0, 0, 1, 30, 590, 700),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const worlds: [Host, Host] = [{ now: 500 }, { now: 500 }];
        const [real, empty] = [await throttleAt(worlds[0]), await throttleAt(worlds[1])];
        tried(real.throttle, "ana", home, "succeed");
        for (const { name, client, times, pass } of steps) {
          for (const world of worlds) world.now += pass;
          for (let time = 0; time < times; time += 1) {
            const who = { name, exists: !name.startsWith("invented") };
            const told = await attempt(real.throttle, who, false, client);
            assert.equal(told.told, (await attempt(empty.throttle, { name }, false, client)).told);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("guesses behind sealed answers", () => {
  /** Guesses that are looked at within a minute of the window's filling, over so many accounts. */
  async function lookedAt(accounts: number): Promise<number> {
    const throttle = await behindInventedNames({ now: 500 });
    let guesses = 0;
    for (let count = 0; count < 100; count += 1) {
      const { isLookedAt, told } = await attempt(throttle, account(`user-${count % accounts}`), false);
      assert.match(told, /^too_many_attempts/);
      if (isLookedAt) guesses += 1;
    }
    return guesses;
  }

  it("are five at one account", async () => assert.equal(await lookedAt(1), 5));
  it("are twenty at all accounts together", async () => assert.equal(await lookedAt(50), 20));
  it("leave a user who is known there the right password, whatever was guessed at others", async () => {
    const throttle = await behindInventedNames({ now: 500 }, ["ana"]);
    for (let count = 0; count < 100; count += 1) await attempt(throttle, account(`user-${count}`), false);
    assert.equal((await attempt(throttle, account("ana"), true)).told, "in");
  });
});

describe("the /48 of an IPv6 address", () => {
  const subnet = (index: number) => `2001:db8:7:${index.toString(16)}::/64`;

  it("has ten times what a /64 has: two hundred failures, not twenty from each of 65,536 (address hopping)", async () => {
    const { throttle } = await throttleAt({ now: 1_000 });
    for (let count = 0; count < 200; count += 1) fail(throttle, `name-${count}`, subnet(count), 1);
    assert.equal(tried(throttle, "ana", subnet(300)), 600);
    assert.equal(tried(throttle, "ana", "2001:db8:8:1::/64"), 0, "the neighbour's");
  });

  it("has fifty at one account, then a tenth of the delay", async () => {
    const { throttle } = await throttleAt({ now: 1_000 });
    for (let count = 0; count < 50; count += 1) fail(throttle, "ana", subnet(count), 1);
    assert.equal(tried(throttle, "ana", subnet(300)), 3);
    assert.equal(tried(throttle, "bob", subnet(300)), 0);
  });
});
