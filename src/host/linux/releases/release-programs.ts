import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { printableLine } from "../../printable-text.ts";
import type { ReleaseAtWork } from "../../release-ports.ts";
import { systemPath } from "../commands.ts";

export interface ProgramEnd {
  /** Its exit status; null: killed, after the timeout or by another process. */
  readonly status: number | null;
  readonly isTooSlow: boolean;
  /** Its last output: one line, printable, at most 200 characters. */
  readonly said: string;
}

/**
 * Runs a program of the host file for a release: `{release}` in its words is replaced by the release's directory. Its
 * environment is STEWARD_RELEASE, STEWARD_VERSION, STEWARD_KIND and PATH. Rejects only if it cannot be started.
 */
export type RunForRelease = (
  command: readonly string[],
  release: ReleaseAtWork,
  limits: { timeoutMilliseconds: number },
) => Promise<ProgramEnd>;

/** Bytes read of a program's output: the end, where it says what went wrong. */
const readBytes = 2_048;

/** `outputs`: directories for programs' output, the first writable one. In memory, so a full disk does not matter. */
export function createRunForRelease(outputs = ["/dev/shm", "/run", "/tmp"]): RunForRelease {
  return async (command, release, { timeoutMilliseconds }) => {
    const [program = "", ...args] = forRelease(command, release);
    // Processes that the program leaves behind inherit its output. A pipe would block here, and break when this one exits.
    const output = await openOutput(outputs);
    try {
      const env = environmentOf(release);
      const stream = output?.fd ?? "ignore";
      // In its own session, so that its children can be killed with it, and survive this process otherwise.
      const child = spawn(program, args, {
        cwd: "/",
        env,
        detached: true,
        stdio: ["ignore", stream, stream],
      });
      const end = await ended(child, timeoutMilliseconds);
      return { ...end, said: output === null ? "" : await lastOf(output) };
    } finally {
      await output?.close();
    }
  };
}

export function forRelease(command: readonly string[], { directory }: ReleaseAtWork): string[] {
  return command.map((word) => word.replaceAll("{release}", () => directory));
}

/** The environment of a program of the host file, in which nothing else is. */
export function environmentOf({ kind, version, directory }: ReleaseAtWork): Record<string, string> {
  return { STEWARD_RELEASE: directory, STEWARD_VERSION: version ?? "", STEWARD_KIND: kind, PATH: systemPath };
}

/** A file without a name; null if none can be made, because running the program matters more than its output. */
async function openOutput(directories: readonly string[]): Promise<FileHandle | null> {
  for (const directory of directories) {
    const path = join(directory, `steward-${randomBytes(12).toString("hex")}`);
    const file = await open(path, "wx+", 0o600).catch(() => null);
    if (file === null) continue;
    await unlink(path).catch(() => undefined);
    return file;
  }
  return null;
}

/** Time for a killed program to exit. */
const graceMilliseconds = 500;

function ended(child: ChildProcess, timeoutMilliseconds: number): Promise<Omit<ProgramEnd, "said">> {
  return new Promise((resolve, reject) => {
    let isTooSlow = false;
    const tooSlow = { status: null, isTooSlow: true };
    let timer = setTimeout(() => {
      isTooSlow = true;
      killGroup(child);
      // A program that hangs in the kernel, such as on a lost disk, exits later.
      timer = setTimeout(() => resolve(tooSlow), graceMilliseconds);
    }, timeoutMilliseconds);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("exit", (status) => {
      clearTimeout(timer);
      resolve(isTooSlow ? tooSlow : { status, isTooSlow });
    });
  });
}

/** Kills the program and its children; otherwise every health check would leave some behind. */
function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const killing = spawn("/bin/sh", ["-c", 'kill -s KILL -- "-$1"', "sh", String(pid)], { stdio: "ignore" });
  // The program itself is killed even if the shell fails.
  const killItself = () => void child.kill("SIGKILL");
  killing.once("error", killItself);
  killing.once("exit", killItself);
}

export async function lastOf(output: FileHandle): Promise<string> {
  const { size } = await output.stat();
  const buffer = Buffer.alloc(readBytes);
  const from = Math.max(0, size - readBytes);
  const { bytesRead } = await output.read(buffer, 0, readBytes, from);
  const lines = buffer.subarray(0, bytesRead).toString("utf8").trim().split("\n");
  return printableLine(lines.slice(-3).join(" "), 200);
}
