import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { runSteward as runStewardProcess } from "../../lab/agents/running-agent.ts";
import { noOtherUser } from "../../lab/basics/other-user.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { makeReadOnly, mountPrivately } from "../../lab/state/private-mount.ts";
import { takeLock } from "../../src/store/files/lock.ts";

const skip = noOtherUser();

/** A user who is neither root nor us, and Debian's nogroup. */
const other = 65_534;

const namesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();

/** A saying about every file, by its name. */
const eachOf = (directory: string, say: (path: string) => string): Record<string, string> =>
  Object.fromEntries(namesIn(directory).map((name) => [name, say(join(directory, name))]));

const ownership = (path: string): string => {
  const file = statSync(path);
  return `${file.isDirectory() ? "directory " : ""}${file.uid}:${file.gid} ${(file.mode & 0o777).toString(8)}`;
};

describe("the command line with the agent down", () => {
  const home = scratchDirectory();
  const state = join(home, "state");
  const environment = { STEWARD_STATE: state, STEWARD_SOCKET: join(home, "run/steward.sock") };
  before(async () => {
    const agent = await startAgentInProcess({ stateDirectory: state });
    await agent.signedInAdmin();
    await agent.dispose();
  });

  it("as root in another's directory changes no owner or mode, on Debian's Node too", { skip }, async () => {
    // Debian's libuv is not the one that Node comes with, and Node's own calls change no user there.
    const preload = join(home, "refusing.cjs");
    const refusal = 'throw new Error("disabled: io_uring may be enabled. See CVE-2024-22017.")';
    const calls = '["setuid", "setgid", "seteuid", "setegid", "setgroups"]';
    writeFileSync(preload, `for (const name of ${calls}) process[name] = () => { ${refusal}; };\n`);
    chmodSync(preload, 0o644);
    for (const path of [home, state, ...namesIn(state).map((name) => join(state, name))])
      chownSync(path, other, other);
    const before = eachOf(state, ownership);
    for (const line of [
      "user add ana --generate",
      "system set device.location=roof",
      "user set ana --role operator",
      "state list",
      "user rescue ana --yes",
      "user rm ana --yes",
    ]) {
      const onDebians = { ...environment, NODE_OPTIONS: `--require=${preload}` };
      const { code, stderr } = await runStewardProcess(line.split(" "), { environment: onDebians });
      assert.equal(code, 0, `${line}: ${stderr}`);
    }
    const after = eachOf(state, ownership);
    for (const [name, owner] of Object.entries(before)) assert.equal(after[name], owner, name);
    // Also of new files: each change leaves a version of the former document.
    const theirs = [`${other}:${other} 600`, `directory ${other}:${other} 700`];
    for (const [name, owner] of Object.entries(after))
      assert.ok(theirs.includes(owner), `${name} is ${owner}`);
  });

  it("applies no root of trust: the state's owner can write no file of root's", { skip }, async () => {
    const place = join(home, "etc");
    mkdirSync(place);
    chmodSync(place, 0o755);
    const update_root = JSON.parse(new SignedRepository().metadata("1.root").toString());
    const { code, stderr } = await runStewardProcess(["apply", "-"], {
      environment: { ...environment, STEWARD_HOST_FILE: join(place, "steward.json") },
      input: JSON.stringify({ version: 1, update_root, settings: { device: { name: "edge 9" } } }),
    });
    assert.equal(code, 8, stderr);
    assert.match(stderr, /The agent is not running, and a root.*Nothing was changed\. Start it/);
    assert.deepEqual([readdirSync(place), namesIn(state).includes(".transaction.json")], [[], false]);
    const { stdout } = await runStewardProcess(["-o", "json", "system", "get"], { environment });
    assert.equal(JSON.parse(stdout).device.name, "");
  });

  it("where no agent has ever run says so (exit 3)", async () => {
    const nowhere = { STEWARD_STATE: join(home, "nowhere"), STEWARD_SOCKET: join(home, "nowhere.sock") };
    const { code, stderr } = await runStewardProcess(["user", "list"], { environment: nowhere });
    assert.equal(code, 3);
    assert.match(stderr, /never run here/);
  });
});

/** Each command that says something without the agent and changes nothing. */
const readings = [
  ...["user list", "user show root-admin", "user diagnose root-admin", "user sessions list root-admin"],
  ...["token list", "system get", "time status", "time floor show", "events", "logs", "update status"],
  ...["update history", "update trust show", "state list", "state show users"],
];

describe("commands that only read, with the agent down", () => {
  it("work beside another process and on a read-only disk, where a change says what that means and what to type", async (test) => {
    const mount = await mountPrivately(test, 48);
    if (typeof mount === "string") return test.skip(mount);
    const agent = await startAgentInProcess({ stateDirectory: mount.seen });
    await agent.signedInAdmin();
    await agent.dispose();
    const environment = { STEWARD_STATE: mount.seen, STEWARD_SOCKET: join(mount.seen, "none.sock") };
    const steward = (line: string) => runSteward(line.split(" "), { environment });
    const lock = await takeLock(mount.seen);
    mount.run(makeReadOnly);
    for (const line of readings) {
      const { code, stdout, stderr } = await steward(line);
      // By 9 it says that the clock is not synchronised, which nothing has looked after here.
      assert.equal(code, line === "time status" ? 9 : 0, `${line}: ${stderr}`);
      assert.notEqual(stdout, "", line);
      assert.doesNotMatch(stderr, /cannot be written|waits in memory/);
    }
    await lock.release();
    for (const line of ["system set device.name=never", "user add ana --generate"]) {
      const { code, stderr } = await steward(line);
      assert.equal(code, 1, `${line}: ${stderr}`);
      assert.match(stderr, /EROFS.*mounted read-only.*`dmesg \| tail`.*`mount -o remount,rw \S+`.*replace/s);
    }
  });
});
