import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { type Chronyd, chronyProgram, startChronyd } from "../../../lab/host/chronyd.ts";
import { createChronyd } from "../../../src/clock/daemons/chronyd.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import type { Timers } from "../../../src/host/ports.ts";
import { type ChronyClient, readWhile, selecting, serverLine, startChronyClient } from "../chrony-client.ts";
import { absentHelper, recordedHelper } from "../recorded-helper.ts";

const command = chronyProgram("chronyc");

/** Ten seconds of waiting pass in no time. */
const hurriedTimers: Timers = { after: (_seconds, call) => createTimers().after(0, call) };

type Options = Parameters<typeof createChronyd>[0];

/** One of this port, unless its options say otherwise. */
const daemonOf = (port: number, given: Partial<Options> = {}) =>
  createChronyd({
    ...{ run: createRunCommand(), helper: recordedHelper(), timers: createTimers(), command, port },
    ...{ kernelIsSynchronised: () => null, panicSeconds: () => 1_000, ...given },
  });

/** A packet that a busy machine holds up errs by half of that; this still tells 3 s from none. */
function near(actual: number | null | undefined, expected: number): void {
  assert.ok(typeof actual === "number" && Math.abs(actual - expected) <= 1.4, `${actual}, not ${expected}`);
}

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

  it(
    "is trusted with two good sources and one that is 3 s ahead, and shows each",
    reaching("::1"),
    async (test) => {
      // chronyd takes no two sources of one address.
      const port = await heldUdpPort();
      const another = await startChronyClient(
        "local stratum 2",
        `port ${port}`,
        "bindaddress 127.0.0.2",
        "allow",
      );
      test.after(() => another.stop());
      const client = await startChronyClient(
        serverLine("::1", good.port),
        serverLine("127.0.0.1", liar.port),
        serverLine("127.0.0.2", port),
      );
      test.after(() => client.stop());
      const daemon = daemonOf(client.commandPort);
      const report = await readWhile(client, /^(?=.*\*)[*+-]x[*+-]$/, () => daemon.read());
      const { trust, isSynchronised, trouble, leap, uncertaintySeconds, source, pollSeconds } = report;
      assert.deepEqual([trust, isSynchronised, trouble, leap], ["trusted", true, null, "none"]);
      const sourceOf = (id: string) => report.sources.find((one) => one.id === id);
      assert.equal(sourceOf("127.0.0.1")?.state, "falseticker");
      const rest = [sourceOf("127.0.0.2")?.state, sourceOf("::1")?.state];
      assert.ok(rest.includes("selected"), `${rest}`);
      near(sourceOf("127.0.0.1")?.offset_seconds, 3);
      near(sourceOf("::1")?.offset_seconds, 0);
      near(report.offsetSeconds, 0);
      assert.deepEqual([...report.configured].sort(), ["127.0.0.1", "127.0.0.2", "::1"]);
      for (const { reach } of report.sources) assert.ok((reach ?? 0) & 1, "the last poll was answered");
      // A machine that is held up knows the time badly; chronyd rejects one that is 3 s ahead when it knows it better.
      assert.ok(uncertaintySeconds !== null && uncertaintySeconds > 0 && uncertaintySeconds < 3);
      assert.deepEqual([source?.stratum, pollSeconds], [2, 1]);
    },
  );

  describe("with one source that is 3 s ahead of the host", () => {
    let client: ChronyClient;
    before(async () => {
      client = await startChronyClient(serverLine("127.0.0.1", liar.port));
      await selecting(client, /^\*$/);
    });
    after(() => client.stop());

    it("is accepted, and the host is behind by 3 s", async () => {
      const report = await daemonOf(client.commandPort).read();
      assert.equal(report.trust, "accepted");
      near(report.offsetSeconds, 3);
      near(report.sources[0]?.offset_seconds, 3);
    });

    it("reselects through the root helper; syncs by a burst and, as 3 s are more than is slewed, a step", async () => {
      const helper = recordedHelper((line) => {
        // The step itself would set this machine's clock, were chronyd not started with -x: it is not asked for here.
        if (line.includes("burst")) client.order("burst", "4/4");
        if (line.includes("reselect")) client.order("reselect");
      });
      const daemon = daemonOf(client.commandPort, { helper });
      await daemon.reselect();
      await daemon.sync(false);
      assert.deepEqual(helper.orders, ["chrony reselect", "chrony burst", "chrony makestep"]);
    });

    it("can be read and not ordered without a root helper, and says what root can type", async () => {
      const daemon = daemonOf(client.commandPort, { helper: absentHelper() });
      assert.equal((await daemon.read()).isReadOnly, false);
      const message = /no root helper\. Until then, as root: chronyc reselect/;
      await assert.rejects(daemon.reselect(), { code: "forbidden", message });
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
      await daemonOf(client.commandPort, { helper }).sync(force);
      assert.deepEqual(helper.orders, ["chrony burst"]);
    }
  });

  it("has the name of a configured host for the source beside its address", async (test) => {
    const client = await following(test, good, "localhost");
    const { source, sources, configured } = await daemonOf(client.commandPort).read();
    assert.equal(source?.host, "localhost");
    assert.ok(["127.0.0.1", "::1"].includes(sources[0]?.address ?? ""), `${sources[0]?.address}`);
    assert.deepEqual(configured, ["localhost"]);
  });

  it("refuses to sync a clock that is 2000 s off, and does it by force", async (test) => {
    const far = await startChronyd({ fakeTime: "-2000s" });
    test.after(() => far.stop());
    const client = await following(test, far);
    const helper = bursting(client);
    const daemon = daemonOf(client.commandPort, { helper });
    near((await daemon.read()).offsetSeconds, -2_000);
    await assert.rejects(daemon.sync(false), { code: "panic_threshold" });
    // The report has asked for what authenticates its sources as well.
    assert.deepEqual(helper.orders, ["chrony authdata", "chrony burst"]);
    await daemon.sync(true);
    assert.equal(helper.orders.at(-1), "chrony makestep");
  });

  it("without a server that answers has no offsets and cannot sync, whatever the kernel says", async (test) => {
    const client = await startChronyClient(serverLine("127.0.0.1", await heldUdpPort()));
    test.after(() => client.stop());
    const helper = recordedHelper();
    const given = { kernelIsSynchronised: () => true, helper, timers: hurriedTimers };
    const daemon = daemonOf(client.commandPort, given);
    const report = await daemon.read();
    const { isSynchronised, trust, leap, source } = report;
    assert.deepEqual([isSynchronised, trust, leap, source], [false, "none", "unknown", null]);
    const [first] = report.sources;
    const figures = [first?.offset_seconds, first?.stratum, first?.jitter_seconds];
    assert.deepEqual([first?.state, ...figures], ["unreachable", null, null, null]);
    await assert.rejects(daemon.sync(true), { code: "no_time_source" });
    assert.equal(helper.orders.at(-1), "chrony burst");
  });

  it("whose server has gone silent cannot sync by what it measured before", async (test) => {
    const server = await startChronyd();
    const client = await following(test, server);
    await server.stop();
    const daemon = daemonOf(client.commandPort, { helper: bursting(client), timers: hurriedTimers });
    await assert.rejects(daemon.sync(false), { code: "no_time_source" });
  });

  it("that believes its own clock (`local`) is not synchronised to anything", async (test) => {
    const client = await startChronyClient("local stratum 10");
    test.after(() => client.stop());
    assert.match(client.ask("tracking"), /^Reference ID +: 7F7F0101/);
    const report = await daemonOf(client.commandPort).read();
    assert.deepEqual([report.isSynchronised, report.trust], [false, "none"]);
  });

  it("with its command port closed is accepted at most, by the kernel's word, and says what to do", async () => {
    const port = await heldUdpPort();
    for (const flag of [true, false, null]) {
      const daemon = daemonOf(port, { kernelIsSynchronised: () => flag });
      const { isSynchronised, trust, trouble } = await daemon.read();
      const expected = flag === true ? [true, "accepted"] : [false, "none"];
      assert.deepEqual([isSynchronised, trust, trouble?.code], [...expected, "no_answer"]);
      assert.match(trouble?.cause ?? "", /506 Cannot talk to daemon/);
    }
  });

  it("says so where there is no chronyc on the host", async () => {
    const report = await daemonOf(1, { command: "/nonexistent/chronyc" }).read();
    assert.deepEqual(report.trouble, { code: "command_failed", cause: "ENOENT" });
  });
});
