import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemErrorCode } from "../../src/contract/errors.ts";
import { atEnd, type Ending, temporaryDirectory } from "../basics/ending.ts";

export type PrivateMount = Exclude<Awaited<ReturnType<typeof mountPrivately>>, string>;

/**
 * Mounts a small file system, a tmpfs, in a mount namespace of its own. A string says why it cannot be had: without root, or where the container forbids it. The holder
 * ends when its standard input is closed, so the mount goes with this process too, however it ends.
 */
export async function mountPrivately(test: Ending, sizeMebibytes: number) {
  if (process.getuid?.() !== 0) return "mounting needs root";
  const directory = await temporaryDirectory(test);
  const script = `mount -t tmpfs -o size=${sizeMebibytes}m,mode=0700 tmpfs "$1" && echo mounted && exec cat`;
  const options = ["--mount", "--propagation", "private", "sh", "-c", script, "sh", directory];
  const holder = spawn("unshare", options, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => holder.once("close", () => resolve()));
  atEnd(test, async () => {
    holder.stdin.end();
    await ended;
  });
  const refusal = await firstWords(holder);
  if (refusal !== "mounted") return `a private mount is not permitted here: ${refusal}`;
  const prefix = ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`];
  return {
    /** The mounted directory, as processes in the namespace see it, and as this process sees it. */
    directory,
    seen: join(`/proc/${holder.pid}/root`, directory),
    /** The command to run something under, so that it sees the mount. */
    prefix,
    /** Runs a shell script in the namespace with the directory as `$1`. */
    run: (text: string): void => {
      const [command = "", ...rest] = [...prefix, "sh", "-e", "-c", text, "sh", directory];
      execFileSync(command, rest, { stdio: "pipe" });
    },
  };
}

/** The same; undefined where it cannot be had: then the test is skipped, saying why. */
export async function mountOrSkip(test: TestContext, sizeMebibytes = 48): Promise<PrivateMount | undefined> {
  const mount = await mountPrivately(test, sizeMebibytes);
  if (typeof mount !== "string") return mount;
  test.skip(mount);
  return undefined;
}

/** Gives the first output of the holder, on either stream. The holder runs until its input is closed. */
function firstWords(holder: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    holder.once("error", (error) => resolve(error.message));
    holder.once("exit", (code) => resolve(`it ended with ${code}`));
    for (const output of [holder.stdout, holder.stderr]) {
      output?.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    }
  });
}

/** For `run`: a read-only view over the directory, as when the kernel remounts a failing disk. */
export const makeReadOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"';

/** For `run`: takes that away. */
export const makeWritable = 'mount -o remount,bind,rw "$1"';

/** Writes the file `.filler` until there is no page left. */
export async function fill(mount: PrivateMount): Promise<void> {
  const path = join(mount.seen, ".filler");
  for (const size of [1024 * 1024, 4096]) {
    const chunk = Buffer.alloc(size);
    for (let chunks = 0; chunks < 10_000; chunks += 1) {
      const code = await appendFile(path, chunk).then(() => null, systemErrorCode);
      if (code === "ENOSPC") break;
      assert.equal(code, null);
    }
  }
}
