import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { notedCalls, stewardCommand, temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { exampleUser, startAgent } from "../../lab/command-line/scripted-agent.ts";
import { type Typed, typeInto } from "../../lab/command-line/terminal.ts";

const added = { "POST /api/users": { status: 201, body: exampleUser() } };
const runOnTerminal = (args: readonly string[], answers: readonly Typed[]) =>
  typeInto([...stewardCommand, ...args], answers);

const erase = "\u007f";

describe("the hidden prompt", { concurrency: true }, () => {
  it("asks twice, does not show the typing, and restores the terminal", async (test) => {
    const { socketPath, received } = await startAgent(test, added);
    const { code, screen, isRestored } = await runOnTerminal(
      ["user", "add", "anna", "--socket", socketPath],
      [
        ["New password: ", "correct hörse\r"],
        ["The same again: ", "correct hörse\r"],
      ],
    );
    assert.equal(code, 0, screen);
    assert.doesNotMatch(screen, /correct|rse/);
    assert.deepEqual(received[0]?.body, {
      username: "anna",
      role: "readonly",
      enabled: true,
      password: "correct hörse",
    });
    assert.ok(isRestored, screen);
  });

  it("takes both entries from one paste", async (test) => {
    const { socketPath, received } = await startAgent(test, added);
    const { code } = await runOnTerminal(
      ["user", "add", "anna", "--socket", socketPath],
      [["New password: ", "pasted words\rpasted words\r"]],
    );
    assert.equal(code, 0);
    assert.deepEqual(received[0]?.body, {
      username: "anna",
      role: "readonly",
      enabled: true,
      password: "pasted words",
    });
  });

  it("knows erase, erase line and arrow keys", async (test) => {
    const { socketPath, received } = await startAgent(test, added);
    const { code } = await runOnTerminal(
      ["user", "add", "anna", "--socket", socketPath],
      [
        ["New password: ", `wrong\u0015ab\u00f6${erase}${erase}c\u001b[D\u001bOAd\r`],
        ["The same again: ", "acd\r"],
      ],
    );
    assert.equal(code, 0);
    assert.deepEqual(received[0]?.body, {
      username: "anna",
      role: "readonly",
      enabled: true,
      password: "acd",
    });
  });

  it("ends with 6 when the two entries differ, and adds no user", async (test) => {
    const { socketPath, received } = await startAgent(test, added);
    const { code, screen } = await runOnTerminal(
      ["user", "add", "anna", "--socket", socketPath],
      [
        ["New password: ", "one\r"],
        ["The same again: ", "other\r"],
      ],
    );
    assert.equal(code, 6);
    assert.match(screen, /The two entries differ/);
    assert.deepEqual(received, []);
  });

  for (const [name, key] of [
    ["Ctrl-C", "abc\u0003"],
    ["Ctrl-D", "\u0004"],
  ] as const) {
    it(`ends with 130 at ${name}, adds no user, and restores the terminal`, async (test) => {
      const { socketPath, received } = await startAgent(test, added);
      const { code, screen, isRestored } = await runOnTerminal(
        ["user", "add", "anna", "--socket", socketPath],
        [["New password: ", key]],
      );
      assert.equal(code, 130, screen);
      assert.ok(isRestored, screen);
      assert.deepEqual(received, []);
    });
  }

  it("refuses --password-stdin on a terminal, which would show it", async (test) => {
    const { socketPath } = await startAgent(test, added);
    const { code } = await runOnTerminal(
      ["user", "add", "anna", "--password-stdin", "--socket", socketPath],
      [],
    );
    assert.equal(code, 2);
  });
});

describe("the confirmation", { concurrency: true }, () => {
  const users = {
    name: "users",
    condition: "ok",
    detail: "",
    size_bytes: 1,
    modified_at: null,
    good_copy_at: null,
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
