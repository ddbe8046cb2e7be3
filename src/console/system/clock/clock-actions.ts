import { useEffect, useState } from "preact/hooks";
import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { useAction } from "../../client/use-action.ts";
import type { Resource } from "../../client/use-resource.ts";
import { toast } from "../../ui/dialog/toasts.tsx";
import { offsetWithUncertainty, stepInWords } from "./clock-words.ts";

/** The props of those who show the clock's state beside its actions. */
export interface ClockProps {
  readonly status: TimeSync;
  readonly actions: ReturnType<typeof useClockActions>;
}

/** Milliseconds between two polls of a measurement in progress. */
const lookMilliseconds = 1_000;

/** A round of many servers, with their keys, takes as long. */
const measuring = { patience: 120 };

export function useClockActions(clock: Resource<TimeSync>) {
  const take = (after: TimeSync): void => {
    const before = clock.value;
    clock.put(after);
    toast(resultInWords(before, after));
  };
  const sync = useAction(async () => take(await call("syncTime", { body: {} }, measuring)));
  const reselect = useAction(async () => take(await call("reselectTimeSources", {}, measuring)));
  const isBusy = sync.isBusy || reselect.isBusy;
  const samples = clock.value?.counters.samples ?? 0;
  const [atStart, setAtStart] = useState<number | null>(null);
  useEffect(() => {
    setAtStart(isBusy ? samples : null);
    if (!isBusy) return;
    const timer = setInterval(() => void clock.reload(), lookMilliseconds);
    return () => {
      clearInterval(timer);
      // A refused measurement changes the status as well.
      void clock.reload();
    };
  }, [isBusy]);
  return {
    sync,
    reselect,
    /** Sets the clock to this browser's. Throws what the agent refuses with. */
    setByBrowser: async () => take(await call("syncTime", { body: browserTime })),
    /** Puts it right also beyond the panic threshold. Throws what the agent refuses with. */
    force: async () => {
      take(await call("syncTime", { body: { force: true } }, measuring));
      sync.forget();
    },
    /** Answers that have come since the measuring began; null: no measurement was requested. */
    answers: atStart === null ? null : samples - atStart,
  };
}

/** Read when it is sent, which may be after the password was asked for. */
const browserTime = {
  get time(): string {
    return new Date().toISOString();
  },
};

function resultInWords(
  before: TimeSync | null,
  { last_step, offset_seconds, uncertainty_seconds }: TimeSync,
): string {
  if (last_step !== null && last_step.at !== before?.last_step?.at) return stepInWords(last_step.seconds);
  if (offset_seconds === null) return t.clock.done;
  return t.clock.measured(offsetWithUncertainty(offset_seconds, uncertainty_seconds));
}
