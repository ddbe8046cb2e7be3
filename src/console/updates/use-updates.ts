import { useEffect, useRef } from "preact/hooks";
import type { UpdateHistory, UpdateProgress, Updates } from "../../contract/types.ts";
import { type Resource, useResource } from "../client/use-resource.ts";

interface UpdatesInSight {
  readonly updates: Resource<Updates>;
  readonly history: Resource<UpdateHistory>;
  /** The progress of the work under way; null: none. */
  readonly progress: UpdateProgress | null;
  /** Something was begun, and this was the answer. */
  begun(status: Updates): void;
}

/** Reads updates and their history, and follows both as they change. */
export function useUpdates(): UpdatesInSight {
  const updates = useResource("getUpdates");
  const history = useResource("listUpdateHistory");
  const { value } = updates;
  const key = historyKey(value);
  const before = useRef(key);
  useEffect(() => {
    if (before.current !== noHistoryKey) void history.reload();
    before.current = key;
  }, [key]);
  return { updates, history, progress: present(value?.progress), begun: updates.put };
}

function present(progress: UpdateProgress | null | undefined): UpdateProgress | null {
  return progress && progress.phase !== "idle" ? progress : null;
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
