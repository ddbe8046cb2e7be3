import { useState } from "preact/hooks";

/**
 * What is typed in a step, also after a reload of the page, and until the tab is closed. Never for passwords and the like:
 * the browser writes it down. The function takes a change, null forgets all of it.
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
