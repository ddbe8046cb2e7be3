import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeCommand } from "../../lab/host/journal.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";

const limits = { timeoutMilliseconds: 120_000 };
const run = createRunCommand();

describe("a command", () => {
  it("is run with its arguments as they are: no shell reads them", async () => {
    const result = await run("printf", ["%s|", "a b", "$(id)", "*", ";", "--help"], limits);
    assert.deepEqual(result, { status: 0, stdout: "a b|$(id)|*|;|--help|", stderr: "" });
  });

  it("has the C locale and PATH in its environment and nothing of ours", async () => {
    const { stdout } = await run("env", [], limits);
    assert.deepEqual(stdout.trim().split("\n").sort(), ["LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]);
  });

  it("that fails gives its status and what it complained about", async (test) => {
    const command = writeCommand(test, "failing", "echo out; echo complaint >&2; exit 7");
    assert.deepEqual(await run(command, [], limits), { status: 7, stdout: "out\n", stderr: "complaint\n" });
  });

  it("that waits for input gets none and goes on", async () => {
    assert.equal((await run("cat", [], limits)).status, 0);
  });

  it("that takes too long is killed, and whatever it started does not hold us", async (test) => {
    const command = writeCommand(test, "endless", "trap '' TERM; sleep 3600 & sleep 3600");
    // Waited for, it would outlast this test.
    assert.equal((await run(command, [], { timeoutMilliseconds: 100 })).status, null);
  });

  it("ends with its signal, and is not waited for", async () => {
    const signal = AbortSignal.timeout(50);
    await assert.rejects(run("sleep", ["3600"], { ...limits, signal }));
  });

  it("that says more than 256 KiB is killed", async (test) => {
    const command = writeCommand(test, "babbling", "exec yes");
    const { status, stdout } = await run(command, [], limits);
    assert.equal(status, null);
    assert.equal(stdout.length, 262_144);
  });

  for (const [program, code] of [
    ["/nonexistent/program", "ENOENT"],
    ["no-such-program", "ENOENT"],
    ["/etc/passwd", "EACCES"],
  ] as const)
    it(`that cannot be started rejects: ${program}`, () =>
      assert.rejects(run(program, [], limits), { code }));
});
