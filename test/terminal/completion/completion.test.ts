import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { completeEach } from "../../../lab/command-line/bash-completion.ts";
import { stewardCommand, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { exampleUser, pageOf, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { wholeTable } from "../../../src/cli/command-table.ts";
import { completionScript, shells } from "../../../src/terminal/completion/completion.ts";

const commandTable = await wholeTable();
const { commands } = commandTable;

const script = completionScript("bash", commandTable);

/** Asks bash for the completions of a line. This process stays free, for it may have to answer `steward`. */
async function completeLive(steward: string, words: readonly string[]): Promise<string[]> {
  const program = `${script}\nCOMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n_steward\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program, "bash", steward, ...words]);
  return stdout.split("\n").filter(Boolean);
}

describe("the bash completion", () => {
  it("is valid bash", () => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: script, encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
  });

  const offers: [line: string, expected: string][] = [
    ["us", "user"],
    ["user s", "show set sessions"],
    ["-o json user r", "rm rescue"],
    ["--socket user sys", "system"],
    ["user list --role ", "admin operator readonly"],
    ["user list --role = a", "admin"],
    ["user list --role =", "admin operator readonly"],
    ["events --ver", "--verify --version"],
    ["user modify --d", "--display-name"],
    ["user 2fa re", "recovery-codes recover reset"],
    ["token add --scope logs:read --scope u", "updates:check updates:apply users:read"],
    ["user list --lo", "--locked"],
    ["user show --so", "--socket"],
    ["serve --l", "--listen"],
    ["system get update.ota.c", "update.ota.channel update.ota.check_interval"],
    ["system set device.na", "device.name="],
    ["user show ", ""],
    ["help us", "user"],
    ["state restore u", "users used-codes updates"],
    ["logs --priority e", "emerg err"],
    ["update apply ", "rules binary all"],
  ];
  const offered = completeEach(
    commandTable,
    offers.map(([line]) => line.split(" ")),
  );
  for (const [index, [line, expected]] of offers.entries()) {
    it(`offers ${expected || "nothing"} after "${line}"`, () => {
      assert.deepEqual(offered[index], expected.split(" ").filter(Boolean));
    });
  }

  it("offers the agent's names where one is expected, and carries nothing out that stands in them", async (test) => {
    const directory = temporaryDirectory(test);
    const users = [
      exampleUser({ username: "anna" }),
      exampleUser({ username: `a$(touch ${directory}/carried-out)` }),
      exampleUser({ username: "bert" }),
    ];
    const { socketPath } = await startAgent(test, { "GET /api/users": pageOf(...users) });
    const steward = join(directory, "steward");
    const words = stewardCommand.map((word) => `'${word}'`).join(" ");
    writeFileSync(steward, `#!/bin/sh\nSTEWARD_SOCKET=${socketPath} exec ${words} "$@"\n`, { mode: 0o755 });
    const offered = (line: readonly string[]) => completeLive(steward, line);
    const names = await offered(["user", "show", ""]);
    assert.deepEqual(
      names,
      users.map(({ username }) => username),
    );
    assert.deepEqual(await offered(["user", "2fa", "reset", "b"]), ["bert"]);
    assert.deepEqual(await offered(["token", "list", "--user", "an"]), ["anna"]);
    assert.deepEqual(await offered(["user", "show", "--so"]), ["--socket"]);
    assert.deepEqual(await offered(["token", "rm", ""]), []);
    assert.equal(existsSync(join(directory, "carried-out")), false);
  });

  it("offers files where a file is expected, whatever their names", (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "token $(exit 1).txt"), "");
    assert.deepEqual(completeEach(commandTable, [["--token-file", "tok"]], directory), [
      ["token $(exit 1).txt"],
    ]);
  });
});

for (const shell of shells) {
  describe(`the ${shell} completion`, () => {
    it("knows every command's last word and every option", () => {
      const text = completionScript(shell, commandTable);
      for (const { path, options } of commands.filter(({ isHidden }) => !isHidden)) {
        for (const word of [path.at(-1), ...options.map(({ name }) => name)]) {
          assert.match(text, new RegExp(`[ '"-]${word}\\b`), `${shell}: ${word}`);
        }
      }
    });

    it("is accepted by the shell", {
      skip: spawnSync(shell, ["-c", "true"]).error !== undefined && `${shell} is not installed`,
    }, (test) => {
      // fish reads a script from a file only.
      const path = join(temporaryDirectory(test), "script");
      writeFileSync(path, completionScript(shell, commandTable));
      const { status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    });
  });
}
