import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import type { Asked } from "../../../lab/host/hostile-time-server.ts";
import { heldTimers, patientTimers } from "../../../lab/host/timers.ts";
import { createTimeNetwork, ordinaryServer } from "../../../lab/simulated/time-network.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createProbe, type Probe, type ProbeOptions } from "../../../src/clock/status/probe.ts";
import type { TimeProbe } from "../../../src/contract/types.ts";
import { endServersAfterEach, exchange, serve } from "../exchanging.ts";

const right = ({ send, reply }: Asked): Promise<void> => send(reply());

/** NTP's timestamps have 32 bits for the fraction of a second. */
const later = (seconds: number) => (asked: Asked) => {
  const now = asked.reply().readBigUInt64BE(40) + (BigInt(seconds) << 32n);
  return asked.send(asked.reply({ receive: now, transmit: now }));
};

const literal = async (host: string): Promise<readonly string[]> => [host];

interface Probing {
  /** Asks servers that are written without NTS. */
  probe: (hosts: readonly string[], hostOffsetSeconds: number) => ReturnType<Probe>;
  pass: (seconds: number) => void;
}

function probeWith(options: Partial<ProbeOptions> = {}): Probing {
  let passed = 0;
  const monotonic = () => passed;
  const [resolve, timers, openAssociation] = [literal, patientTimers, offersNothing];
  const probe = createProbe({ exchange, openAssociation, resolve, timers, monotonic, ...options });
  return {
    probe: (hosts, offset) =>
      probe(
        hosts.map((host) => ({ host, nts: false })),
        offset,
      ),
    pass: (seconds) => (passed += seconds),
  };
}

/** No server has a key exchange. */
const offersNothing: ProbeOptions["openAssociation"] = async () => ({
  target: async () => ({ failure: "nts_unreachable ECONNREFUSED" }),
  isProvisional: () => false,
  confirm: async () => ({ failure: "nts_unreachable ECONNREFUSED" }),
  seal: () => assert.fail("no request is sealed without keys"),
  refused: () => undefined,
});

const short = ({ servers, ...sums }: TimeProbe) => ({
  ...sums,
  servers: servers.map(({ answers, reason }) => [answers, reason?.code ?? null]),
});

describe("servers that are asked before they are set", () => {
  endServersAfterEach();

  it("are told one by one, and how many agree", async () => {
    const time = createVirtualTime();
    const start = 1_800_000_000;
    const driver = { read: () => ({ wallSeconds: start + time.now(), monotonicSeconds: time.now() }) };
    const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"] as const;
    const network = createTimeNetwork({
      time,
      chance: createChance(1),
      trueSeconds: () => start + time.now(),
      leap: () => "none",
      servers: addresses.map((address, index) => ({
        ...ordinaryServer,
        address,
        offsetSeconds: index === 3 ? 3 : 0,
      })),
    });
    const { probe } = probeWith({
      exchange: network.exchange(driver),
      resolve: network.resolve,
      timers: time.hostTimers,
    });
    const asked = probe([...addresses, "192.0.2.5"], 0);
    await time.runUntil(5);
    const found = await asked;
    assert.deepEqual(short(found), {
      answering: 4,
      agreeing: 3,
      servers: [
        [true, null],
        [true, null],
        [true, null],
        [true, "majority_differs"],
        [false, "timeout"],
      ],
    });
    const [first, , , false3] = found.servers;
    assert.equal(first?.host, addresses[0]);
    assert.ok(Math.abs(first?.offset_seconds ?? 9) < 0.01, JSON.stringify(first));
    assert.ok(Math.abs((false3?.offset_seconds ?? 0) - 3) < 0.01, JSON.stringify(false3));
    assert.equal(network.sent, 5, "each is asked once");
  });

  it("are told to refuse where nothing has their port", async () => {
    const found = await probeWith().probe([`127.0.0.1:${await heldUdpPort()}`], 0);
    assert.deepEqual(short(found).servers, [[false, "connection_refused"]]);
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

  it("say whether they offer NTS, also those that are asked in plain", async () => {
    const time = createVirtualTime();
    const driver = { read: () => ({ wallSeconds: time.now(), monotonicSeconds: time.now() }) };
    const nts = { validFromSeconds: 0, validToSeconds: 1, failure: null };
    const network = createTimeNetwork({
      time,
      chance: createChance(1),
      trueSeconds: () => time.now(),
      leap: () => "none",
      servers: [nts, null, { ...nts, failure: "nts_unknown_authority" }].map((plan, index) => ({
        ...{ ...ordinaryServer, address: `192.0.2.${index + 1}`, nts: plan },
      })),
    });
    const { openAssociation, resolve } = network;
    const options = { exchange: network.exchange(driver), openAssociation, resolve, timers: time.hostTimers };
    const asked = async (isAsked: boolean) => {
      const servers = network.servers.map(({ address }) => ({ host: address, nts: isAsked }));
      const found = createProbe({ ...options, monotonic: time.now })(servers, 0);
      await time.runUntil(time.now() + 5);
      return (await found).servers.map((server) => [server.answers, server.nts, server.reason?.code ?? null]);
    };
    assert.deepEqual(await asked(false), [
      [true, "offered", null],
      [true, "not_offered", null],
      [true, "not_offered", null],
    ]);
    assert.deepEqual(await asked(true), [
      [true, "offered", null],
      [false, "not_offered", "nts_not_offered"],
      [false, null, "nts_unknown_authority"],
    ]);
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
