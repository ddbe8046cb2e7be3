import type { UpdateProgress } from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";

/** The progress of a check, a download or a trial, and its subscribers. */
export interface Progress {
  /** null: nothing is under way. */
  present(): UpdateProgress | null;
  report(progress: UpdateProgress): void;
  /** The result ends it. */
  subscribe(listener: (progress: UpdateProgress) => void): () => void;
}

/** Seconds between two reports of one download; a new phase is reported at once. */
const quietSeconds = 0.25;

/** Nothing is under way. */
export const idle: UpdateProgress = {
  phase: "idle",
  release_id: null,
  name: null,
  done_bytes: 0,
  total_bytes: null,
};

export function createProgress(uptime: Uptime): Progress {
  const listeners = new Set<(progress: UpdateProgress) => void>();
  let present = idle;
  let told = Number.NEGATIVE_INFINITY;
  return {
    present: () => (present.phase === "idle" ? null : present),
    report: (progress) => {
      const isNew = progress.phase !== present.phase || progress.release_id !== present.release_id;
      const isWhole = progress.done_bytes === progress.total_bytes;
      present = progress;
      const now = uptime();
      if (!isNew && !isWhole && now - told < quietSeconds) return;
      told = now;
      for (const listener of listeners) listener(progress);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
