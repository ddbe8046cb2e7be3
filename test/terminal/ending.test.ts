import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { startAgent } from "../../lab/state/state-directory.ts";

const root = join(import.meta.dirname, "../..");

/** Milliseconds: a process that is not over then never ends. */
const endlessMilliseconds = 120_000;

/** Enough for V8 to give its threads something to compile. */
const warm =
  "let sum = 0; const add = (n) => { for (let i = 0; i < n; i += 1) sum += i % 7; }; for (let i = 0; i < 2_000; i += 1) add(5_000);";

describe("where glibc loses the signals that wake V8's threads", () => {
  const ending = endOfSuite();
  let environment: Record<string, string>;

  before(async () => {
    const library = join(await temporaryDirectory(ending), "lost-wakeups.so");
    const source = join(root, "test/fixtures/lost-wakeups.c");
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "pipe" });
    environment = { LD_PRELOAD: library };
  });

  /** Exit status of node with these arguments; the signal where it had to be killed. */
  async function ended(...words: string[]): Promise<number | NodeJS.Signals | null> {
    const child = spawn(process.execPath, words, {
      stdio: "ignore",
      env: { ...process.env, ...environment },
      timeout: endlessMilliseconds,
      killSignal: "SIGKILL",
    });
    return new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  }

  for (const [name, status, ...words] of [
    ["a command", 0, "main.js", "user", "--help"],
    ["a command that fails", 8, "main.js", "status", "--socket", "/nowhere/steward.sock"],
    ["the installer", 2, "installer.js", "unknown"],
    ["the check of the program itself", 0, "self-check.js"],
    ["the reading of host facts", 0, "slow-facts.js"],
    ["the process that unpacks a patch, without one", 1, "unpack-patch.js", "{}"],
    ["the process of key exchanges", 0, "nts-key-exchange.js", "{}"],
  ] as const)
    it(`${name} ends`, async () => {
      const [program, ...rest] = words;
      assert.equal(await ended(join(root, "dist", program), ...rest), status);
    });

  it("the agent ends when it is told to stop", async (test) => {
    const agent = await startAgent(test, { environment });
    assert.equal(await agent.stop(), 0);
  });

  it("a process of tests ends, by the options that the runner gives it", async () => {
    assert.equal(await ended(...process.execArgv, "--eval", warm), 0);
  });
});
