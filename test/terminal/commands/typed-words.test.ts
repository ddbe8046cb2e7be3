import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { wholeTable } from "../../../src/cli/command-table.ts";
import { nearMisses, suggestion } from "../../../src/terminal/commands/near-miss.ts";
import { inTypedWords } from "../../../src/terminal/commands/typed-words.ts";

const { commands } = await wholeTable();

const said = (path: string, text: string): string => {
  const command = commands.find((one) => one.path.join(" ") === path);
  assert.ok(command, path);
  return inTypedWords(text, command);
};

describe("a refusal of the agent", () => {
  it("names options, settings and words of the line, as the agent refuses each", async (test) => {
    const home = temporaryDirectory(test);
    const environment = { STEWARD_STATE: home, STEWARD_SOCKET: `${home}/none.sock` };
    await runSteward(["user", "add", "anna", "--generate"], { environment });
    const token = ["token", "add", "--user", "anna", "--name", "x", "--scope", "system:read"];
    const cases: readonly (readonly [RegExp, ...string[]])[] = [
      [/: NAME must be 3 to 32 .*\n {2}NAME: must be/s, "user", "add", "Bad Name", "--generate"],
      [/NAME: must be .*; it has "B" at place 1$/m, "user", "add", "Bob", "--generate"],
      [
        /NAME: must be .*; it has a no-break space \(U\+00A0\) at place 4$/m,
        "user",
        "add",
        "bob\u00a0",
        "--generate",
      ],
      [/: --display-name must have at most/, "user", "set", "anna", "--display-name", "x".repeat(300)],
      [/: --limit must be at most 200.*\n {2}--limit: must/s, "events", "--limit", "99999"],
      [/: --expires-in must be 1h to 366d/, ...token, "--expires-in", "5000d"],
      [
        /: update\.ota\.server must be .*\n {2}security\.session_idle: must/s,
        ...["system", "set", "update.ota.server=ftp://x", "security.session_idle=9999d"],
      ],
    ];
    for (const [expected, ...args] of cases) {
      const { code, stderr } = await runSteward(args, { environment });
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /Member|Parameter|\/[a-z_]+:/);
      assert.equal(code, 6, stderr);
    }
  });

  it("keeps pointers into a file, members without an option, and paths", () => {
    for (const [path, text] of [
      ["apply", "Member /users/0/role must be one of these.\n  /users/0/role: must be one"],
      ["apply", "Member /version must be 1.\n  /version: must be 1"],
      ["token add", "Member /nonsense is not known."],
      ["token add", "The file /user/name cannot be read: /user"],
      ["system set", "/var/lib/steward is read-only; Member of /etc/steward"],
      ["user list", "The code is storage_full."],
    ] as const)
      assert.equal(said(path, text), text);
  });

  it("calls what was asked for and not typed by its name, not by a word of the line", () => {
    const member = "Member /new_password must have at most 256 characters.\n  /new_password: must have";
    const named = "new password must have at most 256 characters.\n  new password: must have";
    assert.equal(said("user set", member), named);
    const code = "  /code: must be 6 digits";
    assert.equal(said("user 2fa enable", code), "  code: must be 6 digits");
  });

  it("names the option for what it calls by another name", () => {
    const owner = "Root has no API tokens: name the owner with user_id. Nothing was created.";
    assert.match(said("token add", owner), /name the owner with --user\./);
    const clock = "Repeat with `allow_unsynchronised_clock: true`.";
    assert.equal(said("user 2fa enable", clock), "Repeat with --allow-unsynchronised-clock.");
    assert.match(said("system time-zone", "Member /time_zone is no time zone."), /^ZONE is no time zone/);
  });
});

describe("nearMisses", () => {
  it("finds a word with two neighbours swapped", () =>
    assert.deepEqual(nearMisses("lsit", ["list", "show"]), ["list"]));
  it("finds a word that begins like it", () => {
    assert.deepEqual(nearMisses("compl", ["completion", "state"]), ["completion"]);
  });
  it("puts the nearest first", () =>
    assert.deepEqual(nearMisses("anna", ["hanna", "anna2x", "anna"])[0], "anna"));
  it("finds nothing when nothing is near", () => assert.deepEqual(nearMisses("zzz", ["list", "show"]), []));
});

describe("suggestion", () => {
  it("asks whether the near words were meant", () => {
    assert.equal(suggestion("usr", ["user", "system"]), '; did you mean "user"?');
  });
  it("ends the sentence when nothing is near", () => assert.equal(suggestion("zzz", ["user"]), "."));
});
