import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import type { Authentication } from "../../../src/clock/daemons/chrony-authentication.ts";
import { parseChronyc } from "../../../src/clock/daemons/chronyc-report.ts";
import { createChronyd } from "../../../src/clock/daemons/chronyd.ts";
import { reportOfChrony } from "../../../src/clock/daemons/chronyd-report.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { absentHelper } from "../recorded-helper.ts";

// Printed by chronyc 4.3 (`-c -n -m tracking sources sourcestats`) of a chronyd -x with a server of its own; the text
// form said at that moment "0.000001217 seconds fast of NTP time", "0.104 ppm slow" and "^* … 377 1 +203ns[ +271ns]".
const tracking =
  "7F000001,127.0.0.1,3,1795200562.950446665,-0.000001219,0.000000068,0.000000326,-0.104,0.003,0.352,0.000005722,0.000003311,1.0,Normal";
const source = "^,*,127.0.0.1,2,0,377,1,0.000000203,0.000000271,0.000003856";
const statistics = "127.0.0.1,12,9,9,0.003,0.327,0.000000003,0.000000683";

// The same before the first answer.
const nothingYet = [
  "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised",
  "^,?,127.0.0.1,0,0,0,4294967295,0.000000000,0.000000000,0.000000000",
  "127.0.0.1,0,0,0,0.000,2000.000,0.000000000,4.000000000",
];

/** `kinds`: what authenticates the sources 192.0.2.0, 192.0.2.1 and so on. */
function reportOf(lines: readonly string[], kinds: readonly Authentication[] = []) {
  const report = parseChronyc(`${lines.join("\n")}\n`) ?? assert.fail("it is not understood");
  const authenticationOf = (name: string) => kinds[Number(name.replace("192.0.2.", ""))];
  return reportOfChrony(report, { hostOf: (name) => name, authenticationOf });
}

function near(actual: number | null | undefined, expected: number): void {
  assert.ok(typeof actual === "number" && Math.abs(actual - expected) < 1e-12, `${actual}, not ${expected}`);
}

/** The line of another source; the states that follow cannot be brought about at will. */
const sourceLine = (state: string, name: string, reach = "377") =>
  `^,${state},${name},2,6,${reach},12,-0.001000000,-0.001000000,0.020000000`;

