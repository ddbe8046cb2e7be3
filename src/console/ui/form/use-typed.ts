import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Milliseconds from the last key to the search. */
const typingMilliseconds = 300;

/** A search field's text; `apply` gets it a moment after the last key. A `value` that was not typed here is shown. */
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
