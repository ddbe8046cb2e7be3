import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleReason, exampleSource, heardSource } from "../../../lab/command-line/example-clock.ts";
import { sourceLines } from "../../../src/cli/time/source-lines.ts";
import type { TimeSource } from "../../../src/contract/types.ts";

function listed(sources: readonly TimeSource[]): readonly string[] {
  const lines = sourceLines(sources);
  for (const line of lines) {
    assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
    assert.match(line, /^[ -~]*$/, "printable ASCII alone");
  }
  return lines;
}

describe("sourceLines", () => {
  it("lists nothing where there are no sources", () => assert.deepEqual(sourceLines([]), []));

  it("says why a source has no offset", () => {
    const silent = exampleSource({ state: "unreachable", reason: exampleReason("no answer"), reach: 0 });
    const lines = listed([silent]);
    assert.deepEqual(
      [lines.length, lines[1], lines[2]],
      [3, "? ntp1.example   -      0          -           -  unreachable", "    no answer"],
    );
  });

  it("shows reach in octal, as ntpq and chronyc do", () => {
    const [, line] = listed([heardSource("ntp1.example", [0, 0.01], { reach: 0b1111_1110 })]);
    assert.match(line ?? "", / 376 /);
  });

  it("marks each as chronyc does, and says which side a false one is on", () => {
    const why = exampleReason("the majority says another time");
    const lines = listed([
      heardSource("ntp1.example", [0.001, 0.01], { state: "selected" }),
      heardSource("ntp2.example", [-0.002, 0.008]),
      heardSource("ntp3.example", [0.003, null], { state: "outlier", reason: exampleReason("it scatters") }),
      heardSource("ntp4.example", [3, 0.01], { state: "falseticker", reason: why }),
    ]);
    const marks = lines.slice(1).flatMap((line) => (line.startsWith("    ") ? [] : [line.slice(0, 1)]));
    assert.deepEqual(marks, ["*", "+", "~", "x"]);
    assert.match(lines.join("\n"), / \+3\.00 s +10\.0 ms +falseticker\n {4}the majority says another time$/);
    assert.match(lines.join("\n"), / \+3\.00 ms +- +outlier$/m, "one that does not say how sure it is");
  });

  const tenYears = 10 * 365.25 * 86_400;
  const sizes: [offset: number, uncertainty: number, figures: RegExp][] = [
    [1e-6, 5e-6, /\+1\.00 us {5}5\.00 us/],
    [-0.012_345, 0.001, /-12\.3 ms {5}1\.00 ms/],
    [2_000, 0.02, /\+2000 s {5}20\.0 ms/],
    [tenYears, 0.02, /\+10\.0 y {5}20\.0 ms/],
    [-tenYears, 86_400, /-10\.0 y {6}24\.0 h/],
    [Number.MAX_VALUE, 0, / \+>9999 y +0 us/],
    [Number.NaN, 0.01, / \+NaN us {5}10\.0 ms/],
  ];
  for (const [offset, uncertainty, figures] of sizes) {
    it(`chooses units for ${offset} s +- ${uncertainty} s`, () =>
      assert.match(listed([heardSource("a.example", [offset, uncertainty])]).join("\n"), figures));
  }

  it("keeps eight sources of every state and long names within 80 columns", () => {
    const states = ["selected", "candidate", "outlier", "falseticker"] as const;
    const others = ["unreachable", "kod", "suspect", "unused"] as const;
    const name = (index: number) => `a-very-long-name-of-a-time-server-${index}.example.net:12345`;
    const lines = listed([
      ...states.map((state, index) => heardSource(name(index), [index * 1e-4, 0.5], { state })),
      ...others.map((state, index) => exampleSource({ host: name(index + 4), state })),
    ]);
    assert.equal(lines.filter((line) => line.includes(".net:12345")).length, 8);
  });

  it("shows the address behind a name", () => {
    const lines = listed([
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
      assert.match(listed([heardSource("a.example", [0, 0.01], change)]).join("\n"), harmless);
    });
  }
});
