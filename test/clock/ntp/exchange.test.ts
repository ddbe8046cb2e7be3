import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { encode, ntpTimestamp, rightReply } from "../../../lab/host/hostile-time-server.ts";
import { realTimers } from "../../../lab/host/timers.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createExchange } from "../../../src/clock/ntp/exchange.ts";
import { createDatagrams } from "../../../src/host/linux/network/datagrams.ts";
import {
  assertOffset,
  common,
  driver,
  endServersAfterEach,
  exchange,
  pivotSeconds,
  sampleIn,
  serve,
} from "../exchanging.ts";

endServersAfterEach();

describe("an exchange with a right server", () => {
  for (const address of ["127.0.0.1", "::1"]) {
    it(`at ${address} is a sample with what the reply says`, reaching(address), async () => {
      const server = await serve(({ send, reply }) => send(reply({ leap: 1 })), address);
      const outcome = await exchange(server);
      const { offsetSeconds, delaySeconds, dispersionSeconds, atSeconds, ...rest } = sampleIn(outcome);
      assert.deepEqual(rest, {
        stratum: 2,
        leap: "insert",
        refid: "0a010203",
        rootDelaySeconds: 0.015625,
        rootDispersionSeconds: 0.03125,
      });
      assertOffset({ ...rest, offsetSeconds, delaySeconds, dispersionSeconds, atSeconds });
      assert.ok(delaySeconds > 0, `a delay of ${delaySeconds} s`);
      // 2^-20 of the server, at least 1 µs of ours, 15 ppm of less than a second.
      assert.ok(
        dispersionSeconds > 1.9e-6 && dispersionSeconds < 3e-5,
        `a dispersion of ${dispersionSeconds} s`,
      );
      const age = driver.read().monotonicSeconds - atSeconds;
      assert.ok(age >= 0 && age < 5, `${age} s old`);
      assert.deepEqual(outcome.ignored, []);
    });
  }

  it("sends one packet of 48 bytes that tells nothing but a number never used before", async () => {
    const server = await serve(({ send, reply }) => send(reply()));
    for (let turn = 0; turn < 3; turn += 1) sampleIn(await exchange(server));
    const texts = server.requests.map((request) => request.toString("hex"));
    for (const text of texts) assert.match(text, /^23(00){39}[0-9a-f]{16}$/);
    assert.equal(new Set(texts).size, 3);
  });

  it("leaves from another port each time", async () => {
    const server = await serve(({ send, reply }) => send(reply()));
    for (let turn = 0; turn < 8; turn += 1) sampleIn(await exchange(server));
    // The kernel may by chance give one of 28,000 ports twice.
    assert.ok(new Set(server.clientPorts).size >= 7, `ports ${server.clientPorts}`);
  });

  it("can be one of many at a time", async () => {
    const server = await serve(({ send, reply }) => send(reply()));
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => exchange(server)));
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["sample"]));
  });

  const ahead: [string, number][] = [
    ["3 s ahead", 3],
    ["1 s behind", -1],
    ["10^8 s behind", -1e8],
  ];
  for (const [name, seconds] of ahead) {
    it(`that is ${name} gives an offset of ${seconds} s`, async () => {
      const server = await serve(({ send, reply }) => {
        const time = ntpTimestamp(Date.now() / 1_000 + seconds);
        return send(reply({ receive: time, transmit: time }));
      });
      assertOffset(sampleIn(await exchange(server)), seconds);
    });
  }

  it("that lives in era 1 gives the offset to 2036", async () => {
    const then = Date.parse("2036-02-08T00:00:00Z") / 1_000;
    // RFC 5905 §6, figure 4: that midnight is 63,104 in era 1.
    const server = await serve(({ send, reply }) =>
      send(reply({ receive: 63_104n << 32n, transmit: 63_104n << 32n })),
    );
    const sample = sampleIn(await exchange(server));
    const { wallSeconds, monotonicSeconds } = driver.read();
    const wallAtArrival = wallSeconds - (monotonicSeconds - sample.atSeconds);
    assertOffset(sample, then - wallAtArrival);
  });

  /** Over a way of so many seconds there and back, in virtual time; the server says when the request came and the reply went. */
  const exchangeOver = async (seconds: { there: number; held: number; back: number }) => {
    const time = createVirtualTime();
    const wall = () => pivotSeconds + 1_000 + time.now();
    const later = (wait: number, call: () => void) => void time.at(time.now() + wait, call);
    const answer = (request: Uint8Array, send: (reply: Uint8Array) => void) =>
      later(seconds.there, () => {
        const receive = ntpTimestamp(wall());
        later(seconds.held, () => {
          const transmit = ntpTimestamp(wall());
          const reply = encode({ ...rightReply(request), receive, transmit });
          later(seconds.back, () => send(reply));
        });
      });
    const outcome = createExchange({
      ...common,
      driver: { read: () => ({ wallSeconds: wall(), monotonicSeconds: time.now() }) },
      timers: time.hostTimers,
      datagrams: {
        connect: async (_, { onPacket }) => ({
          send: (request) => answer(request, (reply) => onPacket(reply, 0)),
          close: () => undefined,
        }),
      },
    })({ address: "192.0.2.1", port: 123 });
    await time.runUntil(2);
    return sampleIn(await outcome);
  };
  const near = (one: number, other: number) =>
    assert.ok(Math.abs(one - other) < 2e-6, `${one} s, not ${other} s`);

  it("whose reply takes 100 ms longer than the request errs by half of it and says so by its delay", async () => {
    const { offsetSeconds, delaySeconds } = await exchangeOver({ there: 0.01, held: 0, back: 0.11 });
    near(offsetSeconds, -0.05);
    near(delaySeconds, 0.12);
  });

  it("that holds the request for 100 ms and says so errs by nothing", async () => {
    const { offsetSeconds, delaySeconds } = await exchangeOver({ there: 0.01, held: 0.1, back: 0.01 });
    near(offsetSeconds, 0);
    near(delaySeconds, 0.02);
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

    it("errs by nothing, as the kernel says when it came", async () => {
      const held = await server();
      const begin = driver.read().monotonicSeconds;
      const { offsetSeconds, delaySeconds, atSeconds } = sampleIn(await exchange(held));
      const longest = sentBy - begin;
      assert.ok(delaySeconds <= longest + 1e-4, `a delay of ${delaySeconds} s, not ${longest} s at most`);
      assert.ok(
        Math.abs(offsetSeconds) <= delaySeconds / 2 + 5e-5,
        `${offsetSeconds} s at ${delaySeconds} s`,
      );
      const age = driver.read().monotonicSeconds - atSeconds;
      assert.ok(age >= 0.2, `the sample is said to be ${age} s old`);
    });

    it("says so by its delay, where the kernel is not asked", async () => {
      const datagrams = createDatagrams(null);
      const unaided = createExchange({ ...common, datagrams, timers: realTimers });
      const { offsetSeconds, delaySeconds } = sampleIn(await unaided(await server()));
      assert.ok(delaySeconds >= 0.2, `a delay of ${delaySeconds} s`);
      assert.ok(
        Math.abs(offsetSeconds) <= delaySeconds / 2 + 5e-5,
        `${offsetSeconds} s at ${delaySeconds} s`,
      );
    });
  });
});
