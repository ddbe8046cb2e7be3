import { useResource } from "../client/use-resource.ts";
import { ClockSection } from "./clock/clock-section.tsx";
import { HostSection } from "./facts/host-section.tsx";

/** The state of clock and host. */
export function OverviewPage() {
  const clock = useResource("getTimeSync");
  return (
    <>
      <ClockSection clock={clock} />
      <HostSection />
    </>
  );
}
