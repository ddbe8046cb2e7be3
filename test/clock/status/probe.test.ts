import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { until } from "../../../lab/basics/until.ts";
import type { Asked } from "../../../lab/host/hostile-time-server.ts";
import { type HeldTimers, heldTimers, patientTimers } from "../../../lab/host/timers.ts";
import { createTimeNetwork, ordinaryServer, type ServerPlan } from "../../../lab/simulated/time-network.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createExchange, type Exchange } from "../../../src/clock/ntp/exchange.ts";
import type { NtpTarget } from "../../../src/clock/ntp/resolve-server.ts";
import type { ExchangeOutcome } from "../../../src/clock/ntp/sample.ts";
import type { Association } from "../../../src/clock/ntp/source.ts";
import { NtsAssociation } from "../../../src/clock/nts/association.ts";
import { createProbe, type Probe, type ProbeOptions } from "../../../src/clock/status/probe.ts";
import type { TimeProbe } from "../../../src/contract/types.ts";
import { isLocalAddress } from "../../../src/host/linux/network/server-addresses.ts";
import type { KeyExchangeOutcome, KeyRequest } from "../../../src/host/nts-ports.ts";
import { common, countedDatagrams, endServersAfterEach, exchange, serve } from "../exchanging.ts";
import { sampleWith } from "../samples.ts";

const right = ({ send, reply }: Asked): Promise<void> => send(reply());

/** NTP's timestamps have 32 bits for the fraction of a second. */
const later = (seconds: number) => (asked: Asked) => {
  const now = asked.reply().readBigUInt64BE(40) + (BigInt(seconds) << 32n);
  return asked.send(asked.reply({ receive: now, transmit: now }));
};

const literal = async (host: string): Promise<readonly string[]> => [host];

/** Any time is possible, and one server is enough. */
const judgement = {
  wall: () => 0,
  floor: { atSeconds: () => Number.NEGATIVE_INFINITY, ceilingSeconds: () => Number.POSITIVE_INFINITY },
  settings: () => ({ min_agreeing: 1, authenticated_only: false }),
};

interface Probing {
  probe: (hosts: readonly string[], hostOffsetSeconds: number, nts?: boolean) => ReturnType<Probe>;
  pass: (seconds: number) => void;
}

function probeWith(options: Partial<ProbeOptions> = {}): Probing {
  let passed = 0;
  const monotonic = () => passed;
  const [resolve, timers, openAssociation] = [
    literal,
    patientTimers,
    keysThat(({ host }) => ({ host, port: 123 })),
  ];
  const given = { exchange, openAssociation, resolve, timers, monotonic, isLocalAddress, isSet: () => true };
  const probe = createProbe({ ...judgement, ...given, ...options });
  return {
    probe: (hosts, offset, nts = false) =>
      probe(
        hosts.map((host) => ({ host, nts })),
        offset,
      ),
    pass: (seconds) => (passed += seconds),
  };
}

type Target = Awaited<ReturnType<Association["target"]>>;

