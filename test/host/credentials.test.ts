import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { testProgram } from "../../lab/basics/test-program.ts";
import { builtAddon, isRoot, ownCredentials } from "../../lab/host/credentials.ts";
import { asUser, becomeUser, type Credentials } from "../../src/host/linux/credentials.ts";
import type { Outcome } from "./credentials-process.ts";

function outcomeOf(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Outcome {
  const program = testProgram(join(import.meta.dirname, "credentials-process.ts"));
  const env = { ...process.env, ...environment };
  const { stdout, stderr } = spawnSync(process.execPath, [...program, ...words], { encoding: "utf8", env });
  assert.ok(stdout, stderr);
  return JSON.parse(stdout) as Outcome;
}

const nobody = { uid: 65_534, gid: 65_534 };
const isAll = ({ users }: Outcome, wanted: string) =>
  users.length > 1 && users.every((one) => one === wanted);

/** io_uring's kernel threads, which the C library does not know: the host may forbid them. */
const isForbidden = readFileSync("/proc/sys/kernel/io_uring_disabled", "utf8").trim() !== "0";

describe("root's rights", { skip: !isRoot && "needs root" }, () => {
  it("are given up on Debian's Node, whose own calls refuse to", () => {
    const outcome = outcomeOf([builtAddon, "become", "refused"]);
    assert.equal(outcome.error, null);
    assert.ok(isAll(outcome, "65534\t65534\t65534\t65534"), outcome.users.join());
  });

  it("are lent to another user there, and come back", () => {
    const outcome = outcomeOf([builtAddon, "work", "refused"]);
    assert.deepEqual([outcome.error, outcome.hasWorked], [null, true]);
    assert.ok(isAll(outcome, "0\t0\t0\t0"), outcome.users.join());
  });

  it("are given up by Node's own calls in a program without the addon", () => {
    const outcome = outcomeOf(["/nowhere/clock-steering.node", "become"]);
    assert.ok(isAll(outcome, "65534\t65534\t65534\t65534"), outcome.error ?? outcome.users.join());
  });

  it("that can be given up by neither end the work before it begins, with what to do", () => {
    const outcome = outcomeOf(["/nowhere/clock-steering.node", "work", "refused"]);
    assert.equal(outcome.hasWorked, false);
    const text = outcome.error ?? "";
    assert.match(text, /cannot be given up, so nothing was done: .*CVE-2024-22017.*Install this/);
  });

  it("that a thread of io_uring keeps end the work before it begins", { skip: isForbidden }, async (test) => {
    const library = join(await temporaryDirectory(test), "kernel-thread.so");
    const source = join(import.meta.dirname, "../fixtures/kernel-thread.c");
    execFileSync("cc", ["-shared", "-fPIC", "-o", library, source], { stdio: "pipe" });
    for (const how of ["become", "work"]) {
      const outcome = outcomeOf([builtAddon, how], { LD_PRELOAD: library });
      assert.equal(outcome.hasWorked, false);
      assert.match(outcome.error ?? "", /nothing was done: the thread iou-sqp-\d+ keeps its [UG]id 0/);
    }
  });

  it("are not taken for given up where a call does nothing", () => {
    const idle: Credentials = { ...ownCredentials(), setuid: () => undefined, seteuid: () => undefined };
    const lent = { ...idle, setgid: () => undefined, setgroups: () => undefined };
    assert.throws(() => asUser(idle, nobody, () => assert.fail("worked as root")), /keeps its Uid/);
    assert.throws(() => becomeUser(lent, nobody), /keeps its [UG]id/);
    assert.deepEqual([process.geteuid?.(), process.getegid?.()], [0, 0]);
  });

  it("are no id that is not one: the addon refuses", () => {
    const { setuid, setgroups } = ownCredentials();
    for (const id of [Number.NaN, -1, 2 ** 32 - 1, 1.5, "0", undefined])
      assert.throws(() => setuid(id as number), { code: "EINVAL" });
    assert.throws(() => setgroups(["no group has this name"]), { code: "ENOENT" });
    assert.throws(() => setgroups([{} as number]), { code: "EINVAL" });
  });
});
