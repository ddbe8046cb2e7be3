import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { until } from "../../../lab/basics/until.ts";
import { type HeldTimers, heldTimers, patientTimers } from "../../../lab/host/timers.ts";
import { ordinaryServer, type ServerPlan, TimeNetwork } from "../../../lab/simulated/time-network.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createExchange, type Exchange } from "../../../src/clock/ntp/exchange.ts";
import type { NtpTarget } from "../../../src/clock/ntp/resolve-server.ts";
import type { ExchangeOutcome } from "../../../src/clock/ntp/sample.ts";
import type { Association } from "../../../src/clock/ntp/source.ts";
import { NtsAssociation } from "../../../src/clock/nts/association.ts";
import { createProbe, type ProbeOptions } from "../../../src/clock/status/probe.ts";
import type { TimeProbe } from "../../../src/contract/types.ts";
import { isLocalAddress } from "../../../src/host/linux/network/server-addresses.ts";
import type { KeyExchangeOutcome, KeyRequest } from "../../../src/host/nts-ports.ts";
import { common, countedDatagrams, endServersAfterEach, serve } from "../exchanging.ts";
import { sampleWith } from "../samples.ts";

const exchangeThat =
  (outcome: ExchangeOutcome): Exchange =>
  async () =>
    outcome;
const rightExchange = exchangeThat({ kind: "sample", sample: sampleWith({}), ignored: [] });

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

/** A probe for which any time is possible and one server is enough; each server gives the time. */
function probeWith(options: Partial<ProbeOptions> = {}) {
  let passed = 0;
  const probe = createProbe({
    ...{ exchange: rightExchange, openAssociation: keysThat(({ host }) => ({ host, port: 123 })) },
    ...{ resolve: async (host) => [host], timers: patientTimers, monotonic: () => passed },
    ...{ isLocalAddress, isSet: () => true, wall: () => 0 },
    floor: { atSeconds: () => Number.NEGATIVE_INFINITY, ceilingSeconds: () => Number.POSITIVE_INFINITY },
    settings: () => ({ min_agreeing: 1, authenticated_only: false }),
    ...options,
  });
  return {
    probe: (hosts: readonly string[], nts = false) => {
      const servers = hosts.map((host) => ({ host, nts }));
      return probe(servers, 0);
    },
    pass: (seconds: number) => (passed += seconds),
  };
}

/** The finding of each server: `right`, the code of a remark, or behind a minus the reason that it gave no time. */
const findings = ({ servers }: TimeProbe): string =>
  servers.map(({ answers, reason }) => `${answers ? "" : "-"}${reason?.code ?? "right"}`).join(" ");

