import { useRef } from "preact/hooks";
import type { LogCounts, LogQuery } from "../../../contract/types.ts";
import { useResource } from "../../client/use-resource.ts";

/** Counts of a moment: lines that come later are not among them until they are read again. */
type LogCounted = LogCounts & { readonly at: Date };

export interface CountedLog {
  /** null: not read yet. Until other filters are counted, it stays. */
  readonly value: LogCounted | null;
  readonly error: unknown;
  reload(): Promise<void>;
}

/** The lines that the filters find, by unit and priority: one reading serves each choice of these. */
export function useLogCounts({ q, since, status, user }: LogQuery): CountedLog {
  const query = {
    ...(q && { q }),
    ...(since && { since }),
    ...(status && { status }),
    ...(user && { user }),
  };
  const { value, error, reload } = useResource("countLogs", { query });
  const last = useRef<{ readonly read: LogCounts; readonly value: LogCounted } | null>(null);
  if (value !== null && value !== last.current?.read)
    last.current = { read: value, value: { ...value, at: new Date() } };
  return { value: last.current?.value ?? null, error, reload };
}
