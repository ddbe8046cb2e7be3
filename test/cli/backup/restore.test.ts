import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { adminName, runSteward, startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { noOtherUser } from "../../../lab/basics/other-user.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";

const program = join(import.meta.dirname, "../../../dist/main.js");
const passphrase = "seven wet horses at the old pier";
const place = scratchDirectory();
const path = join(place, "box-a.age");

describe("steward restore", () => {
  const a = ofSuite(async () => {
    const agent = await startAgentProcess();
    await agent.signedInAdmin();
    const words = ["--socket", agent.socket, "backup", path, "--passphrase-stdin"];
    const { code, stderr } = await runSteward(words, { input: `${passphrase}\n` });
    assert.equal(code, 0, stderr);
    return agent;
  });
  const b = ofSuite(() => startAgentProcess());
  const usersOf = async (socket: string): Promise<number> =>
    JSON.parse((await runSteward(["-o", "json", "user", "list", "--socket", socket])).stdout).total;

  it("asks for the passphrase without showing it, then says what comes and goes, and takes no for an answer", async () => {
    const words = [process.execPath, program, "restore", path, "--socket", b.socket];
    const { code, screen, isRestored } = await typeInto(words, [
      [`Passphrase of ${path}: `, `${passphrase}\n`],
      ["[y/N] ", "n\n"],
    ]);
    assert.deepEqual([code, isRestored], [1, true], screen);
    assert.ok(!screen.includes(passphrase), "the passphrase is on the screen");
    assert.match(
      screen,
      /Restores 1 user \(0 with a second factor\), 0 API tokens, which are suspended until/,
    );
    assert.match(screen, /Restore the users and settings of .* to this device\? \[y\/N\]/);
    assert.match(screen, /Not confirmed; nothing was changed/);
    assert.equal(await usersOf(b.socket), 0);
  });

  it("brings no file of root's as another user, nor while no agent runs", {
    skip: noOtherUser(),
  }, async () => {
    const reachable = scratchDirectory();
    chmodSync(reachable, 0o711);
    const directory = join(reachable, "state");
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, 65_534, 65_534);
    const words = ["restore", path, "--passphrase-stdin", "--yes", "--with-host-files"];
    const away = ["--socket", join(directory, "none"), "--state", directory];
    const { code, stderr } = await runSteward([...words, ...away], { input: `${passphrase}\n` });
    assert.deepEqual(
      [code, /Only root .* while the agent runs: .*Nothing was changed/.test(stderr)],
      [4, true],
      stderr,
    );
    const { stdout } = await runSteward(["user", "list", ...away, "-o", "json"]);
    assert.equal(JSON.parse(stdout).total, 0);
  });

  it("works while no agent runs, and needs a passphrase or a key, and a yes", async () => {
    const directory = scratchDirectory();
    const away = ["--socket", join(directory, "none"), "--state", directory];
    const restore = (words: readonly string[], input = "") =>
      runSteward(["restore", path, ...away, ...words], { input });
    const noKey = join(place, "no-key.txt");
    writeFileSync(noKey, "# public key: age1\n");
    for (const [words, input, expected, says] of [
      [[], "", 2, /--passphrase-stdin, or a private key with --identity FILE/],
      [["--passphrase-stdin"], "\n", 6, /empty/],
      [["--identity", noKey], "", 6, /has no private key of age/],
      [["--identity", join(place, "none")], "", 3, /none/],
      [["--passphrase-stdin"], `${passphrase}\n`, 2, /If you are sure, type/],
    ] as const) {
      const { code, stderr } = await restore(words, input);
      assert.deepEqual([code, says.test(stderr)], [expected, true], stderr);
    }
    const { code, stderr } = await restore(["--passphrase-stdin", "--yes"], `${passphrase}\n`);
    assert.equal(code, 0, stderr);
    const list = await runSteward(["user", "list", ...away]);
    assert.match(list.stdout, new RegExp(adminName), list.stderr);
    const unfinished = readdirSync(directory).filter((name) => name.startsWith(".restore"));
    assert.deepEqual(unfinished, []);
    assert.equal(await usersOf(a.socket), 1, "the other one is as it was");
  });
});
