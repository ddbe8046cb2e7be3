import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { hasIpv6, reaching } from "../../../lab/basics/ipv6.ts";
import { startChronyd } from "../../../lab/host/chronyd.ts";
import { type Asked, ntpTimestamp } from "../../../lab/host/hostile-time-server.ts";
import { heldTimers, realTimers } from "../../../lab/host/timers.ts";
import { createExchange } from "../../../src/clock/ntp/exchange.ts";
import { createDatagrams } from "../../../src/host/linux/network/datagrams.ts";
import type { Datagrams } from "../../../src/host/ports.ts";
import {
  assertOffset,
  common,
  countedDatagrams,
  driver,
  endServersAfterEach,
  exchange,
  openSockets,
  sampleIn,
  serve,
} from "../exchanging.ts";

endServersAfterEach();

/** Whatever way the delay was shared out: RFC 5905 §8. */
function assertBounded({
  offsetSeconds,
  delaySeconds,
}: {
  offsetSeconds: number;
  delaySeconds: number;
}): void {
  const isBounded = Math.abs(offsetSeconds) <= delaySeconds / 2 + 5e-5;
  assert.ok(isBounded, `${offsetSeconds} s at a delay of ${delaySeconds} s`);
}

describe("an exchange with a right server", () => {
  for (const address of ["127.0.0.1", "::1"])
    it(`at ${address} is a sample with what the reply says`, reaching(address), async () => {
      const server = await serve(({ send, reply }) => send(reply({ leap: 1 })), address);
      const outcome = await exchange(server);
      const sample = sampleIn(outcome);
      const { offsetSeconds: _, delaySeconds, dispersionSeconds, atSeconds, ...rest } = sample;
      const root = { rootDelaySeconds: 0.015625, rootDispersionSeconds: 0.03125 };
      assert.deepEqual(rest, { stratum: 2, leap: "insert", refid: "0a010203", ...root });
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
    assert.deepEqual([new Set(texts).size, new Set(server.clientPorts).size], [20, 20]);
  });

  for (const [name, offsetSeconds] of [
    ["3 s ahead", 3],
    ["10^8 s behind", -1e8],
  ] as const)
    it(`that is ${name} gives that offset`, async () => {
      const server = await serve(({ send, reply }) => {
        const time = ntpTimestamp(driver.read().wallSeconds + offsetSeconds);
        return send(reply({ receive: time, transmit: time }));
      });
      assertOffset(sampleIn(await exchange(server)), offsetSeconds);
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
      assertBounded({ offsetSeconds, delaySeconds });
      const age = driver.read().monotonicSeconds - atSeconds;
      assert.ok(age >= 0.2, `the sample is said to be ${age} s old`);
    });

    it("says so by its delay, where the kernel is not asked", async () => {
      const unaided = createExchange({ ...common, datagrams: createDatagrams(null), timers: realTimers });
      const { offsetSeconds, delaySeconds } = sampleIn(await unaided(await server()));
      assert.ok(delaySeconds >= 0.2, `a delay of ${delaySeconds} s`);
      assertBounded({ offsetSeconds, delaySeconds });
    });
  });
});

describe("forty exchanges with Debian's chronyd", () => {
  for (const address of ["127.0.0.1", "::1"])
    it(`on ${address} are forty samples of the one clock that both have`, reaching(address), async () => {
      const server = await startChronyd();
      try {
        for (let turn = 0; turn < 40; turn += 1) {
          const outcome = await exchange({ address, port: server.port });
          const { stratum, refid, leap, ...sample } = sampleIn(outcome);
          assert.deepEqual([stratum, refid, leap], [2, "7f7f0101", "none"]);
          assertBounded(sample);
        }
      } finally {
        await server.stop();
      }
    });
});

/** By the deadline that it has on a device. */
const byDeadline = createExchange({ ...common, timers: realTimers });

