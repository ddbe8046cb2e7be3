import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleReason, exampleSource, heardSource } from "../../../lab/command-line/example-clock.ts";
import { drawBar, drawSources } from "../../../src/cli/time/time-picture.ts";
import type { TimeSource } from "../../../src/contract/types.ts";

/** The bar of a source, without its frame; undefined: it has none. */
function barOf(lines: readonly string[], host: string): string | undefined {
  return lines.flatMap((line) => (line.includes(host) ? (/\[(.*)\]$/.exec(line)?.[1] ?? []) : [])).at(0);
}

function drawn(sources: readonly TimeSource[]): readonly string[] {
  const lines = drawSources(sources);
  for (const line of lines) {
    assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
    assert.match(line, /^[ -~]*$/, "printable ASCII alone");
  }
  return lines;
}

describe("drawBar", () => {
  // From -10 to +10 s in 21 places: one a second, and zero in the middle.
  const axis = { low: -10, high: 10, columns: 21 };
  const zone = { low: -2, high: 2, middle: 0 };
  const cases: [what: string, interval: [low: number, middle: number, high: number], bar: string][] = [
    ["an interval within the axis", [-4, 0, 4], "      |---*---|      "],
    ["an interval as narrow as a place", [3, 3, 3], "             *       "],
    ["one that begins before the axis", [-15, -5, 5], "<----*---------|     "],
    ["one that ends behind it", [0, 8, 16], "          |-------*->"],
    ["one that is wider than the axis", [-100, 0, 100], "<---------*--------->"],
    ["one that is wholly before it", [-90, -80, -70], "<<                   "],
    ["one that is wholly behind it", [3e8, 3.1e8, 3.2e8], "                   >>"],
  ];
  for (const [what, [low, middle, high], bar] of cases) {
    it(`draws ${what}`, () => assert.equal(drawBar(axis, { low, middle, high }, "*", null), bar));
  }

  it("marks where the agreeing overlap, in the rows of those that do not", () => {
    const far = { low: 50, middle: 51, high: 52 };
    assert.equal(drawBar(axis, far, "x", zone), "        :   :      >>");
  });
});

