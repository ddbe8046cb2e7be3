import { StewardError } from "../contract/errors.ts";
import type { Age, SealingKey } from "./age.ts";
import { type SnapshotRooms, takeSnapshot } from "./snapshot.ts";

/** Makes backups of this device. */
export interface Backups {
  /**
   * The bytes of a backup of this moment, made while they are read; its reader reads to the end, or returns. Throws
   * `rate_limited` while another is made, `validation_failed` for a key that is not age's, and the errors of
   * `takeSnapshot`; later failures come while it is read.
   */
  make(key: SealingKey): Promise<AsyncIterableIterator<Uint8Array>>;
}

/** Seconds after which a refused caller may try again: a backup takes some. */
const busySeconds = 10;

/** One at a time: scrypt takes a quarter of the unit's memory. */
export function createBackups(rooms: SnapshotRooms, age: Age): Backups {
  let isBusy = false;
  return {
    make: async (key) => {
      if (isBusy) throw busy();
      isBusy = true;
      const pieces = made(rooms, age, key);
      const done = (): void => {
        isBusy = false;
      };
      try {
        return following(await pieces.next(), pieces, done);
      } catch (error) {
        done();
        throw error;
      }
    },
  };
}

async function* made(rooms: SnapshotRooms, age: Age, key: SealingKey): AsyncGenerator<Uint8Array> {
  const snapshot = await takeSnapshot(rooms);
  try {
    yield* age.seal(snapshot.archive(), key);
  } finally {
    await snapshot.close();
  }
}

/** The first piece, which has shown that all can be made, and the rest. A generator would not end if it was never begun. */
function following(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
  done: () => void,
): AsyncIterableIterator<Uint8Array> {
  let waiting: IteratorResult<Uint8Array> | null = first;
  const ending = async (step: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array>> => {
    try {
      const next = await step;
      if (next.done) done();
      return next;
    } catch (error) {
      done();
      throw error;
    }
  };
  const iterator: AsyncIterableIterator<Uint8Array> = {
    next: () => {
      const next = waiting === null ? rest.next() : Promise.resolve(waiting);
      waiting = null;
      return ending(next);
    },
    return: () => ending(rest.return(undefined)),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

function busy(): StewardError {
  return new StewardError("rate_limited", "Another backup is being made. Try again when it is done.", {
    details: { retryAfterSeconds: busySeconds },
  });
}
