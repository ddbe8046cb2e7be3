import { spawn } from "node:child_process";
import { closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { StewardError } from "../../contract/errors.ts";
import { unusableDirectory } from "./durable-file.ts";
import { openDispensableSync, readRegularSync } from "./regular-file.ts";

/** Possession of a state directory, by one process at a time; the kernel takes it back when the process dies. */
export interface Lock {
  release(): Promise<void>;
}

/** The role of a lock's holder: the agent keeps it while it runs, a command only for a moment. */
type LockRole = "agent" | "command";

/** The process that has a lock, as far as it could record that. */
export interface LockHolder {
  readonly pid: number | null;
  /** null: unknown, as on a read-only disk. */
  readonly role: LockRole | null;
}

const unknownHolder: LockHolder = { pid: null, role: null };

/** `state_locked`, with the process that has the lock. */
export class StateLocked extends StewardError {
  readonly holder: LockHolder;

  constructor(message: string, holder: LockHolder) {
    super("state_locked", message);
    this.name = "StateLocked";
    this.holder = holder;
  }
}

/** Bytes of the file with the name; this program writes some 20. */
const mostNameBytes = 64;

/** Exit status that flock(1) is to return when another process holds the lock. */
const busyStatus = 75;

/** flock(2) for the exclusive lock of an open file, without waiting; as the host has it. */
type TryLock = (descriptor: number) => boolean;

export interface LockOptions {
  /** Seconds to wait for the process that has it. */
  readonly waitSeconds?: number;
  readonly role?: LockRole;
  /** Saves a process: without it, and for a wait, flock(1) of util-linux locks the descriptor that it inherits. */
  readonly tryLock?: TryLock | undefined;
}

/**
 * Takes the writer's lock of a state directory. It belongs to the open file, which stays open here. The directory itself
 * is locked: that takes no write, so it also works on a full or read-only disk. Throws StateLocked and
 * `storage_unwritable`.
 */
export async function takeLock(
  directory: string,
  { waitSeconds = 0, role = "command", tryLock }: LockOptions = {},
): Promise<Lock> {
  const held = opened(directory);
  try {
    if (!(await lock(held, waitSeconds, tryLock))) throw lockedBy(directory);
  } catch (error) {
    closeSync(held);
    throw error;
  }
  writeName(directory, role);
  let isHeld = true;
  return {
    release: async () => {
      // Another file may have the descriptor's number by then.
      if (isHeld) closeSync(held);
      isHeld = false;
    },
  };
}

function opened(directory: string): number {
  try {
    return openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (cause) {
    throw unusableDirectory(directory, cause);
  }
}

/** Seconds: a command that works on the state without the agent has ended by then. */
const commandSeconds = 10;

/** Takes the agent's lock, at once or when a command has ended. Throws StateLocked and `storage_unwritable`. */
export async function takeAgentLock(directory: string, tryLock?: TryLock): Promise<Lock> {
  const options = { role: "agent", tryLock } as const;
  try {
    return await takeLock(directory, options);
  } catch (error) {
    if (!(error instanceof StateLocked) || error.holder.role === "agent") throw error;
    return takeLock(directory, { ...options, waitSeconds: commandSeconds });
  }
}

/** The error of taking the lock now; undefined: free, or unknown. Safe for root in another user's directory. */
export async function findLock(directory: string): Promise<StateLocked | undefined> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let descriptor: number;
  try {
    descriptor = openSync(directory, flags);
  } catch {
    return undefined;
  }
  try {
    return (await flock(descriptor, 0, "--shared")) === busyStatus ? lockedBy(directory) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Never waits: a pipe in its place has no reader, and this precedes everything that an agent or a rescue does. The name
 * only serves the message for others, so a disk that takes no write does not prevent a start.
 */
function writeName(directory: string, role: LockRole): void {
  try {
    const descriptor = openDispensableSync(nameFile(directory), constants.O_WRONLY | constants.O_TRUNC);
    try {
      writeSync(descriptor, `${pid} ${role}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return;
  }
}

function nameFile(directory: string): string {
  return join(directory, ".lock");
}

/** True: this process has the lock now. Throws `internal_error`. */
async function lock(descriptor: number, waitSeconds: number, tryLock?: TryLock): Promise<boolean> {
  const isTaken = answerOf(descriptor, tryLock);
  if (isTaken === true || (isTaken === false && waitSeconds === 0)) return isTaken;
  const status = await flock(descriptor, waitSeconds);
  if (status === 0 || status === busyStatus) return status === 0;
  throw new StewardError("internal_error", `flock(1) failed with status ${status}`);
}

/** Undefined: only flock(1) can find it out. */
function answerOf(descriptor: number, tryLock: TryLock | undefined): boolean | undefined {
  try {
    return tryLock?.(descriptor);
  } catch {
    return undefined;
  }
}

function flock(
  descriptor: number,
  waitSeconds: number,
  kind: "--exclusive" | "--shared" = "--exclusive",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = [kind, "--conflict-exit-code", String(busyStatus), "--wait", String(waitSeconds)];
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

function lockedBy(directory: string): StateLocked {
  const holder = readHolder(directory);
  const who = holder.pid === null ? "another process" : `process ${holder.pid}`;
  return new StateLocked(
    `The state in ${directory} is in use by ${who}. Only one process may write it: stop that one, or go through the agent.`,
    holder,
  );
}

function readHolder(directory: string): LockHolder {
  const [, holder, role] = /^(\d+)(?: (agent|command))?\s*$/.exec(readName(directory)) ?? [];
  // On a read-only disk, and until the next holder has written its own, the name is that of an earlier one.
  if (holder === undefined || !existsSync(`/proc/${holder}`)) return unknownHolder;
  return { pid: Number(holder), role: role === "agent" || role === "command" ? role : null };
}

/** Root may read a file here that another user has put there. */
function readName(directory: string): string {
  try {
    return readRegularSync(nameFile(directory), mostNameBytes).toString("latin1");
  } catch {
    return "";
  }
}
