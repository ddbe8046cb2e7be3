import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { completeEach } from "../../lab/command-line/bash-completion.ts";
import { benchIn, release } from "../../lab/publisher/bench.ts";
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

  it("says its version and its help, which has no option of the agent", async () => {
    assert.equal((await runPublisher(["--version"])).stdout, "steward-publisher 0.1.0\n");
    const { stdout } = await runPublisher(["help"]);
    assert.equal((await runPublisher(["--help"])).stdout, stdout);
    assert.match(stdout, /^Publishing updates:\n {2}init DIR/m);
    assert.match(stdout, /^ {2}10 {3}done, but published metadata expires soon/m);
    for (const words of [[], ["publish"], ["inspect"]]) {
      const help = (await runPublisher([...words, "--help"])).stdout;
      assert.match(help, /^ +-o, --output/m);
      assert.doesNotMatch(help, /--(socket|state|url|insecure-http|token-file|cacert)\b/);
    }
  });

  it("has each command in one group of the help, and an option's name with one meaning, as the parser needs it", () => {
    for (const command of commands) assert.ok(groupOf(commandTable, command), command.path.join(" "));
    const words = groups.flatMap((group) => group.words);
    assert.deepEqual(words, [...new Set(words)]);
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
    }, async () => {
      // fish reads a script from a file only.
      const path = join(scratchDirectory(), "script");
      const { stdout } = await runPublisher(["completion", shell]);
      assert.equal(stdout, completionScript(shell, commandTable));
      writeFileSync(path, stdout);
      const { status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    });
});

/** Clears a screen, rings, turns text around, and begins a line that looks like an answer of the program. */
const hostile = "s\u001b[2J\u0007\u009b\u202e\nsteward: Forged";

/** Nothing that a terminal acts on, no line that a name began, and no line end that was meant and is shown as \x0a. */
function assertSafe(text: string, where: string): void {
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202e]/u, where);
  assert.doesNotMatch(text, /^steward: Forged/m, where);
  assert.doesNotMatch(text.replaceAll("\\x0asteward: Forged", ""), /\\x0a/, where);
}

describe("steward-publisher, with names that would drive a terminal", () => {
  it("says them on one line, escaped, in every message", async () => {
    const directory = join(scratchDirectory(), hostile);
    mkdirSync(directory);
    const { site, payload } = benchIn(directory);
    const away = join(directory, "away.pem");
    const lines: string[][] = [
      ["init", site],
      ["init", site],
      ["add", site, payload, ...release],
      ["sign", site, "rules", "--out", join(directory, "bytes")],
      ["sign", site, "rules", "--out", payload],
      ["publish", site],
      ["publish", site],
      ["publish", site, "--margin", "400d"],
      ["publish", site, "--margin", hostile],
      ["publish", site, "--key", away],
      ["renew", site, "root", "--new-key", "timestamp"],
      ["renew", site, "root", "--threshold", hostile],
      ["discard", site, "--dry-run"],
      ["discard", site],
      ["discard", site, "--yes"],
      ["discard", site],
      ["inspect", site],
      ["inspect", join(site, "nowhere")],
      ["add", site, payload, ...release, "--notes", hostile],
      ["add", site, payload, ...release, "--product", hostile],
    ];
    for (const words of lines) {
      const { stdout, stderr } = await runPublisher(words);
      assertSafe(stdout + stderr, words.slice(0, 1).concat(words.slice(2)).join(" "));
    }
    renameSync(join(site, "keys", "timestamp.pem"), away);
    const { code, stderr } = await runPublisher(["renew", site]);
    assert.equal(code, 5);
    assertSafe(stderr, "a renewal that waits for a signature");
  });

  it("prints no draft that contains control characters, and writes it to a file", async () => {
    const { directory, site, good, bad } = benchIn(scratchDirectory());
    await good("init", site);
    const path = join(site, "draft", "rules.json");
    const draft = JSON.parse(readFileSync(path, "utf8"));
    draft.signed.targets["stable/rules/\u001b[2Jx"] = { length: 1, hashes: { sha512: "ab" } };
    writeFileSync(path, JSON.stringify(draft));
    const { stdout, stderr } = await bad(6, "sign", site, "rules", "--print");
    assert.equal(stdout, "");
    assert.match(stderr, /contains control characters.*--out FILE/);
    await good("sign", site, "rules", "--out", join(directory, "bytes"));
  });
});
