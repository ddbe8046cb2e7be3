import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { until } from "../../../lab/basics/until.ts";
import { type Chronyd, chronyProgram, startChronyd } from "../../../lab/host/chronyd.ts";
import { createChronyd } from "../../../src/clock/daemons/chronyd.ts";
import type { DaemonReport, ExternalDaemon } from "../../../src/clock/daemons/external-daemon.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import type { RootHelper, Timers } from "../../../src/host/ports.ts";
import { type ChronyClient, serverLine, startChronyClient } from "../chrony-client.ts";
import { absentHelper, recordedHelper } from "../recorded-helper.ts";

const command = chronyProgram("chronyc");

/** Ten seconds of waiting pass in no time. */
const hurriedTimers: Timers = { after: (_seconds, call) => createTimers().after(0, call) };

interface Given {
  timers?: Timers;
  helper?: RootHelper;
  port: number;
  kernelIsSynchronised?: boolean | null;
  command?: string;
}

function daemonOf({
  helper = recordedHelper(),
  kernelIsSynchronised = null,
  ...rest
}: Given): ExternalDaemon {
  return createChronyd({
    run: createRunCommand(),
    helper,
    timers: createTimers(),
    kernelIsSynchronised: () => kernelIsSynchronised,
    panicSeconds: () => 1_000,
    command,
    ...rest,
  });
}

/** Asks until chronyd has this many selectable sources, for ten seconds at most. */
async function selecting(client: ChronyClient, states: RegExp): Promise<void> {
  await until(`chronyd selects its sources as ${states}`, () => states.test(statesOf(client)));
}

/**
 * The report of a moment before and after which chronyd selects its sources like this. On a busy machine it changes its
 * mind about a source whose answers are late, between what the test asks and what the report asks.
 */
async function readWhileSelecting(client: ChronyClient, states: RegExp): Promise<DaemonReport> {
  let report: DaemonReport | undefined;
  await until(`chronyd goes on selecting its sources as ${states}`, async () => {
    const isBefore = states.test(statesOf(client));
    if (isBefore) report = await daemonOf({ port: client.commandPort }).read();
    return isBefore && states.test(statesOf(client));
  });
  assert.ok(report);
  return report;
}

function statesOf(client: ChronyClient): string {
  return client
    .ask("-c", "sources")
    .trim()
    .split("\n")
    .map((line) => line.split(",")[1])
    .join("");
}

function near(actual: number | null | undefined, expected: number, tolerance: number): void {
  assert.ok(
    typeof actual === "number" && Math.abs(actual - expected) <= tolerance,
    `${actual}, not ${expected}`,
  );
}

const codeOf = (code: string) => (error: unknown) => error instanceof StewardError && error.code === code;

