import { useEffect, useMemo } from "preact/hooks";
import type { OperationId } from "../../contract/operations.ts";
import type { Output } from "../../contract/types.ts";
import { useStore } from "../store.ts";
import { entryOf } from "./cache.ts";
import type { CallInput } from "./call.ts";
import { Entry, type Read } from "./entry.ts";

export interface Resource<T> extends Read<T> {
  reload(): Promise<void>;
  /** Puts what an answer to a write said in its place. */
  put(value: T, etag?: string | null): void;
}

export interface ResourceOptions {
  /** Read when it is first drawn, and not anew by itself: for a form, whose change is compared with what it began with. */
  readonly isStill?: boolean;
}

/**
 * Something of the agent's, kept fresh while it is drawn: read once for all who need it, and anew after events that
 * change it. What was read at an earlier visit is there at once, and read anew behind it.
 */
export function useResource<Id extends OperationId>(
  id: Id,
  input: CallInput<Id> = {},
  { isStill = false }: ResourceOptions = {},
): Resource<Output<Id>> {
  const key = JSON.stringify(input);
  const entry = useMemo(() => (isStill ? new Entry(id, key) : entryOf(id, key)), [id, key]);
  useEffect(() => entry.hold(), [entry]);
  return { ...useStore(entry.read), reload: entry.reload, put: entry.put };
}
