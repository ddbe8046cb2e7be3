import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { ReleaseAtWork } from "../../release-ports.ts";
import { systemPath } from "../commands.ts";
import { printableLine } from "../printable-text.ts";

/** How a program has ended. */
export interface ProgramEnd {
  /** Its exit status; null: killed, because it took too long or by somebody else. */
  readonly status: number | null;
  readonly isTooSlow: boolean;
  /** The last that it said; one line, printable, at most 200 characters. */
  readonly said: string;
}

/**
 * Runs a program of the host file for a release: `{release}` in its words is the release's directory. Its environment is
 * STEWARD_RELEASE, STEWARD_VERSION, STEWARD_KIND and PATH. Rejects only where it cannot be started.
 */
export type RunForRelease = (
  command: readonly string[],
  release: ReleaseAtWork,
  limits: { timeoutMilliseconds: number },
) => Promise<ProgramEnd>;

export interface RunForReleaseOptions {
  /** In the manner of the variable PATH. */
  readonly path?: string;
  /** Directories for what a program says, the first that can be written; in memory, so that a full disk is in nobody's way. */
  readonly outputs?: readonly string[];
}

/** Bytes of a program's output that are looked at: its end, where it says what went wrong. */
const lookedAtBytes = 2_048;

export function createRunForRelease(options: RunForReleaseOptions = {}): RunForRelease {
  const { path = systemPath, outputs = ["/dev/shm", "/run", "/tmp"] } = options;
  return async (command, release, { timeoutMilliseconds }) => {
    const [program = "", ...args] = forRelease(command, release);
    // What the program leaves running has its output: a pipe would keep us waiting, and break when we end.
    const output = await openOutput(outputs);
    try {
      const env = environmentOf(release, path);
      const stream = output?.fd ?? "ignore";
      // In a session of its own: what it starts can be ended with it, and does not end with us.
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

/** The words of a command of the host file, for one release. */
export function forRelease(command: readonly string[], { directory }: ReleaseAtWork): string[] {
  return command.map((word) => word.replaceAll("{release}", () => directory));
}

function environmentOf({ kind, version, directory }: ReleaseAtWork, path: string): Record<string, string> {
  return { STEWARD_RELEASE: directory, STEWARD_VERSION: version ?? "", STEWARD_KIND: kind, PATH: path };
}

/** A file without a name; null where none can be made: what a program says is worth less than that it runs. */
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

/** What a killed program has to be gone. */
const graceMilliseconds = 500;

function ended(child: ChildProcess, timeoutMilliseconds: number): Promise<Omit<ProgramEnd, "said">> {
  return new Promise((resolve, reject) => {
    let isTooSlow = false;
    const tooSlow = { status: null, isTooSlow: true };
    let timer = setTimeout(() => {
      isTooSlow = true;
      killGroup(child);
      // One that hangs in the kernel, on a disk that is gone, dies when that lets it.
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

/** The program and all that it has started: the next look would leave the same behind, and the one after it. */
function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const killing = spawn("/bin/sh", ["-c", 'kill -s KILL -- "-$1"', "sh", String(pid)], { stdio: "ignore" });
  // Whatever has become of the shell, the program itself ends.
  const killItself = () => void child.kill("SIGKILL");
  killing.once("error", killItself);
  killing.once("exit", killItself);
}

async function lastOf(output: FileHandle): Promise<string> {
  const { size } = await output.stat();
  const buffer = Buffer.alloc(lookedAtBytes);
  const from = Math.max(0, size - lookedAtBytes);
  const { bytesRead } = await output.read(buffer, 0, lookedAtBytes, from);
  const lines = buffer.subarray(0, bytesRead).toString("utf8").trim().split("\n");
  return printableLine(lines.slice(-3).join(" "), 200);
}
