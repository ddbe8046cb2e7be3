import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { runSteward as runStewardProcess } from "../../lab/agents/running-agent.ts";
import { noOtherUser } from "../../lab/basics/other-user.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";

/** Debian's nobody and nogroup: a user who is neither root nor us. */
const nobody = 65_534;

/** A Node whose own calls change no user, as Debian's: its libuv is not the one that Node comes with. */
function likeDebians(home: string): Record<string, string> {
  const preload = join(home, "refusing.cjs");
  const text = `for (const name of ["setuid", "setgid", "seteuid", "setegid", "setgroups"])
  process[name] = () => { throw new Error(name + "() disabled: io_uring may be enabled. See CVE-2024-22017."); };
`;
  writeFileSync(preload, text);
  return { NODE_OPTIONS: `--require=${preload}` };
}

/** Owner, group and mode of every file, by name; directories are marked. */
function ownership(directory: string): Record<string, string> {
  const names = namesIn(directory);
  return Object.fromEntries(
    names.map((name) => {
      const file = statSync(join(directory, name));
      const kind = file.isDirectory() ? "directory " : "";
      return [name, `${kind}${file.uid}:${file.gid} ${(file.mode & 0o777).toString(8)}`];
    }),
  );
}

function namesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
}

describe("the command line with the agent down", () => {
  const home = scratchDirectory();
  let environment: Record<string, string>;
  before(async () => {
    environment = { STEWARD_STATE: join(home, "state"), STEWARD_SOCKET: join(home, "run/steward.sock") };
    const agent = await startAgentInProcess({ stateDirectory: join(home, "state") });
    await agent.signedInAdmin();
    await agent.dispose();
  });

  it("adds, lists and removes users, and says that it works on the state directly", async () => {
    const added = await runSteward(["user", "add", "log-reader", "--generate"], { environment });
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stderr, /agent is not running/);
    assert.match(added.stdout, /^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/);
    const listed = await runSteward(["-o", "json", "user", "list"], { environment });
    const names = (JSON.parse(listed.stdout) as { items: { username: string }[] }).items.map(
      (one) => one.username,
    );
    assert.deepEqual(names, ["log-reader", "root-admin"]);
    assert.equal((await runSteward(["user", "rm", "log-reader", "--yes"], { environment })).code, 0);
  });

  it("run as root in another user's directory changes no file's owner or mode, on Debian's Node too", {
    skip: noOtherUser(),
  }, async () => {
    const state = join(home, "state");
    const onDebians = { ...environment, ...likeDebians(home) };
    chmodSync(join(home, "refusing.cjs"), 0o644);
    chownSync(home, nobody, nobody);
    chownSync(state, nobody, nobody);
    for (const name of namesIn(state)) chownSync(join(state, name), nobody, nobody);
    const before = ownership(state);
    for (const args of [
      ["user", "add", "ana", "--generate"],
      ["system", "set", "device.location=roof"],
      ["user", "set", "ana", "--role", "operator"],
      ["state", "list"],
      ["user", "rescue", "ana", "--yes"],
      ["user", "rm", "ana", "--yes"],
    ]) {
      const { code, stderr } = await runStewardProcess(args, { environment: onDebians });
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    }
    const after = ownership(state);
    for (const [name, owner] of Object.entries(before)) assert.equal(after[name], owner, name);
    // Also of new files: each change leaves a version of the former document.
    const theirs = [`${nobody}:${nobody} 600`, `directory ${nobody}:${nobody} 700`];
    for (const [name, owner] of Object.entries(after)) {
      assert.ok(theirs.includes(owner), `${name} is ${owner}`);
    }
  });

  it("applies no root of trust, for the state's owner can write no file of root's (exit 8)", {
    skip: noOtherUser(),
  }, async () => {
    const place = join(home, "etc");
    mkdirSync(place);
    chmodSync(place, 0o755);
    const update_root = JSON.parse(new SignedRepository().metadata("1.root").toString());
    const { code, stderr } = await runStewardProcess(["apply", "-"], {
      environment: { ...environment, STEWARD_HOST_FILE: join(place, "steward.json") },
      input: JSON.stringify({ version: 1, update_root, settings: { device: { name: "edge 9" } } }),
    });
    assert.equal(code, 8, stderr);
    assert.match(stderr, /The agent does not run.*Nothing was changed\. Start it/);
    assert.deepEqual(readdirSync(place), []);
    assert.ok(!namesIn(join(home, "state")).includes(".transaction.json"));
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
