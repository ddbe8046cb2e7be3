import type { Settings } from "../../contract/types.ts";
import type { SteeringBlocker, TimeDaemon } from "../../host/ports.ts";

/** The program or person that sets the clock: the setting time.mode, resolved with the time daemon of the host. */
export type ClockMode =
  /** The agent steers the host's clock. */
  | { readonly kind: "discipline" }
  /** The agent measures, and corrects the time that sign-in uses. */
  | { readonly kind: "observe"; readonly because: ObserveReason; readonly daemon: TimeDaemon | null }
  /** A time daemon steers the clock; the agent reads its report. */
  | { readonly kind: "delegate"; readonly daemon: TimeDaemon }
  /** An administrator sets the clock. */
  | { readonly kind: "manual" };

export type ObserveReason = "chosen" | "no_daemon" | "other_daemon" | "external_change" | SteeringBlocker;

/** The effective mode: only one program steers the clock at a time. */
export function resolveMode(
  setting: Settings["time"]["mode"],
  host: { daemon: TimeDaemon | null; blocker: SteeringBlocker | null; isBackingOff: boolean },
): ClockMode {
  const { daemon, blocker } = host;
  const observe = (because: ObserveReason): ClockMode => ({ kind: "observe", because, daemon });
  const discipline = (): ClockMode => {
    if (blocker) return observe(blocker);
    return host.isBackingOff ? observe("external_change") : { kind: "discipline" };
  };
  switch (setting) {
    case "manual":
      return { kind: "manual" };
    case "observe":
      return observe("chosen");
    case "delegate":
      return daemon ? { kind: "delegate", daemon } : observe("no_daemon");
    case "discipline":
      return daemon ? observe("other_daemon") : discipline();
    case "auto":
      return daemon ? { kind: "delegate", daemon } : discipline();
  }
}

export function isSameMode(one: ClockMode | null, other: ClockMode): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
