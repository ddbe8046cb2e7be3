import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createProbe, type Probe, type ProbeOptions } from "../../../src/clock/status/probe.ts";
import type { TimeProbe } from "../../../src/contract/types.ts";
import { endServersAfterEach, exchange, serve } from "../exchanging.ts";
import { type Asked, startHostileServer } from "../hostile-server.ts";
import { heldTimers, patientTimers } from "../timers.ts";

const right = ({ send, reply }: Asked): Promise<void> => send(reply());

/** NTP's timestamps have 32 bits for the fraction of a second. */
const later = (seconds: number) => (asked: Asked) => {
  const now = asked.reply().readBigUInt64BE(40) + (BigInt(seconds) << 32n);
  return asked.send(asked.reply({ receive: now, transmit: now }));
};

const literal = async (host: string): Promise<readonly string[]> => [host];

function probeWith(options: Partial<ProbeOptions> = {}): { probe: Probe; pass: (seconds: number) => void } {
  let passed = 0;
  const monotonic = () => passed;
  const probe = createProbe({ exchange, resolve: literal, timers: patientTimers, monotonic, ...options });
  return { probe, pass: (seconds) => (passed += seconds) };
}

const short = ({ servers, ...sums }: TimeProbe) => ({
  ...sums,
  servers: servers.map(({ answers, reason }) => [answers, reason?.code ?? null]),
});

describe("servers that are asked before they are set", () => {
  endServersAfterEach();

  it("are told one by one, and how many agree", async () => {
    const good = await Promise.all([right, right, right].map((answer) => serve(answer)));
    const wrong = await serve(later(3));
    const refused = await startHostileServer(right);
    const dead = `127.0.0.1:${refused.port}`;
    await refused.close();
    const names = [...good, wrong].map(({ port }) => `127.0.0.1:${port}`);
    const found = await probeWith().probe([...names, dead], 0);
    assert.deepEqual(short(found), {
      answering: 4,
      agreeing: 3,
      servers: [
        [true, null],
        [true, null],
        [true, null],
        [true, "majority_differs"],
        [false, "connection_refused"],
      ],
    });
    const [first, , , false3] = found.servers;
    assert.equal(first?.host, names[0]);
    assert.ok(Math.abs(first?.offset_seconds ?? 9) < 1, JSON.stringify(first));
    assert.ok(Math.abs((false3?.offset_seconds ?? 0) - 3) < 1, JSON.stringify(false3));
    assert.deepEqual(
      [good, [wrong]].flat().map(({ requests }) => requests.length),
      [1, 1, 1, 1],
      "each is asked once",
    );
  });

  it("agree on nothing where two say two times", async () => {
    const [one, other] = [await serve(right), await serve(later(3))];
    const found = await probeWith().probe(
      [one, other].map(({ port }) => `127.0.0.1:${port}`),
      0,
    );
    assert.deepEqual(short(found), {
      ...{ answering: 2, agreeing: 0 },
      servers: [
        [true, "no_majority"],
        [true, "no_majority"],
      ],
    });
  });

  it("count once where two names lead to one server", async () => {
    const { port } = await serve(right);
    const resolve = async (host: string) => (host === "none" ? [] : ["127.0.0.1"]);
    const found = await probeWith({ resolve }).probe([`a:${port}`, `b:${port}`, `none:${port}`], 0);
    assert.deepEqual(short(found), {
      ...{ answering: 1, agreeing: 1 },
      servers: [
        [true, null],
        [false, "same_server"],
        [false, "no_address"],
      ],
    });
  });

  it("are measured against the host's own clock", async () => {
    const { port } = await serve(right);
    const [server] = (await probeWith().probe([`127.0.0.1:${port}`], 100)).servers;
    assert.ok(Math.abs((server?.offset_seconds ?? 0) - 100) < 1);
  });

  it("keep no caller waiting for a resolver that says nothing", async () => {
    const timers = heldTimers();
    const { probe } = probeWith({ timers, resolve: () => new Promise(() => undefined) });
    const found = probe(["ntp.example"], 0);
    timers.runOut();
    assert.deepEqual(short(await found).servers, [[false, "name_not_found"]]);
  });

  it("are asked by one caller at a time, and not right again", async () => {
    const { port } = await serve(right);
    const { probe, pass } = probeWith();
    const ask = () => probe([`127.0.0.1:${port}`], 0);
    const refusal = { code: "rate_limited" };
    const first = ask();
    await assert.rejects(ask(), refusal);
    await first;
    await assert.rejects(ask(), refusal);
    pass(2);
    assert.equal((await ask()).answering, 1);
  });
});