describe("what chronyc prints", () => {
  it("is read: a host that chronyc calls fast is ahead, an oscillator that it calls slow is sped up", () => {
    const { uncertaintySeconds, sources, ...report } = reportOf([tracking, source, statistics]);
    assert.deepEqual(
      [report.offsetSeconds, report.frequencyPpm, report.rootDelaySeconds, report.rootDispersionSeconds],
      [-0.000_001_219, 0.104, 0.000_005_722, 0.000_003_311],
    );
    // chronyc(1): root dispersion + half the root delay.
    near(uncertaintySeconds, 0.000_006_172);
    assert.equal(report.pollSeconds, 1);
    assert.deepEqual(report.source, { id: "127.0.0.1", host: "127.0.0.1", stratum: 2, refid: "7f000001" });
    // Against the host's clock: it is 1.219 µs ahead of chronyd's time, which is 0.203 µs ahead of the source.
    const [told] = sources;
    near(told?.offset_seconds, -0.000_001_422);
    const figures = [told?.uncertainty_seconds, told?.jitter_seconds, told?.reach, told?.delay_seconds];
    assert.deepEqual(figures, [0.000_003_856, 0.000_000_683, 255, null]);
  });

  it("says nothing of a source before its first answer", () => {
    const report = reportOf(nothingYet);
    assert.deepEqual([report.isSynchronised, report.trust, report.leap], [false, "none", "unknown"]);
    assert.equal(report.uncertaintySeconds, null);
    const [told] = report.sources;
    assert.deepEqual([told?.state, told?.offset_seconds, told?.jitter_seconds], ["unreachable", null, null]);
  });

  // chronyc(1), "sources", explains each character; with the reach, and the word for it.
  const states =
    "*377 selected, +377 candidate, -377 outlier, x377 falseticker, ~377 suspect, ?1 unused, ?0 unreachable";
  for (const [sign = "", expected] of states.split(", ").map((row) => row.split(" ")))
    it(`calls a source in state ${sign} ${expected}`, () => {
      const report = reportOf([tracking, sourceLine(sign[0] ?? "", "192.0.2.1", sign.slice(1))]);
      assert.equal(report.sources[0]?.state, expected);
    });

  const sourcesIn = (letters: string) => [...letters].map((letter, n) => sourceLine(letter, `192.0.2.${n}`));
  const local = tracking.replace("7F000001,127.0.0.1", "7F7F0101,");
  for (const [situation, letters, expected] of [
    ["selects one and combines another", "*+", "trusted"],
    ["selects one and could use another", "*-", "trusted"],
    ["selects one and calls the others false", "*xx", "accepted"],
    ["selects two and cannot reach the three others", "*+???", "accepted"],
    ["selects three of five", "*+-?x", "trusted"],
    ["has none at present but was set by one", "?x", "accepted"],
  ] as const)
    it(`is ${expected} when chronyd ${situation}`, () => {
      assert.equal(reportOf([tracking, ...sourcesIn(letters)]).trust, expected);
      assert.equal(reportOf([local, ...sourcesIn(letters)]).trust, "none", "while it follows its own clock");
    });

  it("is not accepted for ever: 3 s of root distance without a source are too much (chrony.conf(5), maxdistance)", () => {
    const old = tracking.replace("0.000003311", "3.000000000");
    assert.equal(reportOf([old, sourceLine("?", "192.0.2.1")]).trust, "none");
  });

  // By the states of its sources and what authenticates each; the last of three is silent.
  for (const [which, letters, kinds, expected] of [
    ["two of three", "*+?", ["nts", "key", "none"], true],
    ["two of three, of which one does not agree", "*x?", ["nts", "nts", "none"], false],
    ["one of three", "*+?", ["nts", "none", "nts"], false],
    ["its only one", "*", ["nts"], true],
    ["one of two", "*+", ["none", "nts"], false],
  ] as const)
    it(`is ${expected ? "" : "not "}authenticated with ${which}`, () => {
      assert.equal(reportOf([tracking, ...sourcesIn(letters)], kinds).authenticated, expected);
      assert.equal(reportOf([local, ...sourcesIn(letters)], kinds).authenticated, false);
    });

  it("announces leap seconds, and names a reference clock without an address", () => {
    const leapOf = (word: string) => reportOf([tracking.replace("Normal", word)]).leap;
    assert.deepEqual([leapOf("Insert second"), leapOf("Delete second")], ["insert", "delete"]);
    const clock = "#,*,PPS0,0,4,377,11,0.000000010,0.000000012,0.000000134";
    const [told] = reportOf([tracking, clock]).sources;
    assert.deepEqual([told?.id, told?.address, told?.stratum], ["PPS0", null, 0]);
  });

  for (const [what, lines] of [
    ["nothing", []],
    ["no tracking", [source, statistics]],
    ["a line of another length", [tracking, "1,2,3"]],
    ["an error among the answers", [tracking, "503 No such source"]],
    ["a leap status that is not known", [tracking.replace("Normal", "Smeared")]],
    ["a reference id that is none", [tracking.replace("7F000001", "127.0.0.1")]],
    ["an offset that is no number", [tracking.replace("-0.000001219", "nan")]],
    ["a source in a state that is not known", [tracking, source.replace("*", "!")]],
    ["a source of a kind that is not known", [tracking, source.replace("^", "%")]],
    ["a reach that is not octal", [tracking, source.replace("377", "378")]],
    ["a reach of more than eight polls", [tracking, source.replace("377", "400")]],
    ["an offset of 400 digits (Infinity)", [tracking.replace("-0.000001219", "9".repeat(400))]],
    ["a figure of 25 characters", [tracking.replace("-0.000001219", `0.${"0".repeat(23)}`)]],
    ["a poll beyond all polls (Infinity seconds)", [tracking, source.replace(",2,0,", ",2,1024,")]],
    ["a poll that is no whole number", [tracking, source.replace(",2,0,", ",2,0.5,")]],
    ["a stratum beyond 16", [tracking, source.replace(",2,0,", ",17,0,")]],
    ["an age of 400 digits", [tracking, source.replace("377,1,", `377,${"1".repeat(400)},`)]],
  ] as [string, string[]][])
    it(`is not believed with ${what}`, () => {
      assert.equal(parseChronyc(lines.join("\n")), null);
    });

  it("is believed with figures of 24 characters", () => {
    const longest = tracking.replace("-0.000001219", `-0.000001219${"0".repeat(12)}`);
    const found = parseChronyc([longest, source, statistics].join("\n"));
    assert.equal(found?.tracking.offsetSeconds, -0.000001219);
  });
});

describe("a chronyc that lies", () => {
  it("gets no name of 100,000 characters in, and no error as long as that", async () => {
    const directory = scratchDirectory();
    const command = join(directory, "chronyc");
    const long = "head -c 100000 /dev/zero | tr '\\0' x";
    const report = [tracking, source.replace("127.0.0.1", "192.0.2.1")];
    const answers = [
      `case "$*" in *sourcename*) ${long}; exit;; esac`,
      ...report.map((line) => `echo '${line}'`),
    ];
    const daemon = createChronyd({
      ...{ run: createRunCommand(), helper: absentHelper(), timers: createTimers(), command },
      ...{ kernelIsSynchronised: () => null, panicSeconds: () => 1_000 },
    });
    writeFileSync(command, ["#!/bin/sh", ...answers].join("\n"), { mode: 0o755 });
    const read = await daemon.read();
    assert.deepEqual([read.source?.host, read.trouble], ["192.0.2.1", null]);
    writeFileSync(command, ["#!/bin/sh", long, "exit 1"].join("\n"), { mode: 0o755 });
    assert.deepEqual((await daemon.read()).trouble, { code: "no_answer", cause: "x".repeat(200) });
  });
});
