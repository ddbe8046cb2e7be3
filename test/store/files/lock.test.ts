import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { runSteward } from "../../../lab/agents/running-agent.ts";
import { counted } from "../../../lab/basics/counts.ts";
import { atEnd, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { bundleFixture, leftovers, onDisk, startAgent } from "../../../lab/state/state-directory.ts";
import { heldIn } from "../../../lab/state/watched-disk.ts";
import type { StewardError } from "../../../src/contract/errors.ts";
import { loadClockAddon } from "../../../src/host/linux/clock/clock-addon.ts";
import { findLock, type LockOptions, takeAgentLock, takeLock } from "../../../src/store/files/lock.ts";

const { tryLock } = loadClockAddon(join(import.meta.dirname, "../../../dist/clock-steering.node"));

const isLocked = (error: StewardError): boolean => error.code === "state_locked";

describe("the writer's lock", () => {
  const ways: [name: string, first: LockOptions, second: LockOptions][] = [
    ["by flock(1)", {}, {}],
    ["by flock(2)", { tryLock }, { tryLock }],
    ["by either", {}, { tryLock }],
    ["by the other", { tryLock }, {}],
  ];
  for (const [name, one, other] of ways)
    it(`is had by one at a time, and by the next when it was released: ${name}`, async (test) => {
      const directory = await temporaryDirectory(test);
      const first = await takeLock(directory, one);
      await assert.rejects(takeLock(directory, other), isLocked);
      await first.release();
      await (await takeLock(directory, other)).release();
    });

  it("is waited for as long as was asked, not longer", async (test) => {
    const directory = await temporaryDirectory(test);
    const first = await takeLock(directory);
    const start = performance.now();
    await assert.rejects(takeLock(directory, { waitSeconds: 1, tryLock }), isLocked);
    assert.equal(performance.now() - start >= 950, true);
    const next = takeLock(directory, { waitSeconds: 600, tryLock });
    await delay(100);
    await first.release();
    await (await next).release();
  });

  it("needs flock(1) only where the kernel is not asked directly, be it free or not", async (test) => {
    const directory = await temporaryDirectory(test);
    const { PATH } = process.env;
    atEnd(test, () => {
      process.env.PATH = PATH;
    });
    process.env.PATH = directory;
    await assert.rejects(takeLock(directory), ({ code, cause }: StewardError) => {
      assert.deepEqual([code, (cause as NodeJS.ErrnoException).code], ["internal_error", "ENOENT"]);
      return true;
    });
    const lock = await takeLock(directory, { tryLock });
    const message = new RegExp(`process ${process.pid}\\.`);
    await assert.rejects(takeLock(directory, { tryLock }), { message });
    await lock.release();
  });

  it("is had by flock(1) where the kernel gives no answer", async (test) => {
    const directory = await temporaryDirectory(test);
    const options = { tryLock: () => tryLock(-1) };
    assert.throws(options.tryLock, { code: "EBADF" });
    const lock = await takeLock(directory, options);
    await assert.rejects(takeLock(directory, options), isLocked);
    await lock.release();
  });

  it("is looked for through no link", async (test) => {
    const directory = await temporaryDirectory(test);
    const link = join(await temporaryDirectory(test), "link");
    const lock = await takeLock(directory);
    await symlink(directory, link);
    assert.equal(await findLock(link), undefined);
    await lock.release();
  });

  it("is the agent's as soon as a command has given it back", async (test) => {
    const directory = await temporaryDirectory(test);
    const command = await takeLock(directory);
    const agent = takeAgentLock(directory, tryLock);
    await delay(50);
    await command.release();
    const lock = await agent;
    assert.equal((await findLock(directory))?.holder.role, "agent");
    await lock.release();
  });

  it("is a file for its owner, holds its directory open, and nothing else does that was refused or has looked", async (test) => {
    const directory = await temporaryDirectory(test);
    const lock = await takeLock(directory);
    assert.equal((await stat(join(directory, ".lock"))).mode & 0o777, 0o600);
    await assert.rejects(takeLock(directory), isLocked);
    await findLock(directory);
    assert.deepEqual(heldIn(directory), [directory]);
    await lock.release();
    for (const path of [directory, join(directory, "absent")]) assert.equal(await findLock(path), undefined);
    assert.deepEqual(heldIn(directory), []);
  });

  it("says of what has it no more than is written there, and nothing of a process that has ended", async (test) => {
    const directory = await temporaryDirectory(test);
    const lock = await takeLock(directory, { role: "agent" });
    const [own, none] = [process.pid, { pid: null, role: null }];
    for (const [text, holder] of [
      [`${own} agent\n`, { pid: own, role: "agent" }],
      [`${own} command`, { pid: own, role: "command" }],
      [`${own}\n`, { pid: own, role: null }],
      // No process has a number as high (proc(5): at most 2^22).
      ["4999999 agent\n", none],
      ...[
        `${own} other\n`,
        `x${own} agent\n`,
        `${own} agent ${own}\n`,
        "",
        `${own} agent${" ".repeat(64)}`,
      ].map((line) => [line, none] as const),
    ] as const) {
      await writeFile(join(directory, ".lock"), text);
      const found = await findLock(directory);
      assert.deepEqual(found?.holder, holder, text);
      assert.match(found.message, holder === none ? /in use by another process\./ : /in use by process/);
    }
    await lock.release();
  });

  it("is the agent's at once where it is free, and never where an agent has it", async (test) => {
    const directory = await temporaryDirectory(test);
    const lock = await takeAgentLock(directory);
    await assert.rejects(takeAgentLock(directory), isLocked);
    await lock.release();
    await assert.rejects(takeAgentLock(join(directory, "absent")), { code: "storage_unwritable" });
  });
});

describe("several processes that write at once", () => {
  it("lose nothing: the total is exact", async (test) => {
    const directory = await temporaryDirectory(test);
    const program = await bundleFixture(await temporaryDirectory(test), "store-writer");
    const [processes, times] = [4, counted({ usual: 10, all: 100 })];
    const outputs = await Promise.all(
      Array.from({ length: processes }, () => outputOf(program, directory, times)),
    );
    const values = outputs.flatMap((output) => output.split("\n").filter(Boolean).map(Number));
    assert.equal((await onDisk(directory, "counter.json")).counter, processes * times);
    // Each value was acknowledged once: no process has overwritten another's.
    const found = values.sort((a, b) => a - b);
    assert.deepEqual(
      found,
      Array.from({ length: processes * times }, (_, index) => index + 1),
    );
    assert.deepEqual(await leftovers(directory), []);
    test.diagnostic(`${processes} processes, ${values.length} writes`);
  });
});

it("a state directory that an agent is using is refused to others, in words that name it, and free once that was killed", async (test) => {
  const agent = await startAgent(test);
  const { stateDirectory, process: holder } = agent;
  await agent.signedInAdmin();
  const words = `The state in ${stateDirectory} is in use by process ${holder.pid}\\.`;
  const message = new RegExp(`exit 5.*${words}`);
  await assert.rejects(startAgent(test, { stateDirectory }), { message });
  const { code, stderr } = await runSteward(["state", "reset", "users", "--yes", "--state", stateDirectory]);
  assert.notEqual(code, 0);
  assert.match(stderr, new RegExp(words));
  assert.equal(((await onDisk(stateDirectory, "users.json")).accounts as unknown[]).length, 1);
  assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "ok" });
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  holder.kill("SIGKILL");
  await ended;
  await (await takeLock(stateDirectory)).release();
  const next = await startAgent(test, { stateDirectory });
  assert.deepEqual((await next.call("GET", "/api/health")).json, { status: "ok" });
});

async function outputOf(program: string, directory: string, times: number): Promise<string> {
  const child = spawn(process.execPath, [program, directory, String(times)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = (await child.stdout.setEncoding("utf8").toArray()).join("");
  assert.equal(child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve))), 0);
  return output;
}
