import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { ntpTimestamp } from "../../../lab/host/hostile-time-server.ts";
import type { Seal } from "../../../src/clock/ntp/exchange.ts";
import { open, seal } from "../../../src/clock/nts/siv.ts";
import { assertOffset, endServersAfterEach, exchange, sampleIn, serve } from "../exchanging.ts";

endServersAfterEach();

describe("a packet that is not believed", () => {
  // The decoder's test has the reasons why a packet is a bad one; this one has that it ends nothing.
  for (const [name, fields, reason] of [
    ["with a wrong origin", { origin: randomBytes(8) }, "origin"],
    ["with a huge root distance", { rootDispersionSeconds: 16 }, "root_distance"],
    ["of a spoofed DENY", { leap: 3, stratum: 0, refid: "DENY", origin: randomBytes(8) }, "origin"],
    ["of 0 bytes", 0, "short"],
    ["of 65507 bytes", 65_507, "long"],
  ] as const)
    it(`${name} is ignored (${reason}), and the good reply behind it taken`, async () => {
      const server = await serve(async ({ send, reply }) => {
        if (typeof fields === "object") await send(reply(fields));
        else await send(Buffer.concat([reply(), Buffer.alloc(65_507)]).subarray(0, fields));
        await send(reply());
      });
      const outcome = await exchange(server);
      assertOffset(sampleIn(outcome));
      assert.deepEqual(outcome.ignored, [reason]);
    });

  it("never moves a good reply from its place: the first good one wins", async () => {
    const server = await serve(async ({ send, reply }) => {
      await send(reply({ leap: 3 }));
      await send(Buffer.alloc(3));
      await send(reply({ stratum: 3 }));
      await send(reply({ stratum: 4 }));
    });
    const outcome = await exchange(server);
    assert.deepEqual([sampleIn(outcome).stratum, outcome.ignored], [3, ["unsynchronised", "short"]]);
  });

  it("in a flood is named 256 times, and the good reply behind it still taken", async () => {
    const server = await serve(async ({ send, reply }) => {
      for (let count = 0; count < 300; count += 1) {
        await send(randomBytes(48));
        // The client reads before the next one: its socket holds some 270 packets, and both are in this process.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await send(reply());
    });
    const outcome = await exchange(server);
    assertOffset(sampleIn(outcome));
    assert.equal(outcome.ignored.length, 256);
  });
});

it("a kiss-o'-death with our nonce ends the exchange", async () => {
  const server = await serve(({ send, reply }) => send(reply({ leap: 3, stratum: 0, refid: "RSTR" })));
  assert.deepEqual(await exchange(server), { kind: "kiss", code: "RSTR", ignored: [] });
});

describe("an exchange with a seal", () => {
  const key = Buffer.alloc(32, 7);
  /** The least protection that an exchange can have: the whole packet is encrypted. */
  const sealing: Seal = (request) => ({
    packet: seal(key, [], request),
    open: (reply) => open(key, [], reply) ?? "not_authentic",
  });
  const originIn = (request: Uint8Array) =>
    open(key, [], request)?.subarray(40) ?? assert.fail("the request is not sealed");

  it("ignores plain replies and kisses, and takes the time from the sealed one behind them", async () => {
    const server = await serve(async ({ request, reply, send }) => {
      const origin = originIn(request);
      const ahead = ntpTimestamp(Date.now() / 1_000 + 365 * 86_400);
      await send(reply({ origin, receive: ahead, transmit: ahead }));
      await send(reply({ origin, leap: 3, stratum: 0, refid: "DENY" }));
      await send(seal(key, [], reply({ origin, stratum: 5 })));
    });
    const outcome = await exchange(server, sealing);
    assertOffset(sampleIn(outcome));
    assert.equal(sampleIn(outcome).stratum, 5);
    assert.deepEqual(outcome.ignored, ["not_authentic", "not_authentic"]);
  });

  it("judges the header that was opened like one that was not sealed", async () => {
    const server = await serve(async ({ request, reply, send }) => {
      const origin = originIn(request);
      await send(seal(key, [], reply()));
      await send(seal(key, [], reply({ origin, leap: 3 })));
      await send(seal(key, [], reply({ origin, leap: 3, stratum: 0, refid: "RATE" })));
    });
    const ignored = ["origin", "unsynchronised"];
    assert.deepEqual(await exchange(server, sealing), { kind: "kiss", code: "RATE", ignored });
  });
});
