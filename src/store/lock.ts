import { spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { pid } from "node:process";
import { StewardError, systemErrorCode } from "../errors.ts";

/** Possession of a state directory; one process at a time, given back by the kernel when the process dies. */
export interface Lock {
  release(): Promise<void>;
}

/** Exit status that we ask flock(1) to give when another process holds the lock. */
const busyStatus = 75;

/**
 * Takes the writer's lock of a state directory, waiting up to `waitSeconds` for whoever has it.
 *
 * Node has no flock(2). util-linux's flock takes it on the descriptor that it inherits; the lock belongs to the
 * open file, which stays open here when flock has gone. Throws `state_locked`, `storage_unwritable`.
 */
export async function takeLock(directory: string, waitSeconds = 0): Promise<Lock> {
  const path = join(directory, ".lock");
  let file: FileHandle;
  try {
    file = await open(path, "a+", 0o600);
  } catch (cause) {
    const code = systemErrorCode(cause) ?? String(cause);
    throw new StewardError(
      "storage_unwritable",
      `The state directory ${directory} cannot be used (${code}). It must exist and be writable by this user.`,
      { cause },
    );
  }
  try {
    const status = await flock(file.fd, waitSeconds);
    if (status === busyStatus) throw await lockedBy(directory, file);
    if (status !== 0) throw new StewardError("internal_error", `flock(1) failed with status ${status}`);
    await file.truncate(0);
    await file.write(`${pid}\n`);
  } catch (error) {
    await file.close();
    // The process id in the file only serves the message; a full disk must not keep the agent from starting.
    if (systemErrorCode(error) !== "ENOSPC") throw error;
    return takeLockWithoutName(path);
  }
  return { release: () => file.close() };
}

async function takeLockWithoutName(path: string): Promise<Lock> {
  const file = await open(path, "a+", 0o600);
  const status = await flock(file.fd, 0);
  if (status !== 0) {
    await file.close();
    throw new StewardError("state_locked", `Another process took the lock ${path} in between; try again.`);
  }
  return { release: () => file.close() };
}

function flock(descriptor: number, waitSeconds: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = [
      "--exclusive",
      "--conflict-exit-code",
      String(busyStatus),
      "--wait",
      String(waitSeconds),
    ];
    const child = spawn("flock", [...options, "3"], { stdio: ["ignore", "ignore", "ignore", descriptor] });
    child.once("error", (cause) =>
      reject(
        new StewardError("internal_error", "flock(1) from util-linux is needed and could not be run", {
          cause,
        }),
      ),
    );
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

async function lockedBy(directory: string, file: FileHandle): Promise<StewardError> {
  const buffer = Buffer.alloc(32);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  const holder = buffer.toString("latin1", 0, bytesRead).trim();
  const who = /^\d+$/.test(holder) ? `process ${holder}` : "another process";
  return new StewardError(
    "state_locked",
    `The state in ${directory} is in use by ${who}. Only one process may write it: stop that one, or go through the agent.`,
  );
}
