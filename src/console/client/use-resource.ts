import { useEffect, useMemo } from "preact/hooks";
import type { OperationId } from "../../contract/operations.ts";
import type { Output } from "../../contract/types.ts";
import { useStore } from "../store.ts";
import { entryOf } from "./cache.ts";
import type { CallInput } from "./call.ts";
import { Entry, type Read } from "./entry.ts";

export interface Resource<T> extends Read<T> {
  reload(): Promise<void>;
  /** Takes the value from the answer to a write. */
  put(value: T, etag?: string | null): void;
}

/**
 * A value of the agent's, kept fresh while it is drawn: read once for all who need it, and again after events that change
 * it. The value of an earlier visit is there at once, and read again behind it. `isStill`: read once, when it is first
 * drawn: a form compares its change with the values that it began with.
 */
export function useResource<Id extends OperationId>(
  id: Id,
  input: CallInput<Id> = {},
  { isStill = false }: { readonly isStill?: boolean } = {},
): Resource<Output<Id>> {
  const key = JSON.stringify(input);
  const entry = useMemo(() => (isStill ? new Entry(id, key) : entryOf(id, key)), [id, key]);
  useEffect(() => entry.hold(), [entry]);
  return { ...useStore(entry.read), reload: entry.reload, put: entry.put };
}