/** Key exchanges that end so. */
const keysThat =
  (end: (server: NtpTarget) => Target): ProbeOptions["openAssociation"] =>
  async (server) => ({
    target: async () => end(server),
    isProvisional: () => false,
    confirm: async () => null,
    seal: (packet) => ({ packet, open: (reply) => reply }),
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

  describe("are judged as the agent will judge them:", () => {
    const [start, day] = [1_800_000_000, 86_400];
    const floor = { atSeconds: () => start - 100 * day, ceilingSeconds: () => start + 100 * day };
    const allowed = {
      nts: { validFromSeconds: 0, validToSeconds: 2 * start, failure: null },
    };
    const rules = { min_agreeing: null, authenticated_only: false };
    const weeks = { offsetSeconds: -1_024 * 7 * day };
    const windows = { rootDispersionSeconds: 10.2 };
    const gone = { manner: "silent" } as const;
    const past = [true, "below_floor"];
    const cases: readonly {
      name: string;
      plans: readonly Partial<ServerPlan>[];
      agreeing: number;
      servers: readonly (readonly [boolean, string | null])[];
      settings?: Partial<typeof rules> | { readonly min_agreeing: number };
      isSealed?: readonly boolean[];
    }[] = [
      {
        name: "right ones",
        plans: [{}, {}],
        agreeing: 2,
        servers: [
          [true, null],
          [true, null],
        ],
      },
      {
        name: "1,024 weeks back, as receivers of GPS are",
        ...{ plans: [weeks, weeks], agreeing: 0 },
        servers: [past, past] as [boolean, string][],
      },
      { name: "a single one so", plans: [weeks], agreeing: 0, servers: [[true, "below_floor"]] },
      {
        name: "one so beside a majority",
        ...{ plans: [{}, {}, weeks], agreeing: 2 },
        servers: [
          [true, null],
          [true, null],
          [true, "majority_differs"],
        ],
      },
      {
        name: "beyond the ceiling",
        ...{ plans: [{ offsetSeconds: 101 * day }], agreeing: 0 },
        servers: [[true, "beyond_ceiling"]],
      },
      {
        name: "one that answers where two have to agree",
        ...{ plans: [{}, gone, gone], agreeing: 0 },
        servers: [
          [true, "too_few_agree"],
          [false, "timeout"],
          [false, "timeout"],
        ],
      },
      {
        name: "the same where the settings let one be enough",
        ...{ plans: [{}, gone, gone], agreeing: 1, settings: { min_agreeing: 1 } },
        servers: [
          [true, null],
          [false, "timeout"],
          [false, "timeout"],
        ],
      },
      {
        name: "plain ones, where only authenticated servers count",
        ...{ plans: [{}, {}, {}], agreeing: 0, settings: { authenticated_only: true } },
        servers: Array(3).fill([false, "not_authenticated"]),
      },
      {
        name: "those with NTS beside a plain one then",
        ...{ plans: [{}, allowed, allowed], agreeing: 2, settings: { authenticated_only: true } },
        ...{
          servers: [
            [false, "not_authenticated"],
            [true, null],
            [true, null],
          ],
          isSealed: [false, true, true],
        },
      },
      {
        name: "a domain controller",
        ...{ plans: [windows], agreeing: 0 },
        servers: [[false, "too_uncertain"]],
      },
      { name: "a late one", plans: [{ delaySeconds: 1.2 }], agreeing: 1, servers: [[true, null]] },
    ];
    for (const { name, plans, agreeing, servers, settings = {}, isSealed = [] } of cases)
      it(name, async () => {
        const time = createVirtualTime();
        const wall = () => start + time.now();
        const driver = { read: () => ({ wallSeconds: wall(), monotonicSeconds: time.now() }) };
        const network = createTimeNetwork({
          ...{ time, chance: createChance(1), trueSeconds: wall, leap: () => "none" },
          servers: plans.map((plan, index) => ({
            ...ordinaryServer,
            address: `192.0.2.${index + 1}`,
            ...plan,
          })),
        });
        const { openAssociation, resolve, servers: all } = network;
        const probe = createProbe({
          ...{
            exchange: network.exchange(driver),
            openAssociation,
            resolve,
            isLocalAddress,
            isSet: () => true,
          },
          ...{ timers: time.hostTimers, monotonic: time.now, wall, floor },
          settings: () => ({ ...rules, ...settings }),
        });
        const asked = probe(
          all.map(({ address: host }, index) => ({ host, nts: isSealed[index] ?? false })),
          0,
        );
        await time.runUntil(20);
        const found = short(await asked);
        assert.deepEqual([found.agreeing, found.servers], [agreeing, servers]);
      });
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

  it("are asked at each address of their names until one gives the time, as the agent would ask them", async () => {
    const addresses = [1, 2, 3, 4].map((last) => `192.0.2.${last}`);
    const rows: readonly [string, readonly string[], readonly unknown[]][] = [
      ["silent silent right", ["1", "2", "3"], [true, "192.0.2.3", null]],
      ["DENY right", ["1", "2"], [true, "192.0.2.2", null]],
      ["silent DENY", ["1", "2"], [false, "192.0.2.2", "kiss_denied"]],
      ["unsynchronised unsynchronised", ["1", "2"], [false, "192.0.2.2", "server_unsynchronised"]],
      ["silent silent silent silent", ["1", "2", "3", "4"], [false, "192.0.2.4", "timeout"]],
    ];
    for (const [manners, askedAt, answer] of rows) {
      const all = manners.split(" ");
      const asked: string[] = [];
      const timers = heldTimers();
      const { probe } = probeWith({
        timers,
        resolve: async () => addresses.slice(0, all.length),
        exchange: async ({ address }) => {
          const last = address.at(-1) ?? "";
          asked.push(last);
          const manner = all[Number(last) - 1] ?? "";
          if (manner === "right") return { kind: "sample", sample: sampleWith({}), ignored: [] };
          if (manner === "DENY") return { kind: "kiss", code: "DENY", ignored: [] };
          return { kind: "silent", reason: manner === "silent" ? "timeout" : manner, ignored: [] };
        },
      });
      const { servers } = await endOf(probe(["time.example"], 0), timers);
      const found = servers.map(({ answers, address, reason }) => [answers, address, reason?.code ?? null]);
      assert.deepEqual([asked, found], [askedAt, [answer]], manners);
    }
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
    const own = { ...judgement, isLocalAddress, isSet: () => true, timers: time.hostTimers };
    const options = { ...own, exchange: network.exchange(driver), openAssociation, resolve };
    const asked = async (isAsked: boolean) => {
      const servers = network.servers.map(({ address }) => ({ host: address, nts: isAsked }));
      const found = createProbe({ ...options, monotonic: time.now })(servers, 0);
      await time.runUntil(time.now() + 20);
      return (await found).servers.map((server) => [server.answers, server.nts, server.reason?.code ?? null]);
    };
    assert.deepEqual(await asked(false), [
      [true, "offered", null],
      [true, "not_offered", null],
      [true, "not_offered", null],
    ]);
    assert.deepEqual(await asked(true), [
      [true, "offered", null],
      [false, "not_offered", "nts_no_answer"],
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
    assert.deepEqual(short(await found).servers, [[false, "name_not_answered"]]);
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

/** The answer of a probe whose timers run out as soon as nothing else happens. */
async function endOf(asked: Promise<TimeProbe>, { runOut }: HeldTimers): Promise<TimeProbe> {
  let found: TimeProbe | undefined;
  void asked.then((answer) => {
    found = answer;
  });
  for (let turn = 0; found === undefined && turn < 1_000; turn += 1) {
    await new Promise(setImmediate);
    runOut();
  }
  return found ?? assert.fail("it has no end");
}

/** The answer of a probe that was not there before its time was over; without the address that was asked. */
async function lateAnswer(
  asked: Promise<TimeProbe>,
  { runOut }: HeldTimers,
  heard: Promise<unknown>,
): Promise<object[]> {
  let isThere = false;
  const found = asked.finally(() => {
    isThere = true;
  });
  await heard;
  await new Promise(setImmediate);
  assert.equal(isThere, false, "it is there before its time is over");
  runOut();
  return (await found).servers.map(({ host: _, address: __, ...answer }) => answer);
}

describe("ports that no time server has (scanning with a token for the clock)", () => {
  endServersAfterEach();

  it("have one answer at one time: closed ones, silent ones and those of other programs", async () => {
    const silent = await serve(() => undefined);
    const chatty = await serve(({ send }) => send(Buffer.from("SSH-2.0-OpenSSH_9.2p1")));
    const stranger = await serve(({ send, reply }) => send(reply({ origin: Buffer.alloc(8) })));
    const ports = [await heldUdpPort(), silent.port, chatty.port, stranger.port];
    const answers: object[] = [];
    for (const port of ports) {
      const timers = heldTimers();
      let heard = 0;
      const datagrams: typeof countedDatagrams = {
        connect: (address, { onPacket, onFailure }) =>
          countedDatagrams.connect(address, {
            onPacket: (...packet) => {
              onPacket(...packet);
              heard += 1;
            },
            onFailure: (code) => {
              onFailure(code);
              heard += 1;
            },
          }),
      };
      const { probe } = probeWith({ timers, exchange: createExchange({ ...common, datagrams, timers }) });
      const answer = probe([`127.0.0.1:${port}`], 0);
      const isHeard = () => (port === silent.port ? silent.requests.length : heard) > 0;
      answers.push(...(await lateAnswer(answer, timers, until("the port was asked", isHeard))));
    }
    for (const answer of answers) assert.deepEqual(answer, answers[1]);
  });

  it("have one answer at one time to key exchanges, which use TCP, wished or not", async () => {
    const failures = [
      "nts_unreachable ECONNREFUSED",
      "nts_not_offered",
      "nts_not_offered EPROTO",
      "nts_no_answer",
    ];
    const answers = { asked: [] as object[], plain: [] as object[] };
    const right = exchangeThat({ kind: "sample", sample: sampleWith({}), ignored: [] });
    for (const failure of failures) {
      for (const kind of ["asked", "plain"] as const) {
        const timers = heldTimers();
        const { probe } = probeWith({
          timers,
          exchange: right,
          openAssociation: keysThat(() => ({ failure })),
        });
        const asked = probe(["192.0.2.1:22"], 0, kind === "asked");
        answers[kind].push(...(await lateAnswer(asked, timers, Promise.resolve())));
      }
    }
    for (const [first, ...others] of Object.values(answers))
      for (const answer of others) assert.deepEqual(answer, first);
  });

  it("are told by no time at which the next address of a name is asked (a name whose second address is the scanner's)", async () => {
    for (const reason of ["ECONNREFUSED", "timeout", "EHOSTUNREACH", "short"]) {
      const asked: string[] = [];
      const timers = heldTimers();
      const { probe } = probeWith({
        timers,
        resolve: async () => ["192.0.2.1", "192.0.2.2"],
        exchange: async ({ address }) => {
          asked.push(address);
          return { kind: "silent", reason, ignored: [] };
        },
      });
      const answer = probe(["scan.example:22"], 0);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      assert.deepEqual(asked, ["192.0.2.1"], reason);
      await endOf(answer, timers);
      assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2"], reason);
    }
  });

  it("are told apart from time servers that refuse, and from certificates that are not trusted", async () => {
    const refusing = probeWith({ exchange: exchangeThat({ kind: "kiss", code: "DENY", ignored: [] }) });
    assert.deepEqual(short(await refusing.probe(["192.0.2.1"], 0)).servers, [[false, "kiss_denied"]]);
    const unknown = keysThat(() => ({ failure: "nts_unknown_authority self-signed certificate" }));
    const { probe } = probeWith({ openAssociation: unknown });
    assert.deepEqual(short(await probe(["192.0.2.1"], 0, true)).servers, [[false, "nts_unknown_authority"]]);
  });
});

describe("a probe", () => {
  const local = [
    "127.0.0.1",
    "[::1]:53",
    "169.254.169.254:80",
    "10.9.8.7",
    "[fe80::1%eth0]",
    "a-name.example",
  ];

  /** The addresses that were asked, and the answers. */
  async function probed(hosts: readonly string[], { nts, isSet }: { nts: boolean; isSet: boolean }) {
    const asked: string[] = [];
    const [resolution, monotonic, random] = [
      {
        resolve: async (host: string) => [host === "a-name.example" ? "::ffff:127.0.0.1" : host],
        isLocalAddress: (address: string) => isLocalAddress(address, new Set(["10.9.8.7"])),
      },
      () => 0,
      (bytes: number) => Buffer.alloc(bytes),
    ];
    const timers = heldTimers();
    const { probe } = probeWith({
      ...resolution,
      timers,
      isSet: () => isSet,
      exchange: async ({ address }) => {
        asked.push(address);
        return { kind: "silent", reason: "timeout", ignored: [] };
      },
      openAssociation: async (server) => {
        const exchangeKeys = async ({ address }: KeyRequest): Promise<KeyExchangeOutcome> => {
          asked.push(address.address);
          return { kind: "failed", failure: "nts_no_answer" };
        };
        return new NtsAssociation(server, { ...resolution, exchangeKeys, monotonic, random });
      },
    });
    const found = await endOf(probe(hosts, 0, nts), timers);
    return { asked, codes: found.servers.map(({ reason }) => reason?.code) };
  }

  for (const nts of [false, true]) {
    const how = nts ? "with NTS" : "in plain";
    it(`asks no address of this device, its link or a cloud's metadata service ${how} (SSRF)`, async () => {
      const { asked, codes } = await probed(local, { nts, isSet: false });
      assert.deepEqual(asked, []);
      assert.deepEqual(codes, Array(local.length).fill("local_address"));
    });
    it(`asks one of these ${how} that is set`, async () => {
      const { asked, codes } = await probed(["127.0.0.1"], { nts, isSet: true });
      assert.deepEqual([...new Set(asked)], ["127.0.0.1"]);
      assert.deepEqual(codes, [nts ? "nts_no_answer" : "timeout"]);
    });
    it(`asks others ${how}, private ones among them`, async () => {
      const { asked } = await probed(["192.168.1.1", "192.0.2.9"], { nts, isSet: false });
      assert.deepEqual([...new Set(asked)], ["192.168.1.1", "192.0.2.9"]);
    });
  }
});

function exchangeThat(outcome: ExchangeOutcome): Exchange {
  return async () => outcome;
}