describe("servers that are asked before they are set", () => {
  const [start, day] = [1_800_000_000, 86_400];

  /** Probes simulated servers: those whose key exchange the plan has with NTS, unless `nts` says otherwise. */
  async function probed(
    plans: readonly Partial<ServerPlan>[],
    settings: Partial<ReturnType<ProbeOptions["settings"]>> = {},
    { nts, lacks = 0 }: { nts?: boolean; lacks?: number } = {},
  ): Promise<TimeProbe & { sent: number }> {
    const time = createVirtualTime();
    const wall = () => start + time.now();
    const network = new TimeNetwork({
      time,
      chance: createChance(1),
      trueSeconds: wall,
      leap: () => "none",
      servers: plans.map((plan, index) => ({ ...ordinaryServer, address: `192.0.2.${index + 1}`, ...plan })),
    });
    const probe = createProbe({
      exchange: network.exchange({ read: () => ({ wallSeconds: wall(), monotonicSeconds: time.now() }) }),
      ...{ openAssociation: network.openAssociation, resolve: network.resolve, isLocalAddress },
      ...{ isSet: () => true, timers: time.hostTimers, monotonic: time.now, wall },
      floor: { atSeconds: () => start - 100 * day, ceilingSeconds: () => start + 100 * day },
      settings: () => ({ min_agreeing: null, authenticated_only: false, ...settings }),
    });
    const servers = network.servers.map((one) => ({ host: one.address, nts: nts ?? one.nts !== null }));
    const asked = probe(servers, lacks);
    await time.runUntil(20);
    return { ...(await asked), sent: network.sent };
  }

  const allowed = { nts: { validFromSeconds: 0, validToSeconds: 2 * start, failure: null } };
  const weeks = { offsetSeconds: -1_024 * 7 * day };
  const gone = { manner: "silent" } as const;
  const authenticatedOnly = { authenticated_only: true };
  const not = "-not_authenticated";
  const differing = [{}, {}, {}, { offsetSeconds: 3 }, gone];
  for (const [what, plans, agreeing, found, settings] of [
    ["right ones", [{}, {}], 2, "right right"],
    ["two that say two times", [{}, { offsetSeconds: 3 }], 0, "no_majority no_majority"],
    ["three, one false, one silent", differing, 3, "right right right majority_differs -timeout"],
    ["1,024 weeks back, as receivers of GPS are", [weeks, weeks], 0, "below_floor below_floor"],
    ["a single one so", [weeks], 0, "below_floor"],
    ["one so beside a majority", [{}, {}, weeks], 2, "right right majority_differs"],
    ["beyond the ceiling", [{ offsetSeconds: 101 * day }], 0, "beyond_ceiling"],
    ["one that answers where two have to agree", [{}, gone, gone], 0, "too_few_agree -timeout -timeout"],
    ["where one is enough", [{}, gone, gone], 1, "right -timeout -timeout", { min_agreeing: 1 }],
    ["plain ones, where only authenticated servers count", [{}, {}], 0, `${not} ${not}`, authenticatedOnly],
    ["NTS beside a plain one", [{}, allowed, allowed], 2, `${not} right right`, authenticatedOnly],
    ["a domain controller", [{ rootDispersionSeconds: 10.2 }], 0, "-too_uncertain"],
    ["a late one", [{ delaySeconds: 1.2 }], 1, "right"],
  ] as [string, Partial<ServerPlan>[], number, string, Parameters<typeof probed>[1]?][])
    it(`are judged as the agent will judge them: ${what}`, async () => {
      const probe = await probed(plans, settings);
      assert.deepEqual([probe.agreeing, findings(probe)], [agreeing, found]);
      assert.equal(probe.answering, found.split(" ").filter((one) => !one.startsWith("-")).length);
    });

  it("are measured against the host's own clock, each once", async () => {
    const { servers, sent } = await probed([{}, {}, { offsetSeconds: 3 }], {}, { lacks: 100 });
    for (const [index, expected] of [100, 100, 103].entries())
      assert.ok(Math.abs((servers[index]?.offset_seconds ?? 0) - expected) < 0.01, JSON.stringify(servers));
    assert.deepEqual([sent, servers[0]?.host], [3, "192.0.2.1"]);
  });

  it("say whether they offer NTS, also those that are asked in plain", async () => {
    const unknown = { nts: { ...allowed.nts, failure: "nts_unknown_authority" } };
    for (const [nts, found, offers] of [
      [false, "right right right", ["offered", "not_offered", "not_offered"]],
      [true, "right -nts_no_answer -nts_unknown_authority", ["offered", "not_offered", null]],
    ] as const) {
      const probe = await probed([allowed, {}, unknown], { min_agreeing: 1 }, { nts });
      assert.deepEqual([findings(probe), probe.servers.map((server) => server.nts)], [found, offers]);
    }
  });

  it("count once where two names lead to one server", async () => {
    const resolve = async (host: string) => (host === "none" ? [] : ["192.0.2.1"]);
    const found = await probeWith({ resolve }).probe(["a", "b", "none"]);
    assert.deepEqual([findings(found), found.agreeing], ["right -same_server -no_address", 1]);
  });

  // The manner of each address of one name, those that are asked, and the answer.
  for (const [manners, asked, found] of [
    ["silent silent right", "123", "3 right"],
    ["DENY right", "12", "2 right"],
    ["silent DENY", "12", "2 -kiss_denied"],
    ["unsynchronised unsynchronised", "12", "2 -server_unsynchronised"],
    ["silent silent silent silent", "1234", "4 -timeout"],
  ] as const)
    it(`are asked at each address of their names until one gives the time: ${manners}`, async () => {
      const all = manners.split(" ");
      const timers = heldTimers();
      let order = "";
      const { probe } = probeWith({
        timers,
        resolve: async () => all.map((_, index) => `192.0.2.${index + 1}`),
        exchange: async ({ address }) => {
          order += address.at(-1);
          const manner = all[Number(address.at(-1)) - 1] ?? "";
          if (manner === "right") return { kind: "sample", sample: sampleWith({}), ignored: [] };
          if (manner === "DENY") return { kind: "kiss", code: "DENY", ignored: [] };
          return { kind: "silent", reason: manner === "silent" ? "timeout" : manner, ignored: [] };
        },
      });
      const answer = await endOf(probe(["time.example"]), timers);
      assert.deepEqual([order, `${answer.servers[0]?.address?.at(-1)} ${findings(answer)}`], [asked, found]);
    });

  it("are asked by one caller at a time, and not right again", async () => {
    const { probe, pass } = probeWith();
    const ask = () => probe(["192.0.2.1"]);
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
      const counting =
        <T extends unknown[]>(call: (...given: T) => void) =>
        (...given: T) => {
          call(...given);
          heard += 1;
        };
      const datagrams: typeof countedDatagrams = {
        connect: (address, { onPacket, onFailure }) =>
          countedDatagrams.connect(address, { onPacket: counting(onPacket), onFailure: counting(onFailure) }),
      };
      const { probe } = probeWith({ timers, exchange: createExchange({ ...common, datagrams, timers }) });
      const answer = probe([`127.0.0.1:${port}`]);
      const isHeard = () => (port === silent.port ? silent.requests.length : heard) > 0;
      answers.push(...(await lateAnswer(answer, timers, until("the port was asked", isHeard))));
    }
    for (const answer of answers) assert.deepEqual(answer, answers[1]);
  });

  it("have one answer at one time to key exchanges, which use TCP, wished or not", async () => {
    const unreachable = "nts_unreachable ECONNREFUSED";
    for (const nts of [true, false]) {
      const answers: object[] = [];
      for (const failure of [unreachable, "nts_not_offered", "nts_not_offered EPROTO", "nts_no_answer"]) {
        const timers = heldTimers();
        const { probe } = probeWith({ timers, openAssociation: keysThat(() => ({ failure })) });
        answers.push(...(await lateAnswer(probe(["192.0.2.1:22"], nts), timers, Promise.resolve())));
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
    }
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
      const answer = probe(["scan.example:22"]);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      assert.deepEqual(asked, ["192.0.2.1"], reason);
      await endOf(answer, timers);
      assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2"], reason);
    }
  });

  it("differ from time servers that refuse, and from certificates that are not trusted", async () => {
    const refusing = probeWith({ exchange: exchangeThat({ kind: "kiss", code: "DENY", ignored: [] }) });
    assert.equal(findings(await refusing.probe(["192.0.2.1"])), "-kiss_denied");
    const unknown = keysThat(() => ({ failure: "nts_unknown_authority self-signed certificate" }));
    const { probe } = probeWith({ openAssociation: unknown });
    assert.equal(findings(await probe(["192.0.2.1"], true)), "-nts_unknown_authority");
  });
});

