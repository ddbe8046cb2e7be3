import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DaemonTrouble } from "../../../src/clock/daemons/external-daemon.ts";
import { createTimesyncd } from "../../../src/clock/daemons/timesyncd.ts";
import { parseTimeSpan, parseTimesync } from "../../../src/clock/daemons/timesyncd-report.ts";
import type { CommandResult, RootHelper } from "../../../src/host/ports.ts";
import { absentHelper, recordedHelper } from "../recorded-helper.ts";

// All printed by timedatectl 252 (`show-timesync --all`, C locale), which read a stand-in for timesyncd on a D-Bus of its
// own; `timesync-status` said of the first "Root distance: 8.628ms" and "Frequency: -16.630ppm".
const message =
  "{ Leap=0, Version=4, Mode=4, Stratum=2, Precision=-24, RootDelay=15.243ms, RootDispersion=1.007ms, Reference=C00002C8, OriginateTimestamp=Tue 2023-11-14 22:13:20 UTC, ReceiveTimestamp=Tue 2023-11-14 22:13:20 UTC, TransmitTimestamp=Tue 2023-11-14 22:13:20 UTC, DestinationTimestamp=Tue 2023-11-14 22:13:20 UTC, Ignored=no, PacketCount=5, Jitter=2.217ms }";
const synchronised = `LinkNTPServers=
SystemNTPServers=ntp1.example.net ntp2.example.net
RuntimeNTPServers=
FallbackNTPServers=0.debian.pool.ntp.org
ServerName=ntp1.example.net
ServerAddress=192.0.2.1
RootDistanceMaxUSec=5s
PollIntervalMinUSec=32s
PollIntervalMaxUSec=34min 8s
PollIntervalUSec=2min 8s
NTPMessage=${message}
Frequency=-1089842
`;
const withoutServer = synchronised
  .replace("ntp1.example.net ntp2.example.net", "")
  .replace("ServerName=ntp1.example.net\nServerAddress=192.0.2.1", "ServerName=\nServerAddress=")
  .replace("PollIntervalUSec=2min 8s", "PollIntervalUSec=0")
  .replace(/NTPMessage=.*\n/, "")
  .replace("Frequency=-1089842", "Frequency=0");
const waiting = synchronised.replace(/^NTPMessage=.*\n/m, "").replace("USec=2min 8s", "USec=32s");
const spike = synchronised
  .replace("Leap=0", "Leap=1")
  .replace("Stratum=2", "Stratum=1")
  .replace("Reference=C00002C8", "Reference=GPS")
  .replace("Ignored=no", "Ignored=yes");

interface Given {
  timesync: string | CommandResult | Error;
  kernelIsSynchronised?: boolean | null;
  timedated?: string;
}

function reading({ timesync, kernelIsSynchronised = true, timedated = "" }: Given) {
  return createTimesyncd({
    run: async (program, args) => {
      assert.equal(program, "timedatectl");
      if (args[0] === "show") return { status: 0, stdout: timedated, stderr: "" };
      assert.deepEqual(args, ["show-timesync", "--all"]);
      if (timesync instanceof Error) throw timesync;
      return typeof timesync === "string" ? { status: 0, stdout: timesync, stderr: "" } : timesync;
    },
    helper: recordedHelper(),
    kernelIsSynchronised: () => kernelIsSynchronised,
  }).read();
}

