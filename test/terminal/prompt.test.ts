import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { notedCalls, stewardCommand, temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { exampleUser, startAgent } from "../../lab/command-line/scripted-agent.ts";
import { type Typed, typeInto } from "../../lab/command-line/terminal.ts";

const added = { "POST /api/users": { status: 201, body: exampleUser() } };
const runOnTerminal = (args: readonly string[], answers: readonly Typed[]) =>
  typeInto([...stewardCommand, ...args], answers);

const erase = "\u007f";

/** The body that adds anna with this password. */
const bodyWith = (password: string) => ({ username: "anna", role: "readonly", enabled: true, password });

/** Adds anna at a terminal, where this is typed. */
async function addAnna(test: TestContext, answers: readonly Typed[], ...options: string[]) {
  const { socketPath, received } = await startAgent(test, added);
  return {
    ...(await runOnTerminal(["user", "add", "anna", ...options, "--socket", socketPath], answers)),
    received,
  };
}

describe("the hidden prompt", { concurrency: true }, () => {
  const taken: [what: string, password: string, answers: readonly Typed[]][] = [
    [
      "asks twice",
      "a hörse",
      [
        ["New password: ", "a hörse\r"],
        ["The same again: ", "a hörse\r"],
      ],
    ],
    [
      "takes both entries from one paste",
      "pasted words",
      [["New password: ", "pasted words\rpasted words\r"]],
    ],
    [
      "knows erase, erase line and arrow keys",
      "acd",
      [
        ["New password: ", `wrong\u0015ab\u00f6${erase}${erase}c\u001b[D\u001bOAd\r`],
        ["The same again: ", "acd\r"],
      ],
    ],
  ];
  for (const [what, password, answers] of taken)
    it(`${what}, does not show the typing, and restores the terminal`, async (test) => {
      const { code, screen, isRestored, received } = await addAnna(test, answers);
      assert.deepEqual([code, isRestored, received[0]?.body], [0, true, bodyWith(password)], screen);
      assert.doesNotMatch(screen, /correct|rse|pasted|acd/);
    });

  const refused: [what: string, exit: number, answers: readonly Typed[], shown: RegExp][] = [
    [
      "when the two entries differ",
      6,
      [
        ["New password: ", "one\r"],
        ["The same again: ", "other\r"],
      ],
      /The two entries differ/,
    ],
    ["at Ctrl-C", 130, [["New password: ", "abc\u0003"]], /New password/],
    ["at Ctrl-D", 130, [["New password: ", "\u0004"]], /New password/],
  ];
  for (const [what, exit, answers, shown] of refused)
    it(`ends with ${exit} ${what}, adds no user, and restores the terminal`, async (test) => {
      const { code, screen, isRestored, received } = await addAnna(test, answers);
      assert.deepEqual([code, isRestored, received], [exit, true, []], screen);
      assert.match(screen, shown);
    });

  it("refuses --password-stdin on a terminal, which would show it", async (test) => {
    assert.equal((await addAnna(test, [], "--password-stdin")).code, 2);
  });
});

describe("the confirmation", { concurrency: true }, () => {
  const users = {
    ...{ name: "users", condition: "ok", detail: "", size_bytes: 1, modified_at: null, good_copy_at: null },
    kept: [],
  };
  const answers: [typed: string, exit: number, calls: object[]][] = [
    ["y\r", 0, [{ verb: "reset", name: "users" }]],
    ["yes\r", 0, [{ verb: "reset", name: "users" }]],
    ["\r", 1, []],
    ["n\r", 1, []],
    ["\u0003", 130, []],
    ["\u0004", 130, []],
  ];
  for (const [typed, exit, calls] of answers) {
    it(`ends with ${exit} when ${JSON.stringify(typed)} is typed`, async (test) => {
      const directory = temporaryDirectory(test);
      writeFileSync(join(directory, "documents.json"), JSON.stringify([users]));
      const { code, screen, isRestored } = await runOnTerminal(
        ["state", "reset", "users", "--state", directory],
        [["[y/N] ", typed]],
      );
      assert.equal(code, exit, screen);
      assert.deepEqual(notedCalls(directory), calls);
      assert.ok(isRestored, screen);
    });
  }
});

describe("a question", () => {
  it("shows a hostile name harmlessly", async () => {
    const hostile = "an\u001b[2Jna\u202e";
    const { screen } = await runOnTerminal(
      ["user", "2fa", "recover", hostile, "--socket", "/nonexistent/s"],
      [["Password of", "\u0003"]],
    );
    assert.match(screen, /Password of an\\x1b\[2Jna\\x\{202e\}: /);
  });
});
