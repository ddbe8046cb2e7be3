import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Report, type RunEvent } from "../../scripts/test-runner/report.ts";

const file = "a.test.ts";

const told = (type: string, nesting: number, name: string, details: object = {}): RunEvent => ({
  type: `test:${type}`,
  data: { name, nesting, file, line: 1, column: 1, details: { passed: true, ...details } },
});
const failed = (failureType: string) => ({ passed: false, error: { failureType, cause: "no" } });
const suite = { type: "suite" };
const one = [told("start", 0, "one"), told("pass", 0, "one")];

/** As node tells of two suites at once, each of one test: of the second it says twice that it is complete. */
const twoAtOnce = [
  ...["one", "two"].map((name) => told("dequeue", 0, name)),
  ...["of one", "of two"].map((name) => told("dequeue", 1, name)),
  told("complete", 1, "of two", failed("testCodeFailure")),
  told("start", 0, "one"),
  ...["complete", "start", "pass"].map((type) => told(type, 1, "of one")),
  told("pass", 0, "one", suite),
  told("complete", 1, "of two", failed("testCodeFailure")),
  ...[told("start", 0, "two"), told("start", 1, "of two")],
  told("fail", 1, "of two", failed("testCodeFailure")),
  told("fail", 0, "two", { ...suite, ...failed("subtestsFailed") }),
  told("complete", 0, file, { ...suite, ...failed("subtestsFailed") }),
];

/** As node tells of a test that failed within another, and of a suite whose hook failed; it counts the outer test too. */
const withinAnother = [
  ...[told("start", 0, "outer"), told("start", 1, "inner")],
  told("fail", 1, "inner", failed("testCodeFailure")),
  told("fail", 0, "outer", failed("subtestsFailed")),
  told("start", 0, "suite"),
  told("fail", 0, "suite", { ...suite, ...failed("hookFailed") }),
  { type: "test:diagnostic", data: { nesting: 0, message: "fail 3" } },
];

/** A hook outside of all suites failed, though each test has passed. */
const ofHook = [
  ...one,
  told("fail", 0, file, failed("hookFailed")),
  told("complete", 0, file, failed("subtestsFailed")),
];

describe("the report of a run of tests", () => {
  for (const [claim, name, files, events, ...expected] of [
    [
      "counts each test once that ran beside others, and names it by its own suite",
      ...([file, [], twoAtOnce] as const),
      /^✖ a\.test\.ts: 1 passed, 1 failed \(.*\n +✖ a\.test\.ts > two > of two \(a\.test\.ts:1:1\)\n +no\n/,
    ],
    [
      "sums up as many failures as it tells of, also where one test is within another or a hook failed",
      ...([file, [], withinAnother] as const),
      ...[/^2 failed, in full above:$/m, /^ℹ fail 2$/m],
    ],
    [
      "tells of a hook outside of all suites that failed",
      ...([file, [], ofHook, /^✖ a\.test\.ts: 1 passed, 1 failed \(/] as const),
    ],
    [
      "names each file of a process in which no test ran, though others had some",
      ...(["folder 1", [file, "empty.test.ts"], one, /^✖ folder 1: 1 passed, 1 failed \(/] as const),
      /✖ folder 1 \(empty\.test\.ts\)\n +no test ran in this file/,
    ],
  ] as const)
    it(claim, async () => {
      const said: string[] = [];
      const report = new Report((text) => said.push(text));
      await report.takeProcess(name, files, Readable.from(events));
      await report.tellEnd(1);
      assert.ok(report.hasFailures());
      for (const words of expected) assert.match(stripVTControlCharacters(said.join("\n")), words);
    });
});
