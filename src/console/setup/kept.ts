import { useState } from "preact/hooks";

/**
 * The entries of a step, kept through reloads until the tab is closed. Never for passwords and the like, because the
 * browser writes them down. The function takes a change; null forgets them all.
 */
export function useKept<T extends object>(
  name: string,
  initial: T,
): [T, (change: Partial<T> | null) => void] {
  const key = `steward-setup-${name}`;
  const [typed, setTyped] = useState<Partial<T>>(() => JSON.parse(sessionStorage.getItem(key) ?? "{}"));
  return [
    { ...initial, ...typed },
    (change) => {
      if (change === null) {
        sessionStorage.removeItem(key);
        return setTyped({});
      }
      setTyped((before) => {
        const next = { ...before, ...change };
        sessionStorage.setItem(key, JSON.stringify(next));
        return next;
      });
    },
  ];
}
