import type { Settings } from "../../../contract/types.ts";
import type { MetricSink } from "../../../figures/metrics/exposition.ts";
import type { Host } from "../../../host/host.ts";
import type { Message } from "../../../outbox/receiver.ts";
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
}

/** Gives a sink the value of each metric. */
export type ReadMetrics = (sink: MetricSink) => Promise<void>;

/** The names of the receivers that root has named in the host file; they are those of their kinds. */
export function rootsReceivers({ telemetry }: OutboxPlan["config"]): readonly ("otlp" | "syslog")[] {
  const names = ["otlp", "syslog"] as const;
  return names.filter((name) => telemetry[name] !== null);
}
