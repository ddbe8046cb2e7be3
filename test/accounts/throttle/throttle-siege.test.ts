import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counted } from "../../../lab/basics/counts.ts";
import { type Host, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";
import type { Throttle } from "../../../src/accounts/throttle/throttle.ts";

const day = 86_400;
const home = "192.0.2.7";
const away = "198.51.100.9";
const addresses = Array.from({ length: 50 }, (_, index) => `203.0.113.${index}`);

/**
 * One address of an attacker who knows the rules. A refused try counts nowhere (throttle.test.ts), so to come back in
 * the very second that the delay ends gets them as much as trying a million times in between.
 */
interface Attacker {
  client: string;
  /** When they come back to each of the names: the administrator's first. */
  backAt: number[];
}

/** An attacker tries so many names in turn besides the administrator's, or a new one each time. */
type Others = number | "ever new ones";

interface Siege {
  host: Host;
  throttle: Throttle;
  attackers: Attacker[];
  others: Others;
  guesses: { admin: number; others: number };
}

async function besiege(host: Host, others: Others): Promise<Siege> {
  const { throttle } = await throttleAt(host);
  assert.equal(tried(throttle, "admin", home, "succeed"), 0);
  host.now += 7 * day;
  const names = 1 + (others === "ever new ones" ? 1 : others);
  const attackers = addresses.map((client) => ({ client, backAt: new Array<number>(names).fill(0) }));
  return { host, throttle, attackers, others, guesses: { admin: 0, others: 0 } };
}

/** Every try that the rules allow. */
function attackFor({ host, throttle, attackers, others, guesses }: Siege, seconds: number): void {
  const attack = (client: string, backAt: number[], name: number): void => {
    while (host.now >= (backAt[name] ?? 0)) {
      const other = others === "ever new ones" ? `name${guesses.others}` : `name${name}`;
      const wait = tried(throttle, name === 0 ? "admin" : other, client);
      if (wait === 0) guesses[name === 0 ? "admin" : "others"] += 1;
      backAt[name] = host.now + wait;
    }
  };
  const end = host.now + seconds;
  while (host.now < end) {
    for (const { client, backAt } of attackers) {
      for (let name = 0; name < backAt.length; name += 1) attack(client, backAt, name);
    }
    // Nothing happens before the first of them may come back.
    const next = Math.min(...attackers.map(({ backAt }) => Math.min(...backAt)));
    host.now = Math.min(end, Math.max(host.now + 1, Math.ceil(next)));
  }
}

/** Tries that the delays let one client make at one account in so many seconds: 5 at once, then 30 s, doubling to 15 min. */
function mostTries(seconds: number): number {
  let tries = 5;
  let at = 0;
  for (let delay = 30; ; delay = Math.min(900, delay * 2)) {
    at += delay;
    if (at >= seconds) return tries;
    tries += 1;
  }
}

/** The siege may be shorter than a day: the bounds of a whole day hold for a part of it too. */
const hours = counted({ usual: 2, all: 24 });

describe(`${hours} hours under attack at full speed from fifty addresses`, () => {
  // 104 guesses an address by its own delays. An attacker who fills the table with rows of 25 other accounts, each
  // longer than the administrator's, may win as many again as they have tries for every 22nd: 2,880 a day and address.
  const byDelays = addresses.length * 104;
  const byWindows = addresses.length * 20 * (day / 600);
  const plans: [string, Others, number][] = [
    ["at the administrator alone", 0, byDelays],
    ["at the administrator and at names that no user has, each a new one", "ever new ones", byDelays],
    [
      "at the administrator and at 25 other names, to wash the administrator's rows out of the table",
      25,
      byDelays + byWindows / 22,
    ],
  ];
  for (const [what, others, most] of plans) {
    it(`${what} never locks out administrators who signed in from their address last week`, async (test) => {
      const siege = await besiege({ now: 1_000 }, others);
      for (let hour = 0; hour < hours; hour += 1) {
        attackFor(siege, 3_600);
        assert.equal(tried(siege.throttle, "admin", home), 0, "the administrator may even mistype");
        assert.equal(tried(siege.throttle, "admin", home, "succeed"), 0, `hour ${hour}`);
        assert.equal(siege.throttle.isKnownClient(home), true);
      }
      const { guesses } = siege;
      test.diagnostic(
        `guesses in ${hours} hours: ${guesses.admin} at the administrator, ${guesses.others} at others`,
      );
      assert.equal(mostTries(day), 104);
      assert.ok(guesses.admin > 50 && guesses.admin <= most, `${guesses.admin} guesses at the administrator`);
      assert.ok(guesses.admin + guesses.others <= byWindows, `${guesses.others} guesses at others`);
    });
  }

  it("lets the administrator in from a new address: at once, and after a slip within a minute", async () => {
    const siege = await besiege({ now: 1_000 }, "ever new ones");
    attackFor(siege, 2 * 3_600);
    assert.equal(tried(siege.throttle, "admin", away), 0);
    const wait = tried(siege.throttle, "admin", away);
    assert.ok(wait > 0 && wait <= 60, `${wait} s`);
    attackFor(siege, wait);
    assert.equal(tried(siege.throttle, "admin", away, "succeed"), 0);
    attackFor(siege, 3_600);
    assert.equal(tried(siege.throttle, "admin", away, "succeed"), 0, "and is known there from then on");
  });

  it("costs a user of the attacker's own address fifteen minutes at most", async () => {
    const siege = await besiege({ now: 1_000 }, 0);
    attackFor(siege, day / 2);
    const wait = tried(siege.throttle, "admin", addresses[0] ?? "");
    assert.ok(wait > 0 && wait <= 900, `${wait} s`);
  });
});

describe("an attacker with an address for each try", () => {
  it("has one guess an address once a hundred have failed, and does not shut out a known client", async () => {
    const host: Host = { now: 1_000 };
    const { throttle } = await throttleAt(host);
    tried(throttle, "admin", home, "succeed");
    let guesses = 0;
    for (let address = 0; address < 5_000; address += 1) {
      const client = `2001:db8:${address.toString(16)}:0::/64`;
      while (tried(throttle, "admin", client) === 0) guesses += 1;
      if (address % 100 === 0) assert.equal(tried(throttle, "admin", home, "succeed"), 0);
    }
    // Twenty addresses have five each; from then on each has one.
    assert.equal(guesses, 100 + 4_980);
  });
});
