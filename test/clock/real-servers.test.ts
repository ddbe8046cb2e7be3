import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reaching } from "../../lab/basics/ipv6.ts";
import { type Chronyd, startChronyd } from "../../lab/host/chronyd.ts";
import { assertOffset, endServersAfterEach, exchange, sampleIn } from "./exchanging.ts";

endServersAfterEach();

describe("forty exchanges with Debian's chronyd", () => {
  for (const address of ["127.0.0.1", "::1"]) {
    it(`on ${address} are forty samples of the one clock that both have`, reaching(address), async () => {
      const server = await startChronyd();
      try {
        for (let turn = 0; turn < 40; turn += 1) {
          const outcome = await exchange({ address, port: server.port });
          const { offsetSeconds, delaySeconds, stratum, refid, leap } = sampleIn(outcome);
          assert.deepEqual([stratum, refid, leap], [2, "7f7f0101", "none"]);
          // Whatever way the delay was shared out: RFC 5905 §8.
          const bound = delaySeconds / 2 + 50e-6;
          assert.ok(Math.abs(offsetSeconds) <= bound, `${offsetSeconds} s at a delay of ${delaySeconds} s`);
        }
      } finally {
        await server.stop();
      }
    });
  }

  it("that is 3 s ahead say 3 s", async () => {
    const server: Chronyd = await startChronyd({ fakeTime: "+3s" });
    try {
      for (let turn = 0; turn < 10; turn += 1) {
        assertOffset(sampleIn(await exchange({ address: "127.0.0.1", port: server.port })), 3);
      }
    } finally {
      await server.stop();
    }
  });
});
