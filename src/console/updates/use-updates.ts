import { useEffect, useRef } from "preact/hooks";
import type { Updates } from "../../contract/types.ts";
import { useResource } from "../client/use-resource.ts";

/**
 * Reads updates and their history, and follows both as they change. `progress`: of the work under way; null: there is none.
 * `begun` takes the answer where something was begun.
 */
export function useUpdates() {
  const updates = useResource("getUpdates");
  const history = useResource("listUpdateHistory");
  const { value } = updates;
  const key = historyKey(value);
  const before = useRef(key);
  useEffect(() => {
    if (before.current !== noHistoryKey) void history.reload();
    before.current = key;
  }, [key]);
  const { progress } = value ?? {};
  const present = progress && progress.phase !== "idle" ? progress : null;
  return { updates, history, progress: present, begun: updates.put };
}

const noHistoryKey = "";

/** Changes whenever the history may have grown. */
function historyKey(value: Updates | null): string {
  if (value === null) return noHistoryKey;
  return JSON.stringify([
    value.state,
    value.summary.detail,
    value.installed,
    value.failed,
    value.held,
    value.trial?.phase,
  ]);
}
