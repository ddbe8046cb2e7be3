import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { type Asked, ntpTimestamp, type ReplyFields } from "../../../lab/host/hostile-time-server.ts";
import { assertOffset, endServersAfterEach, exchange, sampleIn, serve } from "../exchanging.ts";

endServersAfterEach();

/** Lets the client read before the next one: its socket holds some 270 packets, and both are in this process. */
async function sendAndYield(send: Asked["send"], packet: Uint8Array): Promise<void> {
  await send(packet);
  await new Promise((resolve) => setImmediate(resolve));
}

describe("a packet that is not believed", () => {
  const zero = new Uint8Array(8);
  const bad: [string, Partial<ReplyFields>, string][] = [
    ["with a wrong origin", { origin: randomBytes(8) }, "origin"],
    ["with no origin", { origin: zero }, "origin"],
    ["with leap indicator 3", { leap: 3 }, "unsynchronised"],
    ["at stratum 0 without a code", { stratum: 0, refid: "\0\0\0\0" }, "unsynchronised"],
    ["at stratum 16", { stratum: 16 }, "stratum"],
    ["of a server of version 2", { version: 2 }, "version"],
    ["of a broadcast server", { mode: 5 }, "mode"],
    ["without a receive time", { receive: 0n }, "no_time"],
    ["without a transmit time", { transmit: 0n }, "no_time"],
    [
      "sent before it was received",
      { receive: ntpTimestamp(1_795_132_801), transmit: ntpTimestamp(1_795_132_800) },
      "no_time",
    ],
    ["with a huge root distance", { rootDispersionSeconds: 16 }, "root_distance"],
    [
      "held longer than it was away",
      { receive: ntpTimestamp(1_795_132_800), transmit: ntpTimestamp(1_795_132_802) },
      "delay",
    ],
    ["of a spoofed RATE", { leap: 3, stratum: 0, refid: "RATE", origin: zero }, "origin"],
    ["of a spoofed DENY", { leap: 3, stratum: 0, refid: "DENY", origin: randomBytes(8) }, "origin"],
  ];
  for (const [name, fields, reason] of bad) {
    it(`${name} is ignored (${reason}), and the good reply behind it taken`, async () => {
      const server = await serve(async ({ send, reply }) => {
        await send(reply(fields));
        await send(reply());
      });
      const outcome = await exchange(server);
      assertOffset(sampleIn(outcome));
      assert.deepEqual(outcome.ignored, [reason]);
    });
  }

  const lengths = [0, 1, 4, 40, 47, 49, 68, 1_500, 65_507];
  for (const length of lengths) {
    it(`of ${length} bytes is ignored, and the good reply behind it taken`, async () => {
      const server = await serve(async ({ send, reply }) => {
        await send(Buffer.concat([reply(), Buffer.alloc(65_507)]).subarray(0, length));
        await send(reply());
      });
      const outcome = await exchange(server);
      assertOffset(sampleIn(outcome));
      assert.deepEqual(outcome.ignored, [length < 48 ? "short" : "long"]);
    });
  }

  it("is told of in its turn when there are three, and the good reply behind them taken", async () => {
    const server = await serve(async ({ send, reply }) => {
      await send(reply({ leap: 3 }));
      await send(Buffer.alloc(3));
      await send(reply({ origin: randomBytes(8) }));
      await send(reply());
    });
    const outcome = await exchange(server);
    sampleIn(outcome);
    assert.deepEqual(outcome.ignored, ["unsynchronised", "short", "origin"]);
  });

  it("never moves a good reply from its place: the first good one wins", async () => {
    const server = await serve(async ({ send, reply }) => {
      await send(reply({ stratum: 3 }));
      await send(reply({ stratum: 4 }));
    });
    assert.equal(sampleIn(await exchange(server)).stratum, 3);
  });

  it("spoofed from another port of the server does not even arrive", async () => {
    const server = await serve(async ({ send, sendFromElsewhere, reply }) => {
      const ahead = ntpTimestamp(Date.now() / 1_000 + 365 * 86_400);
      await sendFromElsewhere(reply({ receive: ahead, transmit: ahead }));
      await send(reply());
    });
    const outcome = await exchange(server);
    assertOffset(sampleIn(outcome));
    assert.deepEqual(outcome.ignored, []);
  });

  it("replayed from the exchange before is ignored", async () => {
    let earlier: Buffer | undefined;
    const server = await serve(async ({ send, reply }) => {
      if (earlier !== undefined) await send(earlier);
      earlier ??= reply({ stratum: 7 });
      await send(earlier === undefined ? reply() : reply({ stratum: 3 }));
    });
    sampleIn(await exchange(server));
    const outcome = await exchange(server);
    assert.equal(sampleIn(outcome).stratum, 3);
    assert.deepEqual(outcome.ignored, ["origin"]);
  });

  it("of random bytes, two hundred times, leaves the good reply untouched", async () => {
    const server = await serve(async ({ send, reply }) => {
      for (let count = 0; count < 200; count += 1) await sendAndYield(send, randomBytes(48));
      await send(reply());
    });
    const outcome = await exchange(server);
    assertOffset(sampleIn(outcome));
    assert.equal(outcome.ignored.length, 200);
  });

  it("in a flood is told of 256 times, and the good reply behind it still taken", async () => {
    const server = await serve(async ({ send, reply }) => {
      for (let count = 0; count < 300; count += 1) await sendAndYield(send, Buffer.alloc(1));
      await send(reply());
    });
    const outcome = await exchange(server);
    sampleIn(outcome);
    assert.equal(outcome.ignored.length, 256);
  });
});

describe("a kiss-o'-death", () => {
  for (const code of ["RATE", "DENY", "RSTR"]) {
    it(`with the code ${code} and our nonce ends the exchange`, async () => {
      const server = await serve(({ send, reply }) => send(reply({ leap: 3, stratum: 0, refid: code })));
      assert.deepEqual(await exchange(server), { kind: "kiss", code, ignored: [] });
    });
  }

  for (const code of ["INIT", "STEP", "XQZ1", "NTSN"]) {
    it(`is not the code ${code}: the good reply behind it is still taken`, async () => {
      const server = await serve(async ({ send, reply }) => {
        await send(reply({ leap: 3, stratum: 0, refid: code }));
        await send(reply());
      });
      const outcome = await exchange(server);
      sampleIn(outcome);
      assert.deepEqual(outcome.ignored, ["unsynchronised"]);
    });
  }
});
