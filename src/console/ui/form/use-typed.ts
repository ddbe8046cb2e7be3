import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Milliseconds from the last key to the search. */
const typingMilliseconds = 300;

/**
 * The text of a search field, and what takes what is typed into it; `apply` gets it a moment after the last key. When
 * `value` becomes something that was not typed here, the field shows that.
 */
export function useTyped(
  value: string,
  apply: (typed: string) => void,
): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  // At once: a moment later it would take back what is typed meanwhile.
  useLayoutEffect(() => {
    if (value !== applied.current) setTyped(value);
    applied.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = typed;
      apply(typed);
    }, typingMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
