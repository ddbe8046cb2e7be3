import { useEffect } from "preact/hooks";
import type { ClockResource } from "../frame/clock-state.tsx";
import { ClockSection } from "./clock/clock-section.tsx";
import { HostSection } from "./facts/host-section.tsx";

/** Milliseconds between two looks at a clock that is looked at, and at one that is being found out. */
const lookMilliseconds = 10_000;
const soonMilliseconds = 2_000;

/** How the clock is, and the host. */
export function OverviewPage({ clock }: { readonly clock: ClockResource }) {
  const pause = clock.value?.state === "acquiring" ? soonMilliseconds : lookMilliseconds;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void clock.reload();
    }, pause);
    return () => clearInterval(timer);
  }, [pause]);
  return (
    <>
      <ClockSection clock={clock} />
      <HostSection />
    </>
  );
}
