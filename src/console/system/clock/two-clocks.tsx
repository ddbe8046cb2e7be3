import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { locale, t } from "../../catalogue/words.ts";
import { deviceNow } from "../../client/device-time.ts";
import { useIsAway } from "../../ui/connection-state.tsx";
import { differenceInWords } from "./clock-words.ts";

/** Milliseconds between two ticks. */
const tickMilliseconds = 1_000;

/** The device's time and this browser's side by side as they go on, with the difference and the buttons that mend it. */
export function TwoClocks({ children }: { readonly children: ComponentChildren }) {
  useTicks();
  const isAway = useIsAway();
  return (
    <div class="two-clocks">
      <Clock name={t.clock.facts.deviceTime} at={isAway ? null : deviceNow()} />
      <Clock name={t.clock.facts.browserTime} at={Date.now()} />
      <div class="two-clocks-between">
        {!isAway && <p>{differenceInWords()}</p>}
        <div class="buttons">{children}</div>
      </div>
    </div>
  );
}

/** A clock in the browser's time zone, in which both are to be compared; null: it is not known what it says. */
function Clock({ name, at }: { readonly name: string; readonly at: number | null }) {
  const date = new Date(at ?? 0);
  return (
    <div class="two-clocks-one">
      <h3>{name}</h3>
      {/* It ticks, and is not to be read aloud each second. */}
      <div role="timer">
        <strong>
          {at === null ? t.clock.noTime : date.toLocaleTimeString(locale, { timeStyle: "medium" })}
        </strong>
        {at !== null && <span>{date.toLocaleDateString(locale, { dateStyle: "medium" })}</span>}
      </div>
    </div>
  );
}

/** Draws again with each second of the browser's clock. Nothing is asked of the device for it. */
function useTicks(): void {
  const [, draw] = useState({});
  useEffect(() => {
    const tick = (): void => {
      timer = setTimeout(tick, tickMilliseconds - (Date.now() % tickMilliseconds));
      draw({});
    };
    let timer = setTimeout(tick, tickMilliseconds - (Date.now() % tickMilliseconds));
    return () => clearTimeout(timer);
  }, []);
}
