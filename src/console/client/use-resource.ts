import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { OperationId } from "../../contract/operations.ts";
import type { Output } from "../../contract/types.ts";
import { type CallInput, callWithTag } from "./call.ts";

export interface Resource<T> {
  /** null: not read yet, or not readable; what was read last stays while it is read anew. */
  readonly value: T | null;
  readonly etag: string | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): Promise<void>;
  /** Puts what an answer to a write said in its place. */
  put(value: T, etag?: string | null): void;
}

export interface ResourceOptions {
  /** Seconds between two readings while the page is in sight. */
  readonly everySeconds?: number;
}

interface Read<T> {
  readonly value: T | null;
  readonly etag: string | null;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** Reads something of the agent's and keeps it; anew when the input changes. */
export function useResource<Id extends OperationId>(
  id: Id,
  input: CallInput<Id> = {},
  { everySeconds }: ResourceOptions = {},
): Resource<Output<Id>> {
  const key = JSON.stringify(input);
  const [read, setRead] = useState<Read<Output<Id>>>({
    value: null,
    etag: null,
    error: null,
    isLoading: true,
  });
  const latest = useRef(0);
  const reload = useCallback(async () => {
    const turn = ++latest.current;
    setRead((before) => ({ ...before, isLoading: true }));
    try {
      const { value, etag } = await callWithTag(id, JSON.parse(key) as CallInput<Id>);
      if (turn === latest.current) setRead({ value, etag, error: null, isLoading: false });
    } catch (error) {
      if (turn === latest.current) setRead((before) => ({ ...before, error, isLoading: false }));
    }
  }, [id, key]);
  const put = useCallback((value: Output<Id>, etag: string | null = null) => {
    latest.current += 1;
    setRead({ value, etag, error: null, isLoading: false });
  }, []);
  useEffect(() => {
    void reload();
    return () => {
      latest.current += 1;
    };
  }, [reload]);
  useEffect(() => {
    if (everySeconds === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, everySeconds * 1_000);
    return () => clearInterval(timer);
  }, [reload, everySeconds]);
  return { ...read, reload, put };
}
