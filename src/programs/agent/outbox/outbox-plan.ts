import type { Settings } from "../../../contract/types.ts";
import type { MetricSink } from "../../../figures/metrics/exposition.ts";
import type { Host, TrustedOwners } from "../../../host/host.ts";
import type { startMetricsSchedule } from "../../../outbox/otlp/metrics-schedule.ts";
import type { Message, Receiver } from "../../../outbox/receiver.ts";
import type { SecretSeal } from "../../../outbox/receiver-secrets.ts";
import type { RoomsConfig } from "../config.ts";
import type { State } from "../state.ts";

/** The parts that the outbox of this device is joined from. */
export interface OutboxPlan {
  readonly config: Pick<RoomsConfig, "notify" | "telemetry" | "build" | "product" | "log">;
  readonly host: Host;
  readonly settings: { read(): Settings };
  readonly state: Pick<State, "openLater" | "events">;
  readonly seal: SecretSeal;
  readonly device: () => Message["device"];
  /** The present as far as it is known. */
  readonly now: () => Date;
  readonly readMetrics: (sink: MetricSink) => Promise<void>;
  readonly rootReceivers: RootReceivers;
}

/** A receiver of the record that root can name in the host file: its part of `telemetry`, which is its name as well. */
export type RootReceiverName = Exclude<keyof OutboxPlan["config"]["telemetry"], keyof TrustedOwners>;

/** A receiver that root has named. `metrics`: the pushes of metrics to it. */
export interface RootReceiver {
  readonly receiver: Receiver;
  readonly metrics?: ReturnType<typeof startMetricsSchedule>;
}

/** Loads the code of one; `open` begins to push metrics, and returns null where root has not named it. */
export type LoadRootReceiver = () => Promise<(plan: OutboxPlan) => RootReceiver | null>;

export type RootReceivers = Readonly<Partial<Record<RootReceiverName, LoadRootReceiver>>>;

export function namedByRoot({ config: { telemetry }, rootReceivers }: OutboxPlan): RootReceiverName[] {
  const names = Object.keys(rootReceivers) as RootReceiverName[];
  return names.filter((name) => telemetry[name] !== null);
}
