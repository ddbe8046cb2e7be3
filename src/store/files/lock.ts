import { spawn } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pid } from "node:process";
import { StewardError } from "../../contract/errors.ts";
import { unusableDirectory } from "./durable-file.ts";
import { openDispensable, readRegular } from "./regular-file.ts";

/** Possession of a state directory; one process at a time, given back by the kernel when the process dies. */
export interface Lock {
  release(): Promise<void>;
}

/** What has taken a lock: the agent keeps it while it runs, a command is done in a moment. */
export type LockRole = "agent" | "command";

/** The process that has a lock, as far as it could write that down. */
export interface LockHolder {
  readonly pid: number | null;
  /** null: not known, as on a read-only disk. */
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

/** Bytes of the file with the name; what this program writes has some 20. */
const mostNameBytes = 64;

/** Exit status that we ask flock(1) to give when another process holds the lock. */
const busyStatus = 75;

/**
 * Takes the writer's lock of a state directory, waiting up to `waitSeconds` for the process that has it.
 *
 * Node has no flock(2). util-linux's flock takes it on the descriptor that it inherits; the lock belongs to the
 * open file, which stays open here when flock has gone. It is the directory itself that is locked: that takes no write,
 * so it can be had on a disk that is full or read-only too. Throws StateLocked, `storage_unwritable`.
 */
export async function takeLock(
  directory: string,
  waitSeconds = 0,
  role: LockRole = "command",
): Promise<Lock> {
  const held = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY).catch((cause: unknown) => {
    throw unusableDirectory(directory, cause);
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
  await writeName(directory, role).catch(() => undefined);
  return { release: () => held.close() };
}

/** Seconds: a command that works on the state without the agent has ended by then. */
const commandSeconds = 10;

/** The agent's: takes the lock at once, or when the command that has it has ended. Throws StateLocked, `storage_unwritable`. */
export async function takeAgentLock(directory: string): Promise<Lock> {
  try {
    return await takeLock(directory, 0, "agent");
  } catch (error) {
    if (!(error instanceof StateLocked) || error.holder.role === "agent") throw error;
    return takeLock(directory, commandSeconds, "agent");
  }
}

/**
 * What taking the lock would throw at the moment; undefined: it is free, or it cannot be told. Root may ask in a directory
 * of another user's: no link is followed, and nothing is waited for.
 */
export async function findLock(directory: string): Promise<StateLocked | undefined> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const file = await open(directory, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return (await flock(file.fd, 0, "--shared")) === busyStatus ? await lockedBy(directory) : undefined;
  } finally {
    await file.close();
  }
}

/** Never waits: a pipe in its place has no reader, and this is before everything that an agent or a rescue does. */
async function writeName(directory: string, role: LockRole): Promise<void> {
  const file = await openDispensable(nameFile(directory), constants.O_WRONLY | constants.O_TRUNC);
  try {
    await file.writeFile(`${pid} ${role}\n`);
  } finally {
    await file.close();
  }
}

function nameFile(directory: string): string {
  return join(directory, ".lock");
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

async function lockedBy(directory: string): Promise<StateLocked> {
  const holder = await readHolder(directory);
  const who = holder.pid === null ? "another process" : `process ${holder.pid}`;
  return new StateLocked(
    `The state in ${directory} is in use by ${who}. Only one process may write it: stop that one, or go through the agent.`,
    holder,
  );
}

async function readHolder(directory: string): Promise<LockHolder> {
  // Root may read here what another user has put there.
  const text = await readRegular(nameFile(directory), mostNameBytes).catch(() => "");
  const [, holder, role] = /^(\d+)(?: (agent|command))?\s*$/.exec(text.toString("latin1")) ?? [];
  // On a read-only disk, and until the next one has written its own, the name is that of an earlier one.
  if (holder === undefined || !existsSync(`/proc/${holder}`)) return unknownHolder;
  return { pid: Number(holder), role: role === "agent" || role === "command" ? role : null };
}
