import { StewardError } from "../../contract/errors.ts";
import type { Age, SealingKey } from "./age.ts";
import { type SnapshotRooms, takeSnapshot } from "./snapshot.ts";

export type Backups = ReturnType<typeof createBackups>;

/** Seconds after which a refused caller may try again: a backup takes some. */
const busySeconds = 10;

/** One at a time: scrypt takes a quarter of the unit's memory. */
export function createBackups(rooms: SnapshotRooms, age: Age) {
  let isBusy = false;
  /** Begins with an empty piece once all can be made: only a begun generator ends when its reader returns. */
  async function* made(key: SealingKey): AsyncGenerator<Uint8Array> {
    try {
      const snapshot = await takeSnapshot(rooms);
      const sealed = age.seal(snapshot.archive(), key);
      try {
        const first = await sealed.next();
        yield new Uint8Array();
        if (!first.done) yield first.value;
        yield* sealed;
      } finally {
        await sealed.return(undefined);
        await snapshot.close();
      }
    } finally {
      isBusy = false;
    }
  }
  return {
    /**
     * The bytes of a backup of this moment, made while they are read; its reader reads to the end, or returns. Throws
     * `rate_limited` while another is made, `validation_failed` for a key that is not age's, and the errors of
     * `takeSnapshot`; later failures come while it is read.
     */
    make: async (key: SealingKey): Promise<AsyncGenerator<Uint8Array>> => {
      if (isBusy) throw busy();
      isBusy = true;
      const pieces = made(key);
      await pieces.next();
      return pieces;
    },
  };
}

function busy(): StewardError {
  return new StewardError("rate_limited", "Another backup is being made. Try again when it is done.", {
    details: { retryAfterSeconds: busySeconds },
  });
}
