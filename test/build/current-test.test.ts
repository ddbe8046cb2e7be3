import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testProgram } from "../../lab/basics/test-program.ts";

describe("node:test that follows tests and no promises", () => {
  const program = testProgram(join(import.meta.dirname, "uncaught-errors-process.ts"));
  // Otherwise it takes itself for a file of this run, and tells of it in another form.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test-reporter=tap", ...program], {
    encoding: "utf8",
    env: environment,
  });
  const told = (stdout.match(/^ *(not )?ok .*/gm) ?? []).map((line) =>
    line.replace(/ \d+ -/, "").replace(/ #.*/, ""),
  );

  it("fails a test for an error that nothing has caught, ends it there, and goes on to the next", () => {
    assert.equal(status, 1);
    assert.ok(told.includes("    not ok hangs, and a timer throws"), stdout);
    assert.ok(told.includes("    not ok hangs, and a promise is rejected"), stdout);
    assert.match(stdout, /failureType: 'uncaughtException'\n *error: 'of a timer'/);
    assert.match(stdout, /failureType: 'unhandledRejection'\n *error: 'of a promise'/);
  });

  it("knows the suite of each test", () => {
    assert.deepEqual(told.slice(-3), ["        ok is well", "    ok inner", "not ok outer"]);
  });

  it("runs no hook at a promise", () => {
    assert.equal(told[0], "    ok follows no promise", stdout);
  });
});
