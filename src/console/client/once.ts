import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { createStore, useStore } from "../store.ts";

interface Teller {
  readonly key: string;
  retry: () => void;
}

/** The callers on the page that would say something, in the order of their coming. */
const tellers = createStore<readonly Teller[]>([]);

/** True for the first of all callers with the same key; with the retries of all of them. */
export function useOnce(key: string, retry: () => void): { isFirst: boolean; all: () => (() => void)[] } {
  const own = useRef<Teller | null>(null);
  useLayoutEffect(() => {
    const teller = { key, retry };
    own.current = teller;
    tellers.set([...tellers.read(), teller]);
    return () => tellers.set(tellers.read().filter((one) => one !== teller));
  }, [key]);
  useEffect(() => {
    if (own.current) own.current.retry = retry;
  });
  const alike = useStore(tellers).filter((one) => one.key === key);
  return { isFirst: alike[0] === own.current, all: () => alike.map((one) => one.retry) };
}
