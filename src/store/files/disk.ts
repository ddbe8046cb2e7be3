import { statfs } from "node:fs/promises";
import { mountOf } from "./mount.ts";
import { type Reserve, reserveBytes, reserveNeedsBytes } from "./reserve.ts";
import { fullAdvice, readOnlyAdvice } from "./storage-advice.ts";

/** Free bytes on the state's file system below which health is degraded: what the reserve leaves when it is made. */
export const leastFreeBytes = reserveNeedsBytes - reserveBytes;

/** Free inodes below which health is degraded; a write takes one until it is done. */
export const leastFreeInodes = 256;

/** Milliseconds between two looks: while all is well, and while something is not. */
const restingMilliseconds = 15_000;
const troubledMilliseconds = 5_000;

/** The file system that the state lies on, looked at now and then, so that no reader ever waits for it. */
export interface Disk {
  /** As of the last look: what a person should know; null when all is well. */
  trouble(): string | null;
  /**
   * The file system was read-only when this process began and is not any more, but this process's view of it still is:
   * only another process can write there.
   */
  isViewStale(): boolean;
  /** Looks now; where the reserve is missing and there is space for it, makes it. */
  look(): Promise<void>;
  /** Told after each look, and waited for before the next. Returns how to stop. */
  observe(listener: () => void | Promise<void>): () => void;
  /** Begins the regular looks. */
  start(): void;
  stop(): void;
}

interface Space {
  freeBytes: number;
  /** Null where the file system does not count them. */
  freeInodes: number | null;
}

/** Looks once, without writing anything. `directory`: the state's. */
export async function openDisk(directory: string, reserve: Reserve): Promise<Disk> {
  const disk = new WatchedDisk(directory, reserve);
  await disk.see();
  return disk;
}

class WatchedDisk implements Disk {
  readonly #directory: string;
  readonly #reserve: Reserve;
  readonly #listeners = new Set<() => void | Promise<void>>();
  #seen: string | null = null;
  /** Undefined until it was tried to make it. */
  #hasReserve: boolean | undefined;
  #isReadOnly = false;
  #wasFileSystemReadOnly = false;
  #isViewStale = false;
  #isWatched = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string, reserve: Reserve) {
    this.#directory = directory;
    this.#reserve = reserve;
  }

  trouble(): string | null {
    return this.#seen ?? (this.#reserve.isGivenUp() ? missingReserve : null);
  }

  isViewStale(): boolean {
    return this.#isViewStale;
  }

  async look(): Promise<void> {
    await this.see();
    // Without a write that is bound to fail.
    if (!this.#isReadOnly) this.#hasReserve = await this.#reserve.refill().catch(() => false);
    await this.see();
    for (const listener of this.#listeners) await listener();
  }

  async see(): Promise<void> {
    const mount = mountOf(this.#directory);
    this.#isReadOnly = mount?.isReadOnly ?? false;
    // A view that was made read-only on purpose was so with a file system that could be written all the time.
    this.#isViewStale = this.#wasFileSystemReadOnly && mount?.isReadOnlyHereAlone === true;
    this.#wasFileSystemReadOnly ||= this.#isReadOnly && !mount?.isReadOnlyHereAlone;
    const point = mount?.point ?? this.#directory;
    const space = await spaceOf(this.#directory).catch(() => undefined);
    this.#seen = this.#isReadOnly
      ? readOnlyTrouble(this.#directory)
      : spaceTrouble(point, space, this.#hasReserve);
  }

  observe(listener: () => void | Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    this.#isWatched = true;
    void this.look().then(() => this.#plan());
  }

  stop(): void {
    this.#isWatched = false;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    if (!this.#isWatched) return;
    const milliseconds = this.trouble() === null ? restingMilliseconds : troubledMilliseconds;
    this.#timer = setTimeout(() => void this.look().then(() => this.#plan()), milliseconds).unref();
  }
}

async function spaceOf(directory: string): Promise<Space> {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  return { freeBytes: bavail * bsize, freeInodes: files > 0 ? ffree : null };
}

function readOnlyTrouble(directory: string): string {
  return (
    `The agent's state cannot be written. ${readOnlyAdvice(directory)} ` +
    "Until then signing in and everything that is only read go on, in memory; changes of accounts and settings are refused."
  );
}

function spaceTrouble(
  point: string,
  space: Space | undefined,
  hasReserve: boolean | undefined,
): string | null {
  if (space === undefined) return `The file system at ${point} does not say how much space is left on it.`;
  const { freeBytes, freeInodes } = space;
  const missing = hasReserve === false ? ` ${missingReserve}` : "";
  if (freeBytes < leastFreeBytes) {
    const left = `Only ${mebibytes(freeBytes)} MiB are free on ${point}; below ${mebibytes(leastFreeBytes)} this warns.`;
    return `${left}${missing} When the disk is full, changes of accounts and settings are refused. ${fullAdvice(point)}`;
  }
  if (freeInodes !== null && freeInodes < leastFreeInodes) {
    const left = `Only ${freeInodes} more files can be made on ${point}; below ${leastFreeInodes} this warns.`;
    return `${left} At none, changes of accounts and settings are refused. ${fullAdvice(point)}`;
  }
  return hasReserve === false ? `${missingReserve} ${fullAdvice(point)}` : null;
}

/** Rounded down: what is left is never said to be more than it is. */
function mebibytes(bytes: number): string {
  return String(Math.floor((bytes / 2 ** 20) * 10) / 10);
}

const missingReserve =
  `The reserve of ${mebibytes(reserveBytes)} MiB, which is given up first when the disk is full, does not exist: ` +
  `it is made when ${mebibytes(reserveNeedsBytes)} MiB are free.`;
