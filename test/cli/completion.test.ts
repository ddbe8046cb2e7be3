import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commands } from "../../src/cli/command-table.ts";
import { completionScript, shells } from "../../src/cli/completion.ts";
import { temporaryDirectory } from "./run-steward.ts";

const script = completionScript("bash", commands);

/** What bash offers after these words, of which the last is the one being typed. */
function complete(words: readonly string[], directory?: string): string[] {
  const program = `${script}\nCOMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n_steward\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync("bash", ["-c", program, "bash", "steward", ...words], {
    cwd: directory,
    encoding: "utf8",
  });
  return output.split("\n").filter(Boolean);
}

describe("the bash completion", () => {
  it("is valid bash", () => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: script, encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
  });

  const offers: [words: string[], expected: string[]][] = [
    [["us"], ["user"]],
    [
      ["user", "s"],
      ["show", "set", "sessions"],
    ],
    [
      ["-o", "json", "user", "r"],
      ["rm", "rescue"],
    ],
    [["--socket", "user", "sys"], ["system"]],
    [
      ["user", "list", "--role", ""],
      ["admin", "operator", "readonly"],
    ],
    [["user", "list", "--role", "=", "a"], ["admin"]],
    [
      ["user", "list", "--role", "="],
      ["admin", "operator", "readonly"],
    ],
    [
      ["-o", ""],
      ["table", "json"],
    ],
    [
      ["events", "--ver"],
      ["--verify", "--version"],
    ],
    [["user", "modify", "--d"], ["--display-name"]],
    [
      ["user", "2fa", "re"],
      ["recovery-codes", "recover", "reset"],
    ],
    [
      ["token", "add", "--scope", "logs:read", "--scope", "u"],
      ["updates:check", "updates:apply", "users:read"],
    ],
    [["user", "list", "--lo"], ["--locked"]],
    [["user", "show", "--lo"], []],
    [["user", "show", "--so"], ["--socket"]],
    [["serve", "--l"], ["--listen"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [
      ["system", "get", "update.ota.c"],
      ["update.ota.channel", "update.ota.check_interval"],
    ],
    [["system", "set", "device.n"], ["device.name="]],
    [["user", "show", ""], []],
    [
      ["logs", "--priority", "e"],
      ["emerg", "err"],
    ],
    [["logs", "--f"], ["--follow"]],
    [
      ["time", "s"],
      ["status", "sync", "set"],
    ],
    [
      ["time", "floor", ""],
      ["show", "reset"],
    ],
    [["time", "sync", "--f"], ["--force"]],
    [["time", "reselect", "--f"], []],
    [
      ["update", "apply", ""],
      ["rules", "binary", "all"],
    ],
    [["update", "rollback", "b"], ["binary"]],
    [["update", "apply", "--a"], ["--again"]],
    [
      ["repo", "in"],
      ["init", "inspect"],
    ],
    [
      ["repo", "add", "site", "--kind", ""],
      ["rules", "binary"],
    ],
    [
      ["repo", "sign", "site", "t"],
      ["timestamp", "targets"],
    ],
  ];
  for (const [words, expected] of offers) {
    it(`offers ${expected.join(", ") || "nothing"} after "${words.join(" ")}"`, () => {
      assert.deepEqual(complete(words), expected);
    });
  }

  it("offers files where a file is expected, whatever their names", (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "token $(exit 1).txt"), "");
    assert.deepEqual(complete(["--token-file", "tok"], directory), ["token $(exit 1).txt"]);
  });
});

for (const shell of shells) {
  describe(`the ${shell} completion`, () => {
    it("knows every command's last word and every option", () => {
      const text = completionScript(shell, commands);
      for (const { path, options } of commands) {
        for (const word of [path.at(-1), ...options.map(({ name }) => name)]) {
          assert.match(text, new RegExp(`[ '"-]${word}\\b`), `${shell}: ${word}`);
        }
      }
    });

    it("is accepted by the shell", { skip: spawnSync(shell, ["-c", "true"]).error !== undefined }, (test) => {
      // fish reads a script from a file only.
      const path = join(temporaryDirectory(test), "script");
      writeFileSync(path, completionScript(shell, commands));
      const { status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    });
  });
}
