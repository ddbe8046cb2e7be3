import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, describe, it } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { type Chronyd, startChronyd } from "../../../lab/host/chronyd.ts";
import { hostClock } from "../../../lab/host/host-clock.ts";
import {
  type Asked,
  type HostileServer,
  ntpTimestamp,
  startHostileServer,
} from "../../../lab/host/hostile-time-server.ts";
import { askSecondOpinion, disagrees, type SecondOpinion } from "../../../src/clock/ntp/second-opinion.ts";

const driver = hostClock;

/** 2026-11-01. */
const pivotSeconds = 1_793_491_200;

const ask = askSecondOpinion({ driver, pivotSeconds, replySeconds: 0.5 });

let running: { close: () => Promise<void> }[] = [];

async function serve(
  answer: (asked: Asked) => Promise<void> | void,
  address?: string,
): Promise<HostileServer> {
  const server = await startHostileServer(answer, address);
  running.push(server);
  return server;
}

afterEach(async () => {
  const servers = running;
  running = [];
  await Promise.all(servers.map((server) => server.close()));
});

function opinionIn(answer: SecondOpinion): Extract<SecondOpinion, { kind: "opinion" }> {
  assert.ok(answer.kind === "opinion", `no opinion: ${JSON.stringify(answer)}`);
  return answer;
}

describe("the second opinion", () => {
  for (const seconds of [0, 3, -1, 86_400]) {
    it(`of a server that is ${seconds} s ahead is that, within half of the round trip`, async () => {
      const server = await serve(({ send, reply }) =>
        send(reply({ transmit: ntpTimestamp(driver.read().wallSeconds + seconds) })),
      );
      const { offsetSeconds, roundTripSeconds } = opinionIn(await ask(server));
      assert.ok(roundTripSeconds > 0, `a round trip of ${roundTripSeconds} s`);
      const error = Math.abs(offsetSeconds - seconds);
      assert.ok(
        error <= roundTripSeconds / 2 + 0.0011,
        `${offsetSeconds} s, round trip ${roundTripSeconds} s`,
      );
    });
  }

  it("takes the server's time to be half a round trip old", async () => {
    const server = await serve(async ({ send, reply }) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const packet = reply({ transmit: ntpTimestamp(driver.read().wallSeconds) });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await send(packet);
    });
    const { offsetSeconds, roundTripSeconds } = opinionIn(await ask(server));
    assert.ok(roundTripSeconds >= 0.19, `a round trip of ${roundTripSeconds} s`);
    // Timers come late, each by its own; without the half it would be a tenth of a second at least.
    const late = roundTripSeconds - 0.2;
    assert.ok(Math.abs(offsetSeconds) < 0.04 + Math.max(0, late) / 2, `an offset of ${offsetSeconds} s`);
  });

  it("of Debian's chronyd that is 3 s ahead is 3 s, within half of the round trip", async () => {
    const server: Chronyd = await startChronyd({ fakeTime: "+3s" });
    try {
      const { offsetSeconds, roundTripSeconds } = opinionIn(
        await ask({ address: "127.0.0.1", port: server.port }),
      );
      assert.ok(Math.abs(offsetSeconds - 3) <= roundTripSeconds / 2 + 0.005, `${offsetSeconds} s`);
    } finally {
      await server.stop();
    }
  });

  it("of a server in era 1 is a time of 2036, not of 1900", async () => {
    // RFC 5905 §6, figure 4: 2036-02-08 is 63,104 in era 1.
    const server = await serve(({ send, reply }) => send(reply({ transmit: 63_104n << 32n })));
    const { offsetSeconds } = opinionIn(await ask(server));
    const expected = Date.parse("2036-02-08T00:00:00Z") / 1_000 - driver.read().wallSeconds;
    assert.ok(Math.abs(offsetSeconds - expected) < 1, `${offsetSeconds} s instead of ${expected} s`);
  });
});

