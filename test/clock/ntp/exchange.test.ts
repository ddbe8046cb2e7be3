import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { ntpTimestamp } from "../../../lab/host/hostile-time-server.ts";
import { realTimers } from "../../../lab/host/timers.ts";
import { createExchange } from "../../../src/clock/ntp/exchange.ts";
import { createDatagrams } from "../../../src/host/linux/network/datagrams.ts";
import {
  assertOffset,
  common,
  driver,
  endServersAfterEach,
  exchange,
  sampleIn,
  serve,
} from "../exchanging.ts";

endServersAfterEach();

describe("an exchange with a right server", () => {
  for (const address of ["127.0.0.1", "::1"])
    it(`at ${address} is a sample with what the reply says`, reaching(address), async () => {
      const server = await serve(({ send, reply }) => send(reply({ leap: 1 })), address);
      const outcome = await exchange(server);
      const sample = sampleIn(outcome);
      const { offsetSeconds: _, delaySeconds, dispersionSeconds, atSeconds, ...rest } = sample;
      assert.deepEqual(rest, {
        stratum: 2,
        leap: "insert",
        refid: "0a010203",
        rootDelaySeconds: 0.015625,
        rootDispersionSeconds: 0.03125,
      });
      assertOffset(sample);
      assert.ok(delaySeconds > 0, `a delay of ${delaySeconds} s`);
      // 2^-20 of the server, at least 1 µs of ours, 15 ppm of less than a second.
      assert.ok(dispersionSeconds > 1.9e-6 && dispersionSeconds < 3e-5, `dispersion ${dispersionSeconds} s`);
      const age = driver.read().monotonicSeconds - atSeconds;
      assert.ok(age >= 0 && age < 5, `${age} s old`);
      assert.deepEqual(outcome.ignored, []);
    });

  it("is one of many at a time, each by one packet with a number never used before, from a port of its own", async () => {
    const server = await serve(({ send, reply }) => send(reply()));
    for (const outcome of await Promise.all(Array.from({ length: 20 }, () => exchange(server))))
      sampleIn(outcome);
    const texts = server.requests.map((request) => request.toString("hex"));
    for (const text of texts) assert.match(text, /^23(00){39}[0-9a-f]{16}$/);
    assert.equal(new Set(texts).size, 20);
    assert.equal(new Set(server.clientPorts).size, 20);
  });

  const wall = () => driver.read().wallSeconds;
  const times: [string, () => bigint, () => number][] = [
    ["3 s ahead", () => ntpTimestamp(wall() + 3), () => 3],
    ["1 s behind", () => ntpTimestamp(wall() - 1), () => -1],
    ["10^8 s behind", () => ntpTimestamp(wall() - 1e8), () => -1e8],
    // RFC 5905 §6, figure 4: that midnight is 63,104 in era 1.
    ["in era 1", () => 63_104n << 32n, () => Date.parse("2036-02-08T00:00:00Z") / 1_000 - wall()],
  ];
  for (const [name, timestamp, expected] of times)
    it(`that is ${name} gives that offset`, async () => {
      const server = await serve(({ send, reply }) => {
        const time = timestamp();
        return send(reply({ receive: time, transmit: time }));
      });
      const sample = sampleIn(await exchange(server));
      const age = driver.read().monotonicSeconds - sample.atSeconds;
      assertOffset(sample, expected() + (name === "in era 1" ? age : 0));
    });

  describe("while this program is held up for 200 ms as the reply comes", () => {
    let sentBy = 0;
    const server = () =>
      serve(async ({ send, reply }) => {
        const time = ntpTimestamp(driver.read().wallSeconds);
        await send(reply({ receive: time, transmit: time }));
        // Before the event loop looks at sockets again.
        sentBy = driver.read().monotonicSeconds;
        while (driver.read().monotonicSeconds < sentBy + 0.2);
      });
    const assertBounded = (offsetSeconds: number, delaySeconds: number) =>
      assert.ok(
        Math.abs(offsetSeconds) <= delaySeconds / 2 + 5e-5,
        `${offsetSeconds} s at ${delaySeconds} s`,
      );

    it("errs by nothing, as the kernel says when it came", async () => {
      const held = await server();
      const begin = driver.read().monotonicSeconds;
      const { offsetSeconds, delaySeconds, atSeconds } = sampleIn(await exchange(held));
      const longest = sentBy - begin;
      assert.ok(delaySeconds <= longest + 1e-4, `a delay of ${delaySeconds} s, not ${longest} s at most`);
      assertBounded(offsetSeconds, delaySeconds);
      const age = driver.read().monotonicSeconds - atSeconds;
      assert.ok(age >= 0.2, `the sample is said to be ${age} s old`);
    });

    it("says so by its delay, where the kernel is not asked", async () => {
      const unaided = createExchange({ ...common, datagrams: createDatagrams(null), timers: realTimers });
      const { offsetSeconds, delaySeconds } = sampleIn(await unaided(await server()));
      assert.ok(delaySeconds >= 0.2, `a delay of ${delaySeconds} s`);
      assertBounded(offsetSeconds, delaySeconds);
    });
  });
});