describe("drawSources", () => {
  it("draws nothing where there are no sources", () => assert.deepEqual(drawSources([]), []));

  it("draws no picture where no source has an offset, and says why each has none", () => {
    const silent = exampleSource({ state: "unreachable", reason: exampleReason("no answer"), reach: 0 });
    const lines = drawn([silent]);
    assert.deepEqual(
      [lines.length, lines[1], lines[2]],
      [3, "? ntp1.example   -      0          -           -  unreachable", "    no answer"],
    );
  });

  it("puts the offset of a single source into the middle of its interval", () => {
    const bar = barOf(drawn([heardSource("ntp1.example", [0, 0.01], { state: "selected" })]), "ntp1") ?? "";
    assert.equal(bar.length, 46);
    assert.match(bar, /^ {2,4}\|-{17,20}\*-{17,20}\| {2,4}$/);
  });

  it("draws a source that does not say how sure it is as a point", () => {
    const lines = drawn([heardSource("ntp1.example", [0.000_001, null], { state: "selected" })]);
    assert.match(barOf(lines, "ntp1") ?? "", /^ *\* *$/);
    assert.match(lines[1] ?? "", /\+1\.00 us {11}- {2}selected$/);
  });

  it("shows reach in octal, as ntpq and chronyc do", () => {
    const [, line] = drawn([heardSource("ntp1.example", [0, 0.01], { reach: 0b1111_1110 })]);
    assert.match(line ?? "", / 376 /);
  });

  describe("when three of four agree and one is three seconds off", () => {
    const lines = drawn([
      heardSource("ntp1.example", [0.001, 0.01], { state: "selected" }),
      heardSource("ntp2.example", [-0.002, 0.008]),
      heardSource("ntp3.example", [0.003, 0.012], { state: "outlier", reason: exampleReason("it scatters") }),
      heardSource("ntp4.example", [3, 0.01], {
        state: "falseticker",
        reason: exampleReason("the majority says another time"),
      }),
    ]);

    it("keeps the axis to those that agree and points to the false one with an arrow", () => {
      assert.match(barOf(lines, "ntp4") ?? "", /^ *: *: *>>$/);
      assert.match(lines.join("\n"), /^ +-1\d\.\d ms +\+1\d\.\d ms$/m);
    });

    it("draws the zone that all of them share, and this clock in it", () => {
      // By hand: from max(-9, -10, -9) = -9 ms to min(11, 6, 15) = 6 ms.
      assert.match(lines.join("\n"), /^ +\+-+=+0=+-+\+$/m);
      const ruler = lines.find((line) => line.includes("=")) ?? "";
      const share = (ruler.match(/[=0]/g)?.length ?? 0) / 46;
      // 15 ms of 25 ms and its margins.
      assert.ok(Math.abs(share - 15 / 28) < 0.05, `the zone takes ${share} of the axis`);
    });

    it("lists the server that is ahead with a plus, and says what that means", () => {
      assert.match(lines.find((line) => line.includes("ntp4")) ?? "", / \+3\.00 s /);
      assert.ok(lines.includes("0 this clock   + ahead of it   = where those that agree overlap"));
    });

    it("marks each as chronyc does", () => {
      const marks = lines.slice(1, 7).flatMap((line) => (line.startsWith("    ") ? [] : [line.slice(0, 1)]));
      assert.deepEqual(marks, ["*", "+", "~", "x"]);
    });
  });

  it("draws no zone where no source is selected", () => {
    const lines = drawn([heardSource("a.example", [0, 0.01]), heardSource("b.example", [3, 0.01])]);
    assert.doesNotMatch(lines.join("\n"), /=/);
    assert.doesNotMatch(lines.join("\n"), />>|<</, "both vote, and both are on the axis");
  });

  it("says on which side this clock is where the sources agree that it is far off", () => {
    const ruler = (offset: number) =>
      drawn([heardSource("a.example", [offset, 0.01], { state: "selected" })]).find((line) =>
        line.includes("=="),
      );
    assert.match(ruler(2_000) ?? "", /^ +0-*=+-*\+$/);
    assert.match(ruler(-2_000) ?? "", /^ +\+-*=+-*0$/);
  });

  const tenYears = 10 * 365.25 * 86_400;
  const sizes: [offset: number, uncertainty: number, figures: RegExp, ends: RegExp][] = [
    [1e-6, 5e-6, /\+1\.00 us {5}5\.00 us/, /-4\.\d+ us +\+6\.\d+ us/],
    [-0.012_345, 0.001, /-12\.3 ms {5}1\.00 ms/, /-13\.\d+ ms +-11\.\d+ ms/],
    [2_000, 0.02, /\+2000 s {5}20\.0 ms/, /\+1999\.9\d+ s +\+2000\.0\d+ s/],
    [tenYears, 0.02, /\+10\.0 y {5}20\.0 ms/, /\+315575999\.9\d+ s +\+315576000\.0\d+ s/],
    [-tenYears, 86_400, /-10\.0 y {6}24\.0 h/, /-10\.00\d+ y +-9\.99\d+ y/],
  ];
  for (const [offset, uncertainty, figures, ends] of sizes) {
    it(`chooses units for ${offset} s +- ${uncertainty} s`, () => {
      const lines = drawn([heardSource("a.example", [offset, uncertainty], { state: "selected" })]).join(
        "\n",
      );
      assert.match(lines, figures);
      assert.match(lines, ends);
    });
  }

  it("keeps eight sources of every state and long names within 80 columns", () => {
    const states = ["selected", "candidate", "outlier", "falseticker"] as const;
    const others = ["unreachable", "kod", "suspect", "unused"] as const;
    const name = (index: number) => `a-very-long-name-of-a-time-server-${index}.example.net:12345`;
    const lines = drawn([
      ...states.map((state, index) => heardSource(name(index), [index * 1e-4, 0.5], { state })),
      ...others.map((state, index) => exampleSource({ host: name(index + 4), state })),
    ]);
    assert.equal(lines.filter((line) => line.includes(".net:12345") && !line.includes("[")).length, 8);
    assert.equal(lines.filter((line) => line.endsWith("]")).length, 4);
  });

  it("shows the address behind a name", () => {
    const lines = drawn([
      heardSource("ntp1.example", [0, 0.01], { address: "192.0.2.7", reason: exampleReason("no answer") }),
    ]);
    assert.equal(lines[2], "    192.0.2.7: no answer");
  });

  const hostile: [what: string, change: Partial<TimeSource>, harmless: RegExp][] = [
    ["a name", { host: "a\u001b[2J" }, /a\\x1b\[2J/],
    ["a reason", { reason: exampleReason("no\r\u202e answer") }, /no\\x0d\\x\{202e\} answer/],
    ["an address", { address: "\u009b31m" }, /\\x9b31m/],
  ];
  for (const [what, change, harmless] of hostile) {
    it(`shows control characters of ${what} harmlessly`, () => {
      assert.match(drawn([heardSource("a.example", [0, 0.01], change)]).join("\n"), harmless);
    });
  }

  const bad: [what: string, offset: number, uncertainty: number | null][] = [
    ["no number", Number.NaN, 0.01],
    ["an infinite offset", Number.POSITIVE_INFINITY, 0.01],
    ["an infinite uncertainty", 0, Number.POSITIVE_INFINITY],
    ["no uncertainty at all", 0, 0],
    ["a negative uncertainty", 0.1, -0.01],
    ["the largest number", Number.MAX_VALUE, Number.MAX_VALUE],
  ];
  for (const [what, offset, uncertainty] of bad) {
    it(`does not fail for ${what}`, () => {
      const good = heardSource("good.example", [0, 0.01], { state: "selected" });
      const lines = drawn([
        good,
        heardSource("bad.example", [offset, uncertainty], { state: "falseticker" }),
      ]);
      assert.match(barOf(lines, "good.example") ?? "", /\|-+\*-+\|/);
    });
  }
});
