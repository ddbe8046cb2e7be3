import { useEffect, useState } from "preact/hooks";
import type { UpdateHistory, UpdateProgress, Updates } from "../../contract/types.ts";
import { listen } from "../client/live-events.ts";
import { type Resource, useResource } from "../client/use-resource.ts";
import { isOneOf } from "../session/session.ts";

/** Seconds between two looks: while something is under way, and else. */
const quickSeconds = 2;
const calmSeconds = 30;

/** Milliseconds for which it is still looked quickly: between the steps of an update nothing is under way for a moment. */
const afterglowMilliseconds = 12_000;

export interface UpdatesInSight {
  readonly updates: Resource<Updates>;
  readonly history: Resource<UpdateHistory>;
  /** The progress of the work under way, by the stream where there is one; null: none. */
  readonly progress: UpdateProgress | null;
  /** Something was begun, and this was the answer. */
  begun(status: Updates): void;
}

/** How updates are, followed as they move: by the event stream for those who may, and by asking. */
export function useUpdates(): UpdatesInSight {
  const [isQuick, setQuick] = useState(false);
  const [told, setTold] = useState<UpdateProgress | null>(null);
  const [begins, setBegins] = useState(0);
  const updates = useResource("getUpdates", {}, { everySeconds: isQuick ? quickSeconds : calmSeconds });
  const history = useResource("listUpdateHistory");
  const { value, reload } = updates;
  const progress = present(told ?? value?.progress);
  const isUnderWay = progress !== null || (value !== null && value.trial !== null);
  // What was read is newer than what was told before.
  useEffect(() => setTold(null), [value]);
  useEffect(() => {
    setQuick(true);
    if (isUnderWay) return;
    const timer = setTimeout(() => setQuick(false), afterglowMilliseconds);
    return () => clearTimeout(timer);
  }, [isUnderWay, begins]);
  useEffect(() => {
    if (value !== null) void history.reload();
  }, [historyKey(value)]);
  useEffect(() => (isOneOf("admin", "operator") ? follow(setTold, reload) : undefined), [reload]);
  return {
    updates,
    history,
    progress,
    begun: (status) => {
      updates.put(status);
      setBegins(begins + 1);
    },
  };
}

function follow(tell: (progress: UpdateProgress) => void, reload: () => Promise<void>): () => void {
  let phase = "";
  return listen({
    onProgress: (progress) => {
      tell(progress);
      if (progress.phase !== phase) void reload();
      phase = progress.phase;
    },
    onEvent: ({ type }) => {
      if (/^(update|settings)\./.test(type)) void reload();
    },
  });
}

function present(progress: UpdateProgress | null | undefined): UpdateProgress | null {
  return progress && progress.phase !== "idle" ? progress : null;
}

/** Changes whenever the history may have grown. */
function historyKey(value: Updates | null): string {
  return JSON.stringify(
    value && [
      value.state,
      value.summary.detail,
      value.installed,
      value.failed,
      value.held,
      value.trial?.phase,
    ],
  );
}
