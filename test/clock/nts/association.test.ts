import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { heldTimers } from "../../../lab/host/timers.ts";
import { createCounters } from "../../../src/clock/counters.ts";
import type { SourceOptions } from "../../../src/clock/ntp/source.ts";
import { SourcePool } from "../../../src/clock/ntp/source-pool.ts";
import { NtsAssociation } from "../../../src/clock/nts/association.ts";
import { exchangeKeys } from "../../../src/clock/nts/key-exchange.ts";
import { isLocalAddress } from "../../../src/host/linux/network/server-addresses.ts";
import type { AskKeyExchange, KeyExchangeAnswer, KeyExchangeQuestion } from "../../../src/host/nts-ports.ts";
import { sampleWith } from "../samples.ts";

const cookie = (fill: number) => [0, 5, 0, 100, ...Buffer.alloc(100, fill)];

/** Keys with so many cookies, for the NTP server that is named, or for the host that was asked. */
function keysWith(cookies: number, server?: string): KeyExchangeAnswer {
  const all = Array.from({ length: cookies }, (_, index) => cookie(index)).flat();
  const named = server === undefined ? [] : [0x80, 6, 0, server.length, ...Buffer.from(server)];
  const head = [0x80, 1, 0, 2, 0, 0, 0x80, 4, 0, 2, 0, 15];
  const bytes = Uint8Array.from([...head, ...named, ...all, ...[0x80, 0, 0, 0]]);
  return { kind: "answer", bytes, exported: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] };
}

const refusal: KeyExchangeAnswer = { kind: "failed", reason: { code: "nts_no_answer", cause: null } };

/** An association under a clock of the test's own, whose key exchanges end as `answer` says. */
function associate(
  given: { answer?: (address: string) => KeyExchangeAnswer; addresses?: readonly string[] | null } = {},
) {
  const { addresses = ["192.0.2.1"] } = given;
  const world = { seconds: 0, answer: given.answer ?? (() => keysWith(8)) };
  const asked: KeyExchangeQuestion[] = [];
  const ask: AskKeyExchange = async (question) => {
    asked.push(question);
    return world.answer(question.address.address);
  };
  const association = new NtsAssociation(
    { host: "time.example", port: 4460 },
    {
      exchangeKeys: (keyRequest) => exchangeKeys(ask, keyRequest),
      resolve: async () => addresses ?? Promise.reject(new Error("ENOTFOUND")),
      isLocalAddress,
      monotonic: () => world.seconds,
      random: (bytes) => Buffer.alloc(bytes, 3),
    },
  );
  const spend = () => association.seal(Buffer.alloc(48)).packet.length;
  return { association, world, asked, spend };
}

const unasked = { isAsked: false };
const day = 86_400;

describe("the keys of a time server", () => {
  it("are kept while there are cookies, for a week", async () => {
    const { association, world, asked, spend } = associate();
    assert.deepEqual(await association.target(unasked), await association.target(unasked));
    world.seconds = 7 * day - 1;
    await association.target(unasked);
    assert.equal(asked.length, 1);
    world.seconds = 7 * day;
    await association.target(unasked);
    assert.equal(asked.length, 2);
    for (let cookies = 0; cookies < 8; cookies += 1) spend();
    assert.throws(spend, /after a key exchange/);
    await association.target(unasked);
    assert.equal(asked.length, 3);
  });

  it("are used for a second week while the network keeps them from being renewed", async () => {
    const { association, world, asked } = associate();
    const keys = await association.target(unasked);
    await association.confirm(1_800_000_000);
    world.answer = () => refusal;
    world.seconds = 7 * day;
    for (const seconds of [7 * day, 7 * day + 5, 14 * day - 1]) {
      world.seconds = seconds;
      const held = await association.target(unasked);
      assert.deepEqual({ ...held, sinceSeconds: 0, isProvisional: true }, keys);
    }
    assert.equal(asked.length, 4);
    world.seconds = 14 * day;
    assert.deepEqual(await association.target(unasked), { failure: "nts_no_answer" });
  });

  it("are dropped at once where a renewal says something against the server, or its time was never confirmed", async () => {
    for (const [code, isConfirmed] of [
      ["nts_wrong_name", true],
      ["nts_no_answer", false],
    ] as const) {
      const { association, world } = associate();
      await association.target(unasked);
      if (isConfirmed) await association.confirm(1_800_000_000);
      world.answer = () => ({ kind: "failed", reason: { code, cause: null } });
      world.seconds = 7 * day;
      assert.deepEqual(await association.target(unasked), { failure: code });
    }
  });

  it("are asked for less and less often while the key exchange fails, or at once where a person asks", async () => {
    const { association, world, asked } = associate({ answer: () => refusal });
    const waits: number[] = [];
    for (let failures = 0; failures < 20; failures += 1) {
      const begun = world.seconds;
      assert.deepEqual(await association.target(unasked), { failure: "nts_no_answer" });
      const count = asked.length;
      while (asked.length === count && world.seconds - begun < 4_000) {
        world.seconds += 0.5;
        await association.target(unasked);
      }
      waits.push(world.seconds - begun);
    }
    assert.deepEqual(waits.slice(0, 3), [10, 15, 22.5]);
    assert.deepEqual(waits.slice(-2), [3_600, 3_600]);
    const count = asked.length;
    world.answer = () => keysWith(1);
    await association.target({ isAsked: true });
    assert.equal(asked.length, count + 1);
    // After a success the waits begin again.
    world.answer = () => refusal;
    association.refused();
    await association.target(unasked);
    world.seconds += 10;
    await association.target(unasked);
    assert.equal(asked.length, count + 3);
  });

  it("are asked for at three addresses of its name in one attempt, and at the others in the next", async () => {
    const addresses = [1, 2, 3, 4, 5].map((last) => `192.0.2.${last}`);
    const { association, asked, world } = associate({ addresses, answer: () => refusal });
    const reached = () => asked.splice(0).map(({ address }) => `${address.address.at(-1)} ${address.port}`);
    for (const expected of [
      ["1 4460", "2 4460", "3 4460"],
      ["4 4460", "5 4460", "1 4460"],
    ]) {
      assert.deepEqual(await association.target({ isAsked: true }), { failure: "nts_no_answer" });
      assert.deepEqual(reached(), expected);
      world.seconds += 10;
    }
    world.answer = (at) => (at === "192.0.2.4" ? keysWith(8) : refusal);
    const { host, port } = (await association.target({ isAsked: true })) as { host: string; port: number };
    assert.deepEqual([host, port, reached()], ["192.0.2.4", 123, ["2 4460", "3 4460", "4 4460"]]);
    association.refused();
    await association.target(unasked);
    assert.deepEqual(reached(), ["4 4460"], "the one that gave keys comes first");
  });

  it("cannot be asked for where its name is not found, or has no address", async () => {
    for (const [addresses, failure] of [
      [[], "no_address"],
      [null, "name_not_found"],
    ] as const)
      assert.deepEqual(await associate({ addresses }).association.target(unasked), { failure });
  });
});

