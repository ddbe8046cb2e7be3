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

/** Adds anna at a terminal, where this is typed. */
async function addAnna(test: TestContext, answers: readonly Typed[], ...options: string[]) {
  const { socketPath, received } = await startAgent(test, added);
  const words = ["user", "add", "anna", ...options, "--socket", socketPath];
  return { ...(await runOnTerminal(words, answers)), received };
}

const twice = (one: string, other = one): readonly Typed[] => [
  ["New password: ", `${one}\r`],
  ["The same again: ", `${other}\r`],
];

describe("the hidden prompt", { concurrency: true }, () => {
  // With erase, erase line and arrow keys.
  const edited = "wrong\u0015ab\u00f6\u007f\u007fc\u001b[D\u001bOAd";
  for (const [what, password, answers] of [
    ["asks twice", "a hörse", twice("a hörse")],
    ["takes both from one paste", "pasted words", [["New password: ", "pasted words\rpasted words\r"]]],
    ["knows the keys of an editor", "acd", twice(edited, "acd")],
  ] as const)
    it(`${what}, does not show the typing, and restores the terminal`, async (test) => {
      const { code, screen, isRestored, received } = await addAnna(test, answers);
      const body = { username: "anna", role: "readonly", enabled: true, password };
      assert.deepEqual([code, isRestored, received[0]?.body], [0, true, body], screen);
      assert.doesNotMatch(screen, /correct|rse|pasted|acd/);
    });

  for (const [what, exit, answers, shown] of [
    ["when the two entries differ", 6, twice("one", "other"), /The two entries differ/],
    ["at Ctrl-C", 130, [["New password: ", "abc\u0003"]], /New password/],
    ["at Ctrl-D", 130, [["New password: ", "\u0004"]], /New password/],
  ] as const)
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
  const answers = { 0: ["y\r", "yes\r"], 1: ["\r", "n\r"], 130: ["\u0003", "\u0004"] };
  for (const [exit, all] of Object.entries(answers))
    for (const typed of all)
      it(`ends with ${exit} when ${JSON.stringify(typed)} is typed`, async (test) => {
        const directory = temporaryDirectory(test);
        writeFileSync(join(directory, "documents.json"), JSON.stringify([users]));
        const words = ["state", "reset", "users", "--state", directory];
        const { code, screen, isRestored } = await runOnTerminal(words, [["[y/N] ", typed]]);
        const calls = exit === "0" ? [{ verb: "reset", name: "users" }] : [];
        assert.deepEqual([code, isRestored, notedCalls(directory)], [Number(exit), true, calls], screen);
      });
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
