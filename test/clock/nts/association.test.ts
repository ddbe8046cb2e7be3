import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NtsAssociation } from "../../../src/clock/nts/association.ts";
import { exchangeKeys } from "../../../src/clock/nts/key-exchange.ts";
import type { AskKeyExchange, KeyExchangeAnswer, KeyExchangeQuestion } from "../../../src/host/nts-ports.ts";

const cookie = (fill: number) => [0, 5, 0, 100, ...Buffer.alloc(100, fill)];

/** Keys with so many cookies. */
function keysWith(cookies: number): KeyExchangeAnswer {
  const all = Array.from({ length: cookies }, (_, index) => cookie(index)).flat();
  const bytes = Uint8Array.from([...[0x80, 1, 0, 2, 0, 0, 0x80, 4, 0, 2, 0, 15], ...all, ...[0x80, 0, 0, 0]]);
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
    const failures = { nts_wrong_name: true, nts_no_answer: false } as const;
    for (const [code, isConfirmed] of Object.entries(failures)) {
      const { association, world } = associate();
      await association.target(unasked);
      if (isConfirmed) await association.confirm(1_800_000_000);
      world.answer = () => ({ kind: "failed", reason: { code: code as keyof typeof failures, cause: null } });
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
    await association.target({ isAsked: true });
    assert.equal(asked.length, count + 1);
  });

  it("are asked for soon again after a success", async () => {
    const { association, world, asked } = associate({ answer: () => refusal });
    await association.target(unasked);
    world.answer = () => keysWith(1);
    await association.target({ isAsked: true });
    world.answer = () => refusal;
    association.refused();
    await association.target(unasked);
    world.seconds += 10;
    await association.target(unasked);
    assert.equal(asked.length, 4);
  });

  it("are asked for at three addresses of its name at most, until one gives them", async () => {
    const addresses = [1, 2, 3, 4].map((last) => `192.0.2.${last}`);
    const dead = associate({ addresses, answer: () => refusal });
    assert.deepEqual(await dead.association.target(unasked), { failure: "nts_no_answer" });
    const reached = dead.asked.map(({ address }) => `${address.address} ${address.port}`);
    assert.deepEqual(reached, ["192.0.2.1 4460", "192.0.2.2 4460", "192.0.2.3 4460"]);
    const second = associate({ addresses, answer: (at) => (at === "192.0.2.2" ? keysWith(8) : refusal) });
    const { host, port } = (await second.association.target(unasked)) as { host: string; port: number };
    assert.deepEqual([host, port, second.asked.length], ["192.0.2.2", 123, 2]);
  });

  it("cannot be asked for where its name is not found, or has no address", async () => {
    const none = associate({ addresses: [] });
    assert.deepEqual(await none.association.target(unasked), { failure: "no_address" });
    const unknown = associate({ addresses: null });
    assert.deepEqual(await unknown.association.target(unasked), { failure: "name_not_found" });
  });
});
