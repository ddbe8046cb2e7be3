import { useEffect } from "preact/hooks";
import { useResource } from "../client/use-resource.ts";
import { navigate, place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { ClockSection } from "./clock/clock-section.tsx";
import { HostSection } from "./facts/host-section.tsx";

/** The state of clock and host. */
export function OverviewPage() {
  const clock = useResource("getTimeSync");
  useFormerAddress();
  return (
    <>
      <ClockSection clock={clock} />
      <HostSection />
    </>
  );
}

/** Addresses of earlier releases ask here for parts of the page of the device: `?manage=reboot`. */
function useFormerAddress(): void {
  const { manage } = useStore(place).query;
  useEffect(() => {
    if (manage === undefined) return;
    const open = manage === "names" ? "host_name" : manage;
    void navigate("/system/device", { open }, { replace: true });
  }, [manage]);
}
