import { timeOfDay } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { heardAt, isAway, isForeign } from "../client/connection.ts";
import { useStore } from "../store.ts";
import { Shape } from "./shape.tsx";

/** Says that the device is away, over the page rather than in it, so that nothing moves. */
export function ConnectionState({
  isOverFacts = false,
}: {
  /** True: the page below shows the last known facts. */
  readonly isOverFacts?: boolean;
}) {
  const isShown = useIsAway();
  const foreign = useStore(isForeign) && t.problem?.faults.foreign;
  return (
    <div role="status" class={isShown ? "connection reconnecting" : "connection"}>
      {isShown && <Shape name="unknown" />}
      {isShown && (
        <span>
          {/* The texts come from the device too, and may not be there yet. */}
          {foreign ? `${foreign.title}. ${foreign.text}` : (t.frame?.reconnecting ?? "Reconnecting …")}
          {isOverFacts && ` ${t.frame.asOf(timeOfDay(new Date(heardAt)))}`}
        </span>
      )}
      {isShown && foreign && (
        <button type="button" class="button plain" onClick={() => location.reload()}>
          {t.ui.again}
        </button>
      )}
    </div>
  );
}

/** True: the device has not answered for so long that it is worth saying. */
export function useIsAway(): boolean {
  return useStore(isAway);
}
