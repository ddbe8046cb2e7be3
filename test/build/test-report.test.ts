import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Report, type RunEvent } from "../../scripts/test-runner/report.ts";

const file = "a.test.ts";

const told = (type: string, nesting: number, name: string, details: object = {}): RunEvent => ({
  type: `test:${type}`,
  data: { name, nesting, file, line: 1, column: 1, details: { passed: true, ...details } },
});

/** As node tells of two suites at once, each of one test: of the second it says twice that it is complete. */
async function* twoAtOnce(): AsyncGenerator<RunEvent> {
  const failed = { passed: false, error: { failureType: "testCodeFailure", cause: "no" } };
  for (const name of ["one", "two"]) yield told("dequeue", 0, name);
  for (const name of ["of one", "of two"]) yield told("dequeue", 1, name);
  yield told("complete", 1, "of two", failed);
  yield told("start", 0, "one");
  yield told("complete", 1, "of one");
  yield told("start", 1, "of one");
  yield told("pass", 1, "of one");
  yield told("pass", 0, "one", { type: "suite" });
  yield told("complete", 1, "of two", failed);
  yield told("start", 0, "two");
  yield told("start", 1, "of two");
  yield told("fail", 1, "of two", failed);
  const follows = { type: "suite", passed: false, error: { failureType: "subtestsFailed" } };
  yield told("fail", 0, "two", follows);
  yield told("complete", 0, file, follows);
}

/** As node tells of a test that failed within another, and of a suite whose hook failed; it counts the outer test too. */
async function* withinAnother(): AsyncGenerator<RunEvent> {
  const failed = (failureType: string) => ({ passed: false, error: { failureType, cause: "no" } });
  yield told("start", 0, "outer");
  yield told("start", 1, "inner");
  yield told("fail", 1, "inner", failed("testCodeFailure"));
  yield told("fail", 0, "outer", failed("subtestsFailed"));
  yield told("start", 0, "suite");
  yield told("fail", 0, "suite", { type: "suite", ...failed("hookFailed") });
  yield { type: "test:diagnostic", data: { nesting: 0, message: "fail 3" } };
}

describe("the report of a run of tests", () => {
  it("counts each test once that ran beside others, and names it by its own suite", async () => {
    const said: string[] = [];
    const report = new Report((text) => said.push(text));
    await report.takeProcess(file, [], twoAtOnce());
    const [line = ""] = said;
    assert.match(line, /^✖ a\.test\.ts: 1 passed, 1 failed \(/);
    assert.deepEqual(line.match(/✖ a\.test\.ts > .*/g), [`✖ ${file} > two > of two (${file}:1:1)`]);
  });

  it("sums up as many failures as it tells of, also where one test is within another or a hook failed", async () => {
    const said: string[] = [];
    const report = new Report((text) => said.push(text));
    await report.takeProcess(file, [], withinAnother());
    await report.tellEnd(1);
    const text = stripVTControlCharacters(said.join("\n"));
    assert.match(text, /^2 failed, in full above:$/m);
    assert.match(text, /^ℹ fail 2$/m);
  });

  it("tells of a hook outside of all suites that failed, though each test has passed", async () => {
    const said: string[] = [];
    const report = new Report((text) => said.push(text));
    async function* ofHook(): AsyncGenerator<RunEvent> {
      yield told("start", 0, "one");
      yield told("pass", 0, "one");
      yield told("fail", 0, file, { passed: false, error: { failureType: "hookFailed", cause: "no" } });
      yield told("complete", 0, file, { passed: false, error: { failureType: "subtestsFailed" } });
    }
    await report.takeProcess(file, [], ofHook());
    assert.match(said.join("\n"), /^✖ a\.test\.ts: 1 passed, 1 failed \(/);
    assert.ok(report.hasFailures());
  });

  it("names each file of a process in which no test ran, though others had some", async () => {
    const said: string[] = [];
    const report = new Report((text) => said.push(text));
    async function* ofOne(): AsyncGenerator<RunEvent> {
      yield told("start", 0, "one");
      yield told("pass", 0, "one");
    }
    await report.takeProcess("folder 1", [file, "empty.test.ts"], ofOne());
    const [line = ""] = said;
    assert.match(line, /^✖ folder 1: 1 passed, 1 failed \(/);
    assert.match(line, /✖ folder 1 \(empty\.test\.ts\)\n +no test ran in this file/);
  });
});