describe("chronyd as the discipliner", () => {
  let good: Chronyd;
  let liar: Chronyd;
  before(async () => {
    good = await startChronyd();
    liar = await startChronyd({ fakeTime: "+3s" });
  });
  after(async () => {
    for (const server of [good, liar]) await server?.stop();
  });

  describe("with two good sources and one that is 3 s ahead", reaching("::1"), () => {
    let client: ChronyClient;
    let another: ChronyClient;
    let report: DaemonReport;
    before(async () => {
      // chronyd takes no two sources of one address.
      const port = await heldUdpPort();
      another = await startChronyClient("local stratum 2", `port ${port}`, "bindaddress 127.0.0.2", "allow");
      client = await startChronyClient(
        serverLine("::1", good.port),
        serverLine("127.0.0.1", liar.port),
        serverLine("127.0.0.2", port),
      );
      report = await readWhileSelecting(client, /^(?=.*\*)[*+-]x[*+-]$/);
    });
    after(async () => {
      for (const one of [client, another]) await one?.stop();
    });

    it("is trusted, and shows each source's state and offset", () => {
      assert.deepEqual([report.trust, report.isSynchronised, report.trouble], ["trusted", true, null]);
      assert.equal(report.leap, "none");
      const sourceOf = (id: string) => report.sources.find((source) => source.id === id);
      assert.equal(sourceOf("127.0.0.1")?.state, "falseticker");
      const rest = [sourceOf("127.0.0.2")?.state, sourceOf("::1")?.state];
      assert.ok(rest.includes("selected"), `${rest}`);
      // A packet that a busy machine holds up errs by half of that; this still tells 3 s from none.
      near(sourceOf("127.0.0.1")?.offset_seconds, 3, 1.4);
      near(sourceOf("::1")?.offset_seconds, 0, 1.4);
      near(report.offsetSeconds, 0, 1.4);
      assert.deepEqual([...report.configured].sort(), ["127.0.0.1", "127.0.0.2", "::1"]);
      for (const { reach } of report.sources) assert.ok((reach ?? 0) & 1, "the last poll was answered");
    });

    it("says how well it knows the time, and from which source", () => {
      const { uncertaintySeconds, source, pollSeconds } = report;
      // A machine that is held up knows the time badly; chronyd rejects one that is 3 s ahead when it knows it better.
      assert.ok(uncertaintySeconds !== null && uncertaintySeconds > 0 && uncertaintySeconds < 3);
      assert.deepEqual([source?.stratum, pollSeconds], [2, 1]);
    });
  });

  describe("with one source that is 3 s ahead of the host", () => {
    let client: ChronyClient;
    before(async () => {
      client = await startChronyClient(serverLine("127.0.0.1", liar.port));
      await selecting(client, /^\*$/);
    });
    after(() => client.stop());

    it("is accepted, and the host is behind by 3 s", async () => {
      const report = await daemonOf({ port: client.commandPort }).read();
      assert.equal(report.trust, "accepted");
      // As above.
      near(report.offsetSeconds, 3, 1.4);
      near(report.sources[0]?.offset_seconds, 3, 1.4);
    });

    it("reselects through the root helper; syncs by a burst and, as 3 s are more than is slewed, a step", async () => {
      const helper = recordedHelper((line) => {
        // The step itself would set this machine's clock, were chronyd not started with -x: it is not asked for here.
        if (line.includes("burst")) client.order("burst", "4/4");
        if (line.includes("reselect")) client.order("reselect");
      });
      const daemon = daemonOf({ port: client.commandPort, helper });
      await daemon.reselect();
      await daemon.sync(false);
      assert.deepEqual(helper.orders, ["chrony reselect", "chrony burst", "chrony makestep"]);
    });

    it("can be read and not ordered without a root helper, and says what root can type", async () => {
      const daemon = daemonOf({ port: client.commandPort, helper: absentHelper() });
      assert.equal((await daemon.read()).isReadOnly, false);
      await assert.rejects(daemon.reselect(), (error) => {
        assert.ok(codeOf("forbidden")(error), String(error));
        assert.match(String(error), /no root helper\. Until then, as root: chronyc reselect/);
        return true;
      });
      const report = await daemon.read();
      assert.equal(report.isReadOnly, true);
      assert.equal(report.trust, "accepted");
    });
  });

  /** A client of one server, once it selects that. */
  async function following(test: TestContext, server: Chronyd, address = "127.0.0.1"): Promise<ChronyClient> {
    const client = await startChronyClient(serverLine(address, server.port));
    test.after(() => client.stop());
    await selecting(client, /^\*$/);
    return client;
  }

  const bursting = (client: ChronyClient) =>
    recordedHelper((line) => {
      if (line.includes("burst")) client.order("burst", "4/4");
    });

  it("syncs by a burst alone when the clock is right, forced or not", async (test) => {
    const client = await following(test, good);
    for (const force of [false, true]) {
      const helper = bursting(client);
      await daemonOf({ port: client.commandPort, helper }).sync(force);
      assert.deepEqual(helper.orders, ["chrony burst"]);
    }
  });

  it("has the name of a configured host for the source beside its address", async (test) => {
    const client = await following(test, good, "localhost");
    const { source, sources, configured } = await daemonOf({ port: client.commandPort }).read();
    assert.equal(source?.host, "localhost");
    assert.ok(["127.0.0.1", "::1"].includes(sources[0]?.address ?? ""), `${sources[0]?.address}`);
    assert.deepEqual(configured, ["localhost"]);
  });

  it("refuses to sync a clock that is 2000 s off, and does it by force", async (test) => {
    const far = await startChronyd({ fakeTime: "-2000s" });
    test.after(() => far.stop());
    const client = await following(test, far);
    const helper = bursting(client);
    const daemon = daemonOf({ port: client.commandPort, helper });
    near((await daemon.read()).offsetSeconds, -2_000, 1.4);
    await assert.rejects(daemon.sync(false), codeOf("panic_threshold"));
    // The report has asked for what authenticates its sources as well.
    assert.deepEqual(helper.orders, ["chrony authdata", "chrony burst"]);
    await daemon.sync(true);
    assert.equal(helper.orders.at(-1), "chrony makestep");
  });

  it("without a server that answers has no offsets and cannot sync, whatever the kernel says", async (test) => {
    const client = await startChronyClient(serverLine("127.0.0.1", await heldUdpPort()));
    test.after(() => client.stop());
    const helper = recordedHelper();
    const given = { port: client.commandPort, kernelIsSynchronised: true, helper, timers: hurriedTimers };
    const report = await daemonOf(given).read();
    const { isSynchronised, trust, leap, source } = report;
    assert.deepEqual([isSynchronised, trust, leap, source], [false, "none", "unknown", null]);
    const [first] = report.sources;
    const figures = [first?.offset_seconds, first?.stratum, first?.jitter_seconds];
    assert.deepEqual([first?.state, ...figures], ["unreachable", null, null, null]);
    await assert.rejects(daemonOf(given).sync(true), codeOf("no_time_source"));
    assert.equal(helper.orders.at(-1), "chrony burst");
  });

  it("whose server has gone silent cannot sync by what it measured before", async (test) => {
    const server = await startChronyd();
    const client = await following(test, server);
    await server.stop();
    const daemon = daemonOf({ helper: bursting(client), timers: hurriedTimers, port: client.commandPort });
    await assert.rejects(daemon.sync(false), codeOf("no_time_source"));
  });

  it("that believes its own clock (`local`) is not synchronised to anything", async (test) => {
    const client = await startChronyClient("local stratum 10");
    test.after(() => client.stop());
    assert.match(client.ask("tracking"), /^Reference ID +: 7F7F0101/);
    const report = await daemonOf({ port: client.commandPort }).read();
    assert.deepEqual([report.isSynchronised, report.trust], [false, "none"]);
  });

  it("with its command port closed is accepted at most, by the kernel's word, and says what to do", async () => {
    const port = await heldUdpPort();
    for (const kernelIsSynchronised of [true, false, null]) {
      const { isSynchronised, trust, trouble } = await daemonOf({ port, kernelIsSynchronised }).read();
      const expected = kernelIsSynchronised === true ? [true, "accepted"] : [false, "none"];
      assert.deepEqual([isSynchronised, trust, trouble?.code], [...expected, "no_answer"]);
      assert.match(trouble?.cause ?? "", /506 Cannot talk to daemon/);
    }
  });

  it("says so where there is no chronyc on the host", async () => {
    const report = await daemonOf({ port: 1, command: "/nonexistent/chronyc" }).read();
    assert.deepEqual(report.trouble, { code: "command_failed", cause: "ENOENT" });
  });
});
