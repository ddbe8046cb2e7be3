import { useEffect, useState } from "preact/hooks";

/** A value that components follow. */
export interface Store<T> {
  read(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let present = initial;
  const listeners = new Set<() => void>();
  return {
    read: () => present,
    set: (next) => {
      if (next === present) return;
      present = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({});
  const drawn = store.read();
  useEffect(() => {
    // It may have changed between the drawing and this.
    if (store.read() !== drawn) draw({});
    return store.subscribe(() => draw({}));
  }, [store]);
  return drawn;
}
