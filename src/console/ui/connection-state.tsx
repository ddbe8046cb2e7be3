import { useEffect, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { isConnected } from "../client/connection.ts";
import { useStore } from "../store.ts";
import { Shape } from "./shape.tsx";

/** Milliseconds without an answer before it is said: a quick restart passes unseen. */
const patienceMilliseconds = 1_000;

/** Says that the device is away, over the page rather than in it, so that nothing moves. */
export function ConnectionState() {
  const isShown = useIsAway();
  return (
    <div role="status" class={isShown ? "connection reconnecting" : "connection"}>
      {isShown && <Shape name="unknown" />}
      {/* The texts come from the device too, and may not be there yet. */}
      {isShown && (t.frame?.reconnecting ?? "Reconnecting …")}
    </div>
  );
}

/** Whether the device has not answered for so long that it is worth saying. */
export function useIsAway(): boolean {
  const isThere = useStore(isConnected);
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    setIsLong(false);
    if (isThere) return;
    const timer = setTimeout(() => setIsLong(true), patienceMilliseconds);
    return () => clearTimeout(timer);
  }, [isThere]);
  return isLong && !isThere;
}
