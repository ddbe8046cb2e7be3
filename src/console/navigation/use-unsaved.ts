import { useEffect, useRef } from "preact/hooks";
import { guardLeaving } from "./navigation.ts";

/** While it is true, leaving the page asks first. Set the result to false to leave before the next drawing all the same. */
export function useUnsaved(isUnsaved: boolean): { current: boolean } {
  const latest = useRef(isUnsaved);
  latest.current = isUnsaved;
  useEffect(() => guardLeaving(() => latest.current), []);
  return latest;
}
