import type { Settings } from "../../contract/types.ts";
import type { SteeringHindrance, TimeDaemon } from "../../host/ports.ts";

/** Who puts the clock right at present, and why it is not somebody else. */
export type Way =
  /** We do: the host's clock itself. */
  | { readonly kind: "discipline" }
  /** We measure, and correct what sign-in goes by. */
  | { readonly kind: "observe"; readonly because: ObserveReason; readonly daemon: TimeDaemon | null }
  /** A time daemon does; we ask it. */
  | { readonly kind: "delegate"; readonly daemon: TimeDaemon }
  /** A person does. */
  | { readonly kind: "manual" };

export type ObserveReason = "chosen" | "no_daemon" | "other_daemon" | "external_change" | SteeringHindrance;

/** One discipliner at a time: what the mode comes to, with whoever else is there. */
export function wayOf(
  mode: Settings["time"]["mode"],
  host: { daemon: TimeDaemon | null; hindrance: SteeringHindrance | null; isContested: boolean },
): Way {
  const { daemon, hindrance } = host;
  const observe = (because: ObserveReason): Way => ({ kind: "observe", because, daemon });
  const discipline = (): Way => {
    if (hindrance) return observe(hindrance);
    return host.isContested ? observe("external_change") : { kind: "discipline" };
  };
  switch (mode) {
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

export function isSameWay(one: Way | null, other: Way): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