describe("no second opinion", () => {
  const answers: [string, (asked: Asked) => Promise<void>, string][] = [
    ["comes of an empty packet", ({ send }) => send(Buffer.alloc(0)), "no_time"],
    ["comes of 47 bytes", ({ send, reply }) => send(reply().subarray(0, 47)), "no_time"],
    [
      "comes of a kiss-o'-death without times",
      ({ send, reply }) => send(reply({ leap: 3, stratum: 0, refid: "RATE", transmit: 0n })),
      "no_time",
    ],
    [
      "comes of a server without a battery, in 1970",
      ({ send, reply }) => send(reply({ transmit: ntpTimestamp(60) })),
      "before_build",
    ],
    [
      "comes of a time a second before the build",
      ({ send, reply }) => send(reply({ transmit: ntpTimestamp(pivotSeconds - 1) })),
      "before_build",
    ],
    ["comes of zeros", ({ send }) => send(Buffer.alloc(48)), "no_time"],
  ];
  for (const [name, answer, reason] of answers) {
    it(`${name}: ${reason}`, async () => {
      assert.deepEqual(await ask(await serve(answer)), { kind: "none", reason });
    });
  }

  it("comes of silence, in bounded time", async () => {
    const server = await serve(() => undefined);
    const begun = driver.read().monotonicSeconds;
    assert.deepEqual(await ask(server), { kind: "none", reason: "timeout" });
    const seconds = driver.read().monotonicSeconds - begun;
    assert.ok(seconds >= 0.49 && seconds < 3, `after ${seconds} s`);
  });

  it("comes from a closed port: its socket is not connected and hears of nothing", async () => {
    assert.deepEqual(await ask({ address: "127.0.0.1", port: await heldUdpPort() }), {
      kind: "none",
      reason: "timeout",
    });
  });

  it("comes from where there is no way to", async () => {
    assert.deepEqual(await ask({ address: "255.255.255.255", port: 123 }), {
      kind: "none",
      reason: "EACCES",
    });
  });

  it("is asked for over IPv6, which the package does not speak", reaching("::1"), async () => {
    const server = await serve(({ send, reply }) => send(reply()), "::1");
    assert.deepEqual(await ask(server), { kind: "none", reason: "not_ipv4" });
    assert.equal(server.requests.length, 0);
  });

  for (const address of ["localhost", "", "pool.example"]) {
    it(`is asked for of ${JSON.stringify(address)}, so that it never looks a name up`, async () => {
      assert.deepEqual(await ask({ address, port: 123 }), { kind: "none", reason: "not_ipv4" });
    });
  }

  for (const port of [0, -1, 65_536, 1.5, Number.NaN]) {
    it(`is asked for at port ${port}`, async () => {
      assert.deepEqual(await ask({ address: "127.0.0.1", port }), { kind: "none", reason: "bad_port" });
    });
  }
});

describe("questions for a second opinion", () => {
  it("are put one after the other", async () => {
    let open = 0;
    let most = 0;
    const server = await serve(async ({ send, reply }) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 30));
      open -= 1;
      await send(reply());
    });
    const answers = await Promise.all([ask(server), ask(server), ask(server)]);
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ["opinion", "opinion", "opinion"],
    );
    assert.equal(most, 1);
  });

  it("come to an end each, whatever random bytes answer them", async () => {
    const server = await serve(({ index, send }) => send(randomBytes(index * 8)));
    for (let turn = 0; turn < 12; turn += 1) {
      const answer = await ask(server);
      if (answer.kind === "none") assert.match(answer.reason, /^(no_time|before_build)$/);
      else assert.ok(Number.isFinite(answer.offsetSeconds), `an offset of ${answer.offsetSeconds}`);
    }
    assert.equal(server.requests.length, 12);
  });

  for (const broken of [1, 2]) {
    it(`leave the failure of look ${broken} at the clock with the one who asked`, async () => {
      const server = await serve(({ send, reply }) => send(reply()));
      let looks = 0;
      const failing = {
        read: () => {
          looks += 1;
          if (looks === broken) throw Object.assign(new Error("no clock"), { code: "EPERM" });
          return driver.read();
        },
      };
      const questions = askSecondOpinion({ driver: failing, pivotSeconds });
      assert.deepEqual(await questions(server), { kind: "none", reason: "EPERM" });
      opinionIn(await questions(server));
    });
  }
});

describe("two opinions", () => {
  const cases: [number, number, number, boolean][] = [
    [0, 0, 0, false],
    [0, 2, 0, false],
    [0, 2.001, 0, true],
    [0, -2.001, 0, true],
    [5, 3.1, 0, false],
    [5, 2.9, 0, true],
    [0, 2.4, 0.5, false],
    [0, 2.6, 0.5, true],
    [-1e8, -1e8 + 1, 0.01, false],
    [0, 31_536_000, 0.01, true],
  ];
  for (const [ours, theirs, roundTripSeconds, expected] of cases) {
    it(`${ours} s and ${theirs} s, a round trip of ${roundTripSeconds} s, ${expected ? "disagree" : "agree"}`, () => {
      assert.equal(disagrees(ours, { kind: "opinion", offsetSeconds: theirs, roundTripSeconds }), expected);
    });
  }
});
