import type { UpdateProgress } from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";

/** Seconds between two reports of one download; a new phase is reported at once. */
const quietSeconds = 0.25;

export const idle: UpdateProgress = {
  phase: "idle",
  release_id: null,
  name: null,
  done_bytes: 0,
  total_bytes: null,
};

export type Progress = ReturnType<typeof createProgress>;

/** The progress of a check, a download or a trial, and its subscribers. */
export function createProgress(uptime: Uptime) {
  const listeners = new Set<(progress: UpdateProgress) => void>();
  let present = idle;
  let told = Number.NEGATIVE_INFINITY;
  return {
    /** null: nothing is under way. */
    present: (): UpdateProgress | null => (present.phase === "idle" ? null : present),
    report: (progress: UpdateProgress): void => {
      const isNew = progress.phase !== present.phase || progress.release_id !== present.release_id;
      const isWhole = progress.done_bytes === progress.total_bytes;
      present = progress;
      const now = uptime();
      if (!isNew && !isWhole && now - told < quietSeconds) return;
      told = now;
      for (const listener of listeners) listener(progress);
    },
    /** The result ends it. */
    subscribe: (listener: (progress: UpdateProgress) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