describe("a key exchange that names another server (RFC 8915 §4.1.7)", () => {
  /** The one source of a pool with this association, whose exchanges end as `exchange` says. */
  function poolOf(
    association: NtsAssociation,
    options: Pick<SourceOptions, "exchange"> & Partial<SourceOptions>,
  ) {
    const pool = new SourcePool({
      ...{ openAssociation: async () => association, resolve: async (host) => [host] },
      ...{ isLocalAddress: () => false, timers: heldTimers(), monotonic: () => 0, moved: () => 0 },
      ...{ counters: createCounters(), ...options },
    });
    pool.configure([{ host: "time.example", nts: true }], true);
    return pool;
  }

  /** A source whose key exchange, at this address, names this server; `names`: the addresses of names, which may change. */
  async function polled(named: string | undefined, names: Record<string, string>, at = "192.0.2.1") {
    const { association, world } = associate({ addresses: [at], answer: () => keysWith(8, named) });
    const asked: string[] = [];
    const pool = poolOf(association, {
      exchange: async ({ address }) => {
        asked.push(address);
        return { kind: "sample", sample: sampleWith({ atSeconds: world.seconds }), ignored: [] };
      },
      resolve: async (host) => [names[host] ?? host],
      isLocalAddress: (address) => isLocalAddress(address, new Set(["10.9.8.7"])),
      monotonic: () => world.seconds,
    });
    const [source] = pool.sources();
    const poll = () => pool.poll({ burst: 1, isAsked: true });
    await poll();
    return { asked, poll, world, source: source ?? assert.fail("no source") };
  }

  const names = { "own.example": "10.9.8.7", "loop.example": "::ffff:127.0.0.1" };
  for (const named of ["127.0.0.1", "::1", "169.254.169.254", "fe80::1", "10.9.8.7", ...Object.keys(names)])
    it(`cannot lead the clock to ${named}, which only this device reaches`, async () => {
      const { asked, source } = await polled(named, names);
      assert.deepEqual([asked, source.address(), source.failure()], [[], null, "local_address"]);
    });

  it("cannot do so an hour later by another address of the name (DNS rebinding)", async () => {
    const changing: Record<string, string> = { "ntp.example": "192.0.2.7" };
    const { asked, poll, world, source } = await polled("ntp.example", changing);
    assert.deepEqual([asked, source.failure()], [["192.0.2.7"], null]);
    changing["ntp.example"] = "127.0.0.1";
    world.seconds = 3_601;
    await poll();
    assert.deepEqual([asked, source.failure()], [["192.0.2.7"], "local_address"]);
  });

  it("cannot keep a round busy by servers that refuse, a new one for each cookie", async () => {
    let named = 0;
    const { association } = associate({
      answer: () => {
        named += 1;
        return keysWith(1, `ntp${named}.example`);
      },
    });
    let asked = 0;
    const pool = poolOf(association, {
      exchange: async (_, seal) => {
        seal?.(Buffer.alloc(48));
        asked += 1;
        if (asked > 1_000) throw new Error("the round has no end");
        return { kind: "kiss", code: "DENY", ignored: [] };
      },
      resolve: async () => [`192.0.2.${named}`],
    });
    await association.target(unasked);
    await association.confirm(1_800_000_000);
    await pool.poll({ burst: 4, isAsked: true });
    // With the confirmed keys, and once with new ones, whose certificate is to be judged first.
    assert.equal(asked, 2);
  });

  it("may name one of the device's network; and a server that is set may be on the device itself", async () => {
    assert.deepEqual((await polled("192.168.1.2", {})).asked, ["192.168.1.2"]);
    assert.deepEqual((await polled(undefined, {}, "127.0.0.1")).asked, ["127.0.0.1"]);
    assert.deepEqual((await polled("time.example", { "time.example": "127.0.0.1" })).asked, ["127.0.0.1"]);
  });
});