describe("an exchange without a good reply", () => {
  it("from a closed port ends at once with the system's code", async () => {
    for (const address of hasIpv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]) {
      const outcome = await byDeadline({ address, port: await heldUdpPort() });
      assert.deepEqual(outcome, { kind: "silent", reason: "ECONNREFUSED", ignored: [] });
    }
  });

  for (const [name, answer, reason] of [
    ["of an unsynchronised server", ({ send, reply }) => send(reply({ leap: 3 })), "unsynchronised"],
    ["of garbage", ({ send }) => send(Buffer.alloc(20, 0x5a)), "short"],
  ] as [string, (asked: Asked) => Promise<void>, string][])
    it(`but one ${name} is silent: ${reason}`, async () => {
      const outcome = await byDeadline(await serve(answer));
      assert.deepEqual(outcome, { kind: "silent", reason, ignored: [reason] });
    });

  for (const [name, answer] of [
    ["from a black hole", async () => undefined],
    ["but one that is spoofed from elsewhere", ({ sendFromElsewhere, reply }) => sendFromElsewhere(reply())],
  ] as [string, (asked: Asked) => Promise<void>][])
    it(`${name} ends when its time is over`, async () => {
      const timers = heldTimers();
      const server = await serve(async (asked) => {
        await answer(asked);
        setImmediate(timers.runOut);
      });
      const outcome = await createExchange({ ...common, timers })(server);
      assert.deepEqual(outcome, { kind: "silent", reason: "timeout", ignored: [] });
      assert.equal(timers.pending, 0);
    });
});

describe("time in an exchange", () => {
  it("bounds a way to the server that never opens", async () => {
    const timers = heldTimers();
    const datagrams: Datagrams = { connect: () => new Promise(() => undefined) };
    const outcome = createExchange({ ...common, datagrams, timers })({ address: "127.0.0.1", port: 123 });
    timers.runOut();
    assert.deepEqual(await outcome, { kind: "silent", reason: "timeout", ignored: [] });
  });

  it("leaves no socket behind that opens after the deadline", async () => {
    const timers = heldTimers();
    const server = await serve(() => undefined);
    let opened: Promise<unknown> | undefined;
    const datagrams: Datagrams = {
      connect: (address, handlers) => {
        timers.runOut();
        const connection = countedDatagrams.connect(address, handlers);
        opened = connection;
        return connection;
      },
    };
    // Its timer is made first, so it runs out before there is a socket.
    const outcome = await createExchange({ ...common, datagrams, timers })(server);
    assert.equal(outcome.kind, "silent");
    await opened;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(openSockets, 0);
  });

  it("that the host slept through makes no sample of a packet that waited for it", async () => {
    const timers = heldTimers();
    let readings = 0;
    const sleeping = {
      read: () => {
        readings += 1;
        const { wallSeconds, monotonicSeconds } = driver.read();
        if (readings === 1) return { wallSeconds, monotonicSeconds };
        // The packet wakes up first with the host, then the timer.
        setImmediate(timers.runOut);
        return { wallSeconds: wallSeconds + 3_600, monotonicSeconds: monotonicSeconds + 3_600 };
      },
    };
    const server = await serve(({ send, reply }) => send(reply()));
    const outcome = await createExchange({ ...common, driver: sleeping, timers })(server);
    assert.deepEqual(outcome, { kind: "silent", reason: "delay", ignored: ["delay"] });
  });

  it("is one look at the wall clock: a step in mid-flight does not become an offset", async () => {
    let steppedSeconds = 0;
    const stepping = {
      read: () => {
        const { wallSeconds, monotonicSeconds } = driver.read();
        return { wallSeconds: wallSeconds + steppedSeconds, monotonicSeconds };
      },
    };
    const server = await serve(({ send, reply }) => {
      steppedSeconds = 100;
      return send(reply());
    });
    const sample = sampleIn(
      await createExchange({ ...common, driver: stepping, timers: realTimers })(server),
    );
    // The clock is 100 s ahead at the arrival, so 100 s are to be taken off.
    assertOffset(sample, -100);
  });
});
