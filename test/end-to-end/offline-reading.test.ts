import assert from "node:assert/strict";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { makeReadOnly, mountPrivately, type PrivateMount } from "../../lab/state/private-mount.ts";
import { takeLock } from "../../src/store/files/lock.ts";

/** Each command that says something without the agent and changes nothing. */
const readings: readonly (readonly string[])[] = [
  ["user", "list"],
  ["user", "show", "root-admin"],
  ["user", "diagnose", "root-admin"],
  ["user", "sessions", "list", "root-admin"],
  ["token", "list"],
  ["system", "get"],
  ["time", "status"],
  ["time", "floor", "show"],
  ["events"],
  ["logs"],
  ["update", "status"],
  ["update", "history"],
  ["update", "trust", "show"],
  ["state", "list"],
  ["state", "show", "users"],
];

describe("commands that only read, with the agent down", () => {
  it("work beside another process that has the state, and write nothing", async (test) => {
    const device = await deviceThatRan(test);
    if (!device) return;
    const lock = await takeLock(device.mount.seen);
    const before = filesOf(device.mount.seen);
    for (const words of readings) await assertReads(device, words);
    assert.deepEqual(filesOf(device.mount.seen), before);
    await lock.release();
  });

  it("work on a read-only disk, where a change says what that means and what to type", async (test) => {
    const device = await deviceThatRan(test);
    if (!device) return;
    device.mount.run(makeReadOnly);
    for (const words of readings) await assertReads(device, words);
    for (const words of [
      ["system", "set", "device.name=never"],
      ["user", "add", "ana", "--generate"],
      ["state", "reset", "settings", "--yes"],
    ]) {
      const { code, stderr } = await runSteward(words, device);
      assert.equal(code, 1, `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, /EROFS.*mounted read-only.*`dmesg \| tail`.*`mount -o remount,rw \S+`.*replace/s);
    }
  });
});

interface Device {
  mount: PrivateMount;
  environment: Record<string, string>;
}

/** Undefined where mounting is not permitted: then the test is skipped, saying why. */
async function deviceThatRan(test: TestContext): Promise<Device | undefined> {
  const mount = await mountPrivately(test, 48);
  if (typeof mount === "string") {
    test.skip(mount);
    return undefined;
  }
  const agent = await startAgentInProcess({ stateDirectory: mount.seen });
  await agent.signedInAdmin();
  await agent.dispose();
  const environment = { STEWARD_STATE: mount.seen, STEWARD_SOCKET: join(mount.seen, "none.sock") };
  return { mount, environment };
}

async function assertReads(device: Device, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runSteward(words, device);
  // `time status` says by 9 that the clock is not synchronised, which nothing has looked after here.
  const expected = words.join(" ") === "time status" ? 9 : 0;
  assert.equal(code, expected, `${words.join(" ")}: ${stderr}`);
  assert.notEqual(stdout, "", words.join(" "));
  assert.doesNotMatch(stderr, /cannot be written|waits in memory/);
}

/** Identity, time and size of all files: any write changes one of them. */
function filesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const { ino, mtimeNs, size } = lstatSync(join(directory, name), { bigint: true });
      return [name, `${ino} ${mtimeNs} ${size}`];
    }),
  );
}
