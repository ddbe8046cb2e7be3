import { ClockSection } from "./clock/clock-section.tsx";
import { HostSection } from "./facts/host-section.tsx";

/** The state of clock and host. */
export function OverviewPage() {
  return (
    <>
      <ClockSection />
      <HostSection />
    </>
  );
}
