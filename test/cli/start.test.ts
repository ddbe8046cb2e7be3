import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { wholeTable } from "../../src/cli/command-table.ts";
import { completionScript, shells } from "../../src/terminal/completion/completion.ts";

const commandTable = await wholeTable();

const root = join(import.meta.dirname, "../..");
const version = readFileSync(join(root, "dist/version"), "utf8").trim();

/** Copies the launcher without the program that it would load. */
function startAlone(test: TestContext): string {
  const directory = temporaryDirectory(test);
  for (const name of ["main.js", "package.json", "completion"])
    cpSync(join(root, "dist", name), join(directory, name), { recursive: true });
  return join(directory, "main.js");
}

const run = (main: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
};

describe("the program, as far as it is loaded", () => {
  it("says its version without the rest of it", (test) => {
    const said = { status: 0, stdout: `steward ${version}\n`, stderr: "" };
    assert.deepEqual(run(startAlone(test), "--version"), said);
  });

  it("prints the completion scripts of its command table without the rest of it", (test) => {
    const main = startAlone(test);
    for (const shell of shells) {
      const said = { status: 0, stdout: completionScript(shell, commandTable), stderr: "" };
      assert.deepEqual(run(main, "completion", shell), said);
    }
  });

  it("is loaded for all else: other words, and what does not stand alone", (test) => {
    const main = startAlone(test);
    for (const args of [
      ["version"],
      ["completion"],
      ["completion", "bash", "-o", "json"],
      ["--version", "x"],
      ["serve", "--help"],
    ])
      assert.match(run(main, ...args).stderr, /ENOENT.*parts\/command-line-/);
    assert.match(run(main, "serve").stderr, /ENOENT.*parts\/agent-/);
  });
});
