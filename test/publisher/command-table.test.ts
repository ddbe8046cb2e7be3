import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { completeEach } from "../../lab/command-line/bash-completion.ts";
import { runPublisher } from "../../lab/publisher/run-publisher.ts";
import { commandTable } from "../../src/publisher/command-table.ts";
import { groupOf } from "../../src/terminal/commands/command.ts";
import { completionScript, shells } from "../../src/terminal/completion/completion.ts";

const { commands, groups, globalOptions } = commandTable;

describe("the command line of steward-publisher", () => {
  const mistakes: [line: string, message: RegExp][] = [
    ["", /^steward-publisher: A command is missing[\s\S]*^ {2}publish DIR/m],
    ["publsh site", /no command "publsh"; did you mean "publish"\?\nUsage: steward-publisher COMMAND/],
    ["repo init site", /no command "repo"/],
    ["add site x.tar.gz --version 1.0.0", /one argument too many\. --version takes no value/],
    ["add site --kind firmware", /--kind is one of rules, binary, not "firmware"/],
    ["sign site", /ROLE is missing/],
    ["sign site rule", /ROLE is one of root, timestamp, snapshot, targets, rules, binary, not "rule"/],
    ["sign site root --print --attach x", /--print and --attach exclude each other/],
    ["renew site timestamp", /ROLE is one of root, targets, rules, binary, not "timestamp"/],
    ["publish site --socket /run/steward.sock", /"steward-publisher publish" has no option --socket/],
  ];
  for (const [line, message] of mistakes)
    it(`refuses "${line}" as a usage error that names the mistake`, async () => {
      const { code, stdout, stderr } = await runPublisher(line.split(" ").filter(Boolean));
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
    });

  it("says its version and its help", async () => {
    assert.equal((await runPublisher(["--version"])).stdout, "steward-publisher 0.1.0\n");
    const { stdout } = await runPublisher(["help"]);
    assert.equal((await runPublisher(["--help"])).stdout, stdout);
    assert.match(stdout, /^Publishing updates:\n {2}init DIR/m);
    assert.match(stdout, /^ {2}10 {3}done, but published metadata expires soon/m);
  });

  it("has each command in one group of the help", () => {
    for (const command of commands) assert.ok(groupOf(commandTable, command), command.path.join(" "));
    const words = groups.flatMap((group) => group.words);
    assert.deepEqual(words, [...new Set(words)]);
  });

  it("gives an option's name the same meaning in every command, as the parser needs it", () => {
    const options = [...globalOptions, ...commands.flatMap((command) => command.options)];
    for (const { name, value, short } of options)
      for (const other of options.filter((candidate) => candidate.name === name))
        assert.deepEqual([value === undefined, short], [other.value === undefined, other.short], `--${name}`);
  });
});

describe("the completion of steward-publisher", () => {
  it("offers commands, and the values of options and arguments", () => {
    const offered = completeEach(commandTable, [
      ["in"],
      ["add", "site", "--kind", ""],
      ["sign", "site", "t"],
    ]);
    assert.deepEqual(offered, [
      ["init", "inspect"],
      ["rules", "binary"],
      ["timestamp", "targets"],
    ]);
  });

  for (const shell of shells)
    it(`is accepted by ${shell}`, {
      skip: spawnSync(shell, ["-c", "true"]).error !== undefined && `${shell} is not installed`,
    }, async (test) => {
      // fish reads a script from a file only.
      const path = join(await temporaryDirectory(test), "script");
      const { stdout } = await runPublisher(["completion", shell]);
      assert.equal(stdout, completionScript(shell, commandTable));
      writeFileSync(path, stdout);
      const { status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    });
});
