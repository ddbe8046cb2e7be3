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
    const cases: Readonly<Record<string, RegExp>> = {
      "user|add|Bad Name|--generate": /: NAME must be 3 to 32 .*\n {2}NAME: must be/s,
      "user|add|Bob|--generate": /NAME: must be .*; it has "B" at place 1$/m,
      "user|add|bob\u00a0|--generate": /NAME: must be .*; it has a no-break space \(U\+00A0\) at place 4$/m,
      [`user|set|anna|--display-name|${"x".repeat(300)}`]: /: --display-name must have at most/,
      "events|--limit|99999": /: --limit must be at most 200.*\n {2}--limit: must/s,
      "token|add|--user|anna|--name|x|--scope|system:read|--expires-in|5000d":
        /: --expires-in must be 1h to 366d/,
      "system|set|update.ota.server=ftp://x|security.session_idle=9999d":
        /: update\.ota\.server must be .*\n {2}security\.session_idle: must/s,
    };
    for (const [line, expected] of Object.entries(cases)) {
      const { code, stderr } = await runSteward(line.split("|"), { environment });
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

  for (const [path, text, expected] of [
    // An answer to a question has its own name, which is no word of the line.
    [
      "user set",
      "Member /new_password must have.\n  /new_password: must",
      "new password must have.\n  new password: must",
    ],
    ["user 2fa enable", "  /code: must be 6 digits", "  code: must be 6 digits"],
    ["token add", "Name the owner with user_id.", "Name the owner with --user."],
    [
      "user 2fa enable",
      "Repeat with `allow_unsynchronised_clock: true`.",
      "Repeat with --allow-unsynchronised-clock.",
    ],
    ["system time-zone", "Member /time_zone is no time zone.", "ZONE is no time zone."],
  ] as const)
    it(`says ${JSON.stringify(expected)} at steward ${path}`, () => assert.equal(said(path, text), expected));
});

describe("words near to one that is typed", () => {
  for (const [typed, words, near] of [
    ["lsit", ["list", "show"], ["list"]],
    ["compl", ["completion", "state"], ["completion"]],
    ["zzz", ["list", "show"], []],
  ] as const)
    it(`are ${near.join() || "none"} for ${typed}`, () => assert.deepEqual(nearMisses(typed, words), near));

  it("are suggested, the nearest first", () => {
    assert.equal(nearMisses("anna", ["hanna", "anna2x", "anna"])[0], "anna");
    assert.equal(suggestion("usr", ["user", "system"]), '; did you mean "user"?');
    assert.equal(suggestion("zzz", ["user"]), ".");
  });
});
