import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { hasIpv6 } from "../../../lab/basics/ipv6.ts";
import type { Asked } from "../../../lab/host/hostile-time-server.ts";
import { heldTimers, realTimers } from "../../../lab/host/timers.ts";
import { createExchange } from "../../../src/clock/ntp/exchange.ts";
import type { DatagramAddress, Datagrams } from "../../../src/host/ports.ts";
import {
  assertOffset,
  common,
  countedDatagrams,
  driver,
  endServersAfterEach,
  openSockets,
  sampleIn,
  serve,
} from "../exchanging.ts";

endServersAfterEach();

/** By the deadline that it has on a device. */
const exchange = createExchange({ ...common, timers: realTimers });

describe("an exchange without a good reply", () => {
  it("from a closed port ends at once with the system's code", async () => {
    for (const address of hasIpv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]) {
      const outcome = await exchange({ address, port: await heldUdpPort() });
      assert.deepEqual(outcome, { kind: "silent", reason: "ECONNREFUSED", ignored: [] });
    }
  });

  const bad: [string, (asked: Asked) => Promise<void>, string][] = [
    ["of an unsynchronised server", ({ send, reply }) => send(reply({ leap: 3 })), "unsynchronised"],
    ["of garbage", ({ send }) => send(Buffer.alloc(20, 0x5a)), "short"],
  ];
  for (const [name, answer, reason] of bad) {
    it(`but one ${name} is silent: ${reason}`, async () => {
      const outcome = await exchange(await serve(answer));
      assert.deepEqual(outcome, { kind: "silent", reason, ignored: [reason] });
    });
  }

  const silent: [string, (asked: Asked) => Promise<void>][] = [
    ["from a black hole", async () => undefined],
    ["but one that is spoofed from elsewhere", ({ sendFromElsewhere, reply }) => sendFromElsewhere(reply())],
  ];
  for (const [name, answer] of silent)
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

  const nowhere: [string, DatagramAddress][] = [
    ["a name", { address: "localhost", port: 123 }],
    ["an empty address", { address: "", port: 123 }],
    ["port 0", { address: "127.0.0.1", port: 0 }],
    ["port 65536", { address: "127.0.0.1", port: 65_536 }],
    ["port NaN", { address: "127.0.0.1", port: Number.NaN }],
    ["the broadcast address", { address: "255.255.255.255", port: 123 }],
    ["a link that is not there", { address: "fe80::1%nosuchlink", port: 123 }],
  ];
  for (const [name, address] of nowhere) {
    it(`for ${name} is silent and says why`, async () => {
      const outcome = await exchange(address);
      assert.ok(outcome.kind === "silent", outcome.kind);
      assert.match(outcome.reason, /^(failed|E[A-Z]+|ERR_SOCKET_BAD_PORT)$/);
    });
  }
});

describe("time in an exchange", () => {
  it("is bounded: a reply after the deadline is dropped, and the next exchange is a new one", async () => {
    const timers = heldTimers();
    const patient = createExchange({ ...common, timers });
    let late: (() => Promise<void>) | undefined;
    const server = await serve(async ({ index, send, reply }) => {
      if (index > 0) return send(reply({ stratum: 3 }));
      const packet = reply({ stratum: 9 });
      late = () => send(packet);
      timers.runOut();
    });
    assert.deepEqual(await patient(server), { kind: "silent", reason: "timeout", ignored: [] });
    assert.ok(late, "the server was not asked");
    await late();
    const outcome = await patient(server);
    assert.equal(sampleIn(outcome).stratum, 3);
    assert.deepEqual(outcome.ignored, []);
    assert.equal(timers.pending, 0);
  });

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

  it("fails where the clock cannot be read", async () => {
    const server = await serve(({ send, reply }) => send(reply()));
    const broken = {
      read: () => {
        throw Object.assign(new Error("no clock"), { code: "EPERM" });
      },
    };
    const outcome = await createExchange({ ...common, driver: broken, timers: realTimers })(server);
    assert.deepEqual(outcome, { kind: "silent", reason: "EPERM", ignored: [] });
  });
});