describe("a probe", () => {
  const local = [
    ...["127.0.0.1", "[::1]:53", "169.254.169.254:80"],
    ...["10.9.8.7", "[fe80::1%eth0]", "a-name.example"],
  ];

  /** The addresses that were asked, and the answers. */
  async function probed(hosts: readonly string[], { nts, isSet }: { nts: boolean; isSet: boolean }) {
    const asked: string[] = [];
    const resolution = {
      resolve: async (host: string) => [host === "a-name.example" ? "::ffff:127.0.0.1" : host],
      isLocalAddress: (address: string) => isLocalAddress(address, new Set(["10.9.8.7"])),
    };
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
        const [monotonic, random] = [() => 0, (bytes: number) => Buffer.alloc(bytes)];
        return new NtsAssociation(server, { ...resolution, exchangeKeys, monotonic, random });
      },
    });
    const found = await endOf(probe(hosts, nts), timers);
    return { asked, codes: found.servers.map(({ reason }) => reason?.code) };
  }

  for (const nts of [false, true]) {
    const how = nts ? "with NTS" : "in plain";
    const failure = nts ? "nts_no_answer" : "timeout";
    for (const [what, hosts, isSet, isAsked] of [
      ["no address of this device, its link or a cloud's metadata service (SSRF)", local, false, false],
      ["one of these that is set", ["127.0.0.1"], true, true],
      ["others, private ones among them", ["192.168.1.1", "192.0.2.9"], false, true],
    ] as const)
      it(`asks ${what}, ${how}`, async () => {
        const { asked, codes } = await probed(hosts, { nts, isSet });
        assert.deepEqual([...new Set(asked)], isAsked ? hosts : []);
        assert.deepEqual(codes, Array(hosts.length).fill(isAsked ? failure : "local_address"));
      });
  }
});
