import { ClockSection } from "./clock/clock-section.tsx";
import { HostSection } from "./facts/host-section.tsx";
import "../styles/parts/clock.css";
import "../styles/parts/plot.css";

/** The state of clock and host. */
export function OverviewPage() {
  return (
    <>
      <ClockSection />
      <HostSection />
    </>
  );
}

export const pages = { "/system": OverviewPage };
