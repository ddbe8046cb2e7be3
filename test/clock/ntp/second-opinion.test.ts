import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { startChronyd } from "../../../lab/host/chronyd.ts";
import { type Asked, ntpTimestamp } from "../../../lab/host/hostile-time-server.ts";
import { askSecondOpinion, disagrees, type SecondOpinion } from "../../../src/clock/ntp/second-opinion.ts";
import { driver, endServersAfterEach, pivotSeconds, serve } from "../exchanging.ts";

const ask = askSecondOpinion(driver, pivotSeconds, 0.5);

endServersAfterEach();

function opinionIn(answer: SecondOpinion): Extract<SecondOpinion, { kind: "opinion" }> {
  return answer.kind === "opinion" ? answer : assert.fail(`no opinion: ${JSON.stringify(answer)}`);
}

describe("the second opinion", () => {
  for (const seconds of [3, -1, 86_400])
    it(`on a server that is ${seconds} s ahead is that, within half of the round trip`, async () => {
      const server = await serve(({ send, reply }) =>
        send(reply({ transmit: ntpTimestamp(driver.read().wallSeconds + seconds) })),
      );
      const { offsetSeconds, roundTripSeconds } = opinionIn(await ask(server));
      assert.ok(roundTripSeconds > 0, `a round trip of ${roundTripSeconds} s`);
      const isRight = Math.abs(offsetSeconds - seconds) <= roundTripSeconds / 2 + 0.0011;
      assert.ok(isRight, `${offsetSeconds} s, round trip ${roundTripSeconds} s`);
    });

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

  it("on Debian's chronyd that is 3 s ahead is 3 s, within half of the round trip", async (test) => {
    const server = await startChronyd({ fakeTime: "+3s" });
    test.after(() => server.stop());
    const answer = await ask({ address: "127.0.0.1", port: server.port });
    const { offsetSeconds, roundTripSeconds } = opinionIn(answer);
    assert.ok(Math.abs(offsetSeconds - 3) <= roundTripSeconds / 2 + 0.005, `${offsetSeconds} s`);
  });

  it("on a server in era 1 is a time of 2036, not of 1900", async () => {
    // RFC 5905 §6, figure 4: 2036-02-08 is 63,104 in era 1.
    const server = await serve(({ send, reply }) => send(reply({ transmit: 63_104n << 32n })));
    const { offsetSeconds } = opinionIn(await ask(server));
    const expected = Date.parse("2036-02-08T00:00:00Z") / 1_000 - driver.read().wallSeconds;
    assert.ok(Math.abs(offsetSeconds - expected) < 1, `${offsetSeconds} s instead of ${expected} s`);
  });
});

describe("no second opinion", () => {
  for (const [name, answer, reason] of [
    ["an empty packet", ({ send }) => send(Buffer.alloc(0)), "no_time"],
    ["47 bytes", ({ send, reply }) => send(reply().subarray(0, 47)), "no_time"],
    ["a kiss without times", ({ send, reply }) => send(reply({ stratum: 0, transmit: 0n })), "no_time"],
    ["early", ({ send, reply }) => send(reply({ transmit: ntpTimestamp(pivotSeconds - 1) })), "before_build"],
    ["silence", () => undefined, "timeout"],
  ] as [string, (asked: Asked) => Promise<void> | undefined, string][])
    it(`comes of ${name}: ${reason}, in bounded time`, async () => {
      const begun = driver.read().monotonicSeconds;
      assert.deepEqual(await ask(await serve(answer)), { kind: "none", reason });
      assert.ok(driver.read().monotonicSeconds - begun < 3);
    });

  for (const [address, ports, reason] of [
    // Its socket is not connected and hears of nothing.
    ["127.0.0.1", [null], "timeout"],
    ["255.255.255.255", [123], "EACCES"],
    // A name is never looked up.
    ...["localhost", "", "pool.example"].map((name) => [name, [123], "not_ipv4"] as const),
    ["127.0.0.1", [0, -1, 65_536, 1.5, Number.NaN], "bad_port"],
  ] as const)
    it(`comes from ${JSON.stringify(address)}, port ${ports.join(", ") || "closed"}: ${reason}`, async () => {
      for (const port of ports)
        assert.deepEqual(await ask({ address, port: port ?? (await heldUdpPort()) }), {
          kind: "none",
          reason,
        });
    });

  it("comes over IPv6, which the package does not speak", reaching("::1"), async () => {
    const server = await serve(({ send, reply }) => send(reply()), "::1");
    assert.deepEqual(await ask(server), { kind: "none", reason: "not_ipv4" });
    assert.equal(server.requests.length, 0);
  });
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
    for (const answer of await Promise.all([ask(server), ask(server), ask(server)])) opinionIn(answer);
    assert.equal(most, 1);
  });

  for (const broken of [1, 2])
    it(`leave the failure of look ${broken} at the clock with the one who asked`, async () => {
      const server = await serve(({ send, reply }) => send(reply()));
      let looks = 0;
      const read = () => {
        looks += 1;
        if (looks === broken) throw Object.assign(new Error("no clock"), { code: "EPERM" });
        return driver.read();
      };
      const questions = askSecondOpinion({ read }, pivotSeconds);
      assert.deepEqual(await questions(server), { kind: "none", reason: "EPERM" });
      opinionIn(await questions(server));
    });
});

it("two opinions disagree where they differ by more than two seconds and the round trip", () => {
  for (const [ours, theirs, roundTripSeconds, expected] of [
    [0, 2, 0, false],
    [0, 2.001, 0, true],
    [0, -2.001, 0, true],
    [5, 3.1, 0, false],
    [5, 2.9, 0, true],
    [0, 2.4, 0.5, false],
    [0, 2.6, 0.5, true],
    [-1e8, -1e8 + 1, 0.01, false],
  ] as const)
    assert.equal(disagrees(ours, { kind: "opinion", offsetSeconds: theirs, roundTripSeconds }), expected);
});