describe("systemd-timesyncd as the discipliner", () => {
  it("is accepted, never trusted: it asks one server, and invents neither an offset nor a bound for it", async () => {
    const { source, sources, pollSeconds, leap, ...report } = await reading({ timesync: synchronised });
    assert.deepEqual([report.isSynchronised, report.trust, report.trouble], [true, "accepted", null]);
    assert.deepEqual(source, { id: "192.0.2.1", host: "ntp1.example.net", stratum: 2, refid: "c00002c8" });
    const [first] = sources;
    assert.deepEqual(report.configured, ["ntp1.example.net", "ntp2.example.net"]);
    const { rootDelaySeconds, rootDispersionSeconds, frequencyPpm } = report;
    const figures = [rootDelaySeconds, rootDispersionSeconds, frequencyPpm, first?.jitter_seconds];
    const expected = ["0.015243000", "0.001007000", "-16.629669189", "0.002217000"];
    assert.deepEqual(
      figures.map((figure) => figure?.toFixed(9)),
      expected,
    );
    const found = [pollSeconds, leap, first?.state, first?.address, first?.stratum];
    assert.deepEqual(found, [128, "none", "selected", "192.0.2.1", 2]);
    const unknown = [report.offsetSeconds, report.uncertaintySeconds, first?.offset_seconds];
    assert.deepEqual(unknown, [null, null, null]);
  });

  it("is not synchronised while the kernel does not say so", async () => {
    const report = await reading({ timesync: waiting, kernelIsSynchronised: false });
    assert.deepEqual([report.isSynchronised, report.trust, report.source], [false, "none", null]);
    assert.deepEqual([report.sources[0]?.state, report.leap], ["unreachable", "unknown"]);
  });

  it("asks timedated where the kernel's flag cannot be read", async () => {
    for (const timedated of ["NTPSynchronized=yes\n", "NTPSynchronized=no\n", ""]) {
      const report = await reading({ timesync: synchronised, kernelIsSynchronised: null, timedated });
      assert.equal(report.isSynchronised, timedated.includes("yes"));
    }
  });

  it("has no source without a server", async () => {
    const report = await reading({ timesync: withoutServer });
    assert.deepEqual([report.source, report.sources, report.pollSeconds], [null, [], null]);
    assert.deepEqual(report.configured, ["0.debian.pool.ntp.org"], "its fallback");
  });

  it("shows a spike, a reference clock's name and an announced leap second", async () => {
    const report = await reading({ timesync: spike });
    assert.deepEqual([report.source?.refid, report.leap], ["GPS", "insert"]);
    assert.equal(report.sources[0]?.state, "suspect");
  });

  it("reads the form of older systemd, which forgot a comma", () => {
    assert.equal(parseTimesync(synchronised.replace("no, Packet", "no Packet"))?.message?.isIgnored, false);
  });

  for (const [what, timesync, expected] of [
    ["says no", { status: 1, stdout: "", stderr: "Failed to parse bus message" }, "no_answer"],
    ["takes too long", { status: null, stdout: "", stderr: "" }, "no_answer"],
    ["is not there", new Error("ENOENT"), "no_answer"],
    ["speaks of other things", "Hello\n", "unknown_format"],
  ] as [string, Given["timesync"], DaemonTrouble["code"]][])
    it(`goes by the kernel's word, and says so, when timedatectl ${what}`, async () => {
      const report = await reading({ timesync });
      assert.deepEqual(report.trouble, { code: expected, cause: null });
      assert.deepEqual([report.trust, report.sources], ["accepted", []]);
    });

  const ordered = (helper: RootHelper) => {
    const run = async () => ({ status: 0, stdout: synchronised, stderr: "" });
    return createTimesyncd({ run, helper, kernelIsSynchronised: () => true });
  };

  it("syncs and reselects by a restart of its unit, for it has no finer order", async () => {
    const helper = recordedHelper();
    await ordered(helper).sync(false);
    await ordered(helper).reselect();
    assert.deepEqual(helper.orders, Array(2).fill("restart-timesyncd"));
  });

  it("can be read and not restarted without a root helper, and says what root can type", async () => {
    const daemon = ordered(absentHelper());
    const message = /no root helper\. Until then, as root: systemctl restart systemd-timesyncd/;
    await assert.rejects(daemon.sync(false), { code: "forbidden", message });
    assert.equal((await daemon.read()).isReadOnly, true);
  });
});

describe("what timedatectl prints", () => {
  for (const [what, text] of [
    ["nothing", ""],
    ["a message without braces", synchronised.replace("{ ", "")],
    ["a leap indicator of 4", synchronised.replace("Leap=0", "Leap=4")],
    ["a stratum that is no number", synchronised.replace("Stratum=2", "Stratum=two")],
    ["a span with an unknown unit", synchronised.replace("15.243ms", "15.243ns")],
    ["no word on whether the message was used", synchronised.replace("Ignored=no, ", "")],
    ["a frequency that is no number", synchronised.replace("-1089842", "fast")],
    ["a poll interval that is none", synchronised.replace("2min 8s", "often")],
  ] as [string, string][])
    it(`is not believed with ${what}`, () => {
      assert.equal(parseTimesync(text), null);
    });
});

describe("a time span of systemd's", () => {
  // systemd.time(7), and what timedatectl printed above.
  for (const [text, seconds] of [
    ["0", 0],
    ["213us", 0.000_213],
    ["30.395ms", 0.030_395],
    ["3min 2.1s", 182.1],
    ["34min 8s", 2_048],
    ["1h 30min", 5_400],
    ["1w 2d 3h", 788_400],
    ["1y", 31_557_600],
  ] as [string, number][])
    it(`${text} is ${seconds} s`, () => {
      assert.equal(parseTimeSpan(text)?.toFixed(9), seconds.toFixed(9));
    });

  for (const text of ["", "5", "s", "-5s", "5 s", "infinity", "5s ", "1.5.2s", "5parsecs"])
    it(`"${text}" is none`, () => {
      assert.equal(parseTimeSpan(text), null);
    });
});
