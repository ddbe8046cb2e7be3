import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ntpTimestamp } from "../../../lab/host/hostile-time-server.ts";
import { realTimers } from "../../../lab/host/timers.ts";
import { createExchange, type Seal } from "../../../src/clock/ntp/exchange.ts";
import { open, seal } from "../../../src/clock/nts/siv.ts";
import { assertOffset, common, endServersAfterEach, exchange, sampleIn, serve } from "../exchanging.ts";

endServersAfterEach();

const key = Buffer.alloc(32, 7);

/** The least protection that an exchange can have: the whole packet is encrypted. */
const sealing: Seal = (request) => ({
  packet: seal(key, [], request),
  open: (reply) => open(key, [], reply) ?? "not_authentic",
});

describe("an exchange with a seal", () => {
  it("sends only what the seal made, and takes the time from what it opened", async () => {
    const server = await serve(({ request, reply, send }) => {
      const asked = open(key, [], request);
      assert.ok(asked !== null, "the request is not sealed");
      return send(seal(key, [], reply({ origin: asked.subarray(40), stratum: 5 })));
    });
    const outcome = await exchange(server, sealing);
    assertOffset(sampleIn(outcome));
    assert.deepEqual([sampleIn(outcome).stratum, outcome.ignored], [5, []]);
  });

  it("ignores plain replies and kisses, and takes the sealed one behind them", async () => {
    const server = await serve(async ({ request, reply, send }) => {
      const origin = (open(key, [], request) ?? Buffer.alloc(48)).subarray(40);
      const ahead = ntpTimestamp(Date.now() / 1_000 + 365 * 86_400);
      await send(reply({ origin, receive: ahead, transmit: ahead }));
      await send(reply({ origin, leap: 3, stratum: 0, refid: "DENY" }));
      await send(seal(key, [], reply({ origin })));
    });
    const outcome = await exchange(server, sealing);
    assertOffset(sampleIn(outcome));
    assert.deepEqual(outcome.ignored, ["not_authentic", "not_authentic"]);
  });

  it("judges the header that was opened like one that was not sealed", async () => {
    const server = await serve(async ({ request, reply, send }) => {
      const origin = (open(key, [], request) ?? Buffer.alloc(48)).subarray(40);
      await send(seal(key, [], reply()));
      await send(seal(key, [], reply({ origin, leap: 3 })));
      await send(seal(key, [], reply({ origin, leap: 3, stratum: 0, refid: "RATE" })));
    });
    assert.deepEqual(await exchange(server, sealing), {
      kind: "kiss",
      code: "RATE",
      ignored: ["origin", "unsynchronised"],
    });
  });

  it("is silent for the reason that its last packet was not opened", async () => {
    const server = await serve(({ reply, send }) => send(reply()));
    const timed = createExchange({ ...common, timers: realTimers });
    assert.deepEqual(await timed(server, sealing), {
      kind: "silent",
      reason: "not_authentic",
      ignored: ["not_authentic"],
    });
  });
});
