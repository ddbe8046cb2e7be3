import { spawn } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
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
 * open file, which stays open here when flock has gone. It is the directory itself that is locked: that takes no write,
 * so it can be had on a disk that is full or read-only too. Throws `state_locked`, `storage_unwritable`.
 */
export async function takeLock(directory: string, waitSeconds = 0): Promise<Lock> {
  const held = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY).catch((cause: unknown) => {
    const code = systemErrorCode(cause) ?? String(cause);
    throw new StewardError(
      "storage_unwritable",
      `The state directory ${directory} cannot be used (${code}). It must exist and be readable by this user.`,
      { cause },
    );
  });
  try {
    const status = await flock(held.fd, waitSeconds);
    if (status === busyStatus) throw await lockedBy(directory);
    if (status !== 0) throw new StewardError("internal_error", `flock(1) failed with status ${status}`);
  } catch (error) {
    await held.close();
    throw error;
  }
  // Only serves the message that others get; a disk that takes no write keeps nothing from starting.
  await writeFile(nameFile(directory), `${pid}\n`, { mode: 0o600 }).catch(() => undefined);
  return { release: () => held.close() };
}

function nameFile(directory: string): string {
  return join(directory, ".lock");
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

async function lockedBy(directory: string): Promise<StewardError> {
  const holder = (await readFile(nameFile(directory), "latin1").catch(() => "")).trim();
  // On a read-only disk the name is that of an earlier one.
  const isKnown = /^\d+$/.test(holder) && existsSync(`/proc/${holder}`);
  const who = isKnown ? `process ${holder}` : "another process";
  return new StewardError(
    "state_locked",
    `The state in ${directory} is in use by ${who}. Only one process may write it: stop that one, or go through the agent.`,
  );
}
