import { useEffect, useRef } from "preact/hooks";
import { guardLeaving, type Keep } from "./navigation.ts";

/** While true, leaving asks first. Set the result to false to leave before the next drawing. `keep`: over a reload. */
export function useUnsaved(isUnsaved: boolean, keep?: Keep): { current: boolean } {
  const latest = useRef(isUnsaved);
  latest.current = isUnsaved;
  const latestKeep = useRef(keep);
  latestKeep.current = keep;
  useEffect(
    () =>
      guardLeaving(
        () => latest.current,
        keep && { name: keep.name, entries: () => latestKeep.current?.entries() },
      ),
    [keep?.name],
  );
  return latest;
}
