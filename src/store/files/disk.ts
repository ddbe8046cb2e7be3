import { type StatsFs, statfsSync } from "node:fs";
import type { Finding } from "../../contract/types.ts";
import { missingReserve, readOnly, type Space, spaceTrouble } from "./disk-trouble.ts";
import { type Mount, mountOf } from "./mount.ts";
import type { Reserve } from "./reserve.ts";
import { processTime, type StoreTime } from "./store-time.ts";

/** Seconds between two looks: while all is well, and during a fault. */
const restingSeconds = 30;
const troubledSeconds = 5;

export type Capacity = ReturnType<typeof capacityIn>;

/** The file system of the state. It is checked now and then, so that no reader ever waits for it. */
export class Disk {
  readonly #directory: string;
  readonly #reserve: Reserve;
  readonly #timers: StoreTime["timers"];
  readonly #listeners = new Set<() => void | Promise<void>>();
  #seen: Finding | null = null;
  #capacity: Capacity | null = null;
  /** Counts as made until a try to make it fails. */
  #hasReserve = true;
  #isReadOnly = false;
  #wasFileSystemReadOnly = false;
  #isViewStale = false;
  #isWatched = false;
  #takeBack = (): void => undefined;

  private constructor(directory: string, reserve: Reserve, timers: StoreTime["timers"]) {
    this.#directory = directory;
    this.#reserve = reserve;
    this.#timers = timers;
  }

  /** Checks once, without writing anything. `directory`: the state's. */
  static open(directory: string, reserve: Reserve, { timers } = processTime): Disk {
    const disk = new Disk(directory, reserve, timers);
    disk.#see();
    return disk;
  }

  /** The trouble at the last check that a person should know of; null: none. */
  trouble(): Finding | null {
    return this.#seen ?? (this.#reserve.isGivenUp() ? missingReserve(this.#directory) : null);
  }

  /** The capacity at the last check; null: the file system does not give it. */
  capacity(): Capacity | null {
    return this.#capacity;
  }

  /** True if the file system was read-only at this process's start, and now only its view is: another process can write. */
  isViewStale(): boolean {
    return this.#isViewStale;
  }

  /** Checks now; makes the reserve if it is missing and there is space for it. */
  async look(): Promise<void> {
    this.#see();
    await this.#keepReserve();
  }

  async #keepReserve(): Promise<void> {
    const hadReserve = this.#hasReserve;
    // A write that must fail is not tried.
    if (!this.#isReadOnly) this.#hasReserve = await this.#reserve.refill().catch(() => false);
    if (this.#hasReserve !== hadReserve) this.#see();
    for (const listener of this.#listeners) await listener();
  }

  /** Plain calls: the kernel answers them from its memory, and a thread would cost more. */
  #see(): void {
    const mount = mountOf(this.#directory);
    this.#isReadOnly = mount?.isReadOnly ?? false;
    // If the file system could be written all the time, the view is read-only on purpose.
    this.#isViewStale = this.#wasFileSystemReadOnly && mount?.isReadOnlyHereAlone === true;
    this.#wasFileSystemReadOnly ||= this.#isReadOnly && !mount?.isReadOnlyHereAlone;
    const found = foundAt(this.#directory);
    this.#seen = troubleIn(this.#directory, mount, { found, hasReserve: this.#hasReserve });
    this.#capacity = found === undefined ? null : capacityIn(found);
  }

  /** Calls the listener after each check, and waits for it before the next. Returns a function that stops it. */
  observe(listener: () => void | Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Makes the reserve if it is missing, and begins the regular checks: `open` has made the first. */
  start(): void {
    this.#isWatched = true;
    void this.#keepReserve().then(() => this.#plan());
  }

  stop(): void {
    this.#isWatched = false;
    this.#takeBack();
  }

  #plan(): void {
    if (!this.#isWatched) return;
    const seconds = this.trouble() === null ? restingSeconds : troubledSeconds;
    this.#takeBack = this.#timers.after(seconds, () => void this.look().then(() => this.#plan()));
  }
}

/** The trouble with the file system of a directory, mounted as in `mount`; null: none. */
export function findDiskTrouble(directory: string, mount: Mount | null, hasReserve = true): Finding | null {
  return troubleIn(directory, mount, { found: foundAt(directory), hasReserve });
}

/** Undefined: the file system does not give it. */
function foundAt(directory: string): StatsFs | undefined {
  try {
    return statfsSync(directory);
  } catch {
    return undefined;
  }
}

function troubleIn(
  directory: string,
  mount: Mount | null,
  { found, hasReserve }: { found: StatsFs | undefined; hasReserve: boolean },
): Finding | null {
  if (mount?.isReadOnly) return readOnly(directory, mount);
  return spaceTrouble(mount?.point ?? directory, found && spaceIn(found), hasReserve);
}

export function spaceOf(directory: string): Space {
  return spaceIn(statfsSync(directory));
}

function spaceIn({ bavail, bsize, files, ffree }: StatsFs): Space {
  return { freeBytes: bavail * bsize, freeInodes: files > 0 ? ffree : null };
}

/** Null: the file system does not give it. */
export function capacityOf(directory: string): Capacity | null {
  const found = foundAt(directory);
  return found === undefined ? null : capacityIn(found);
}

/** `availableBytes`: for users other than root. */
function capacityIn({ blocks, bavail, bsize }: StatsFs) {
  return { sizeBytes: blocks * bsize, availableBytes: bavail * bsize };
}
