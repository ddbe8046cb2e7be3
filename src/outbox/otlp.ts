import type { MetricSink } from "../figures/metrics/exposition.ts";
import type { HostTime } from "../host/host.ts";
import { type ExporterOptions, exported } from "./otlp/exporter.ts";
import { logsRequestOf } from "./otlp/log-records.ts";
import { createMetricData } from "./otlp/metric-data.ts";
import type { Resource } from "./otlp/values.ts";
import type { Delivery, Message } from "./receiver.ts";

export interface OtlpOptions extends ExporterOptions, Pick<HostTime, "wall"> {
  /** This program on this device, at the time of a request. */
  readonly resource: () => Resource;
}

/** An OpenTelemetry collector, or a server that takes its protocol. */
export type Otlp = ReturnType<typeof createOtlp>;

export function createOtlp(options: OtlpOptions) {
  const { resource, wall } = options;
  return {
    deliver: (message: Message, signal: AbortSignal): Promise<Delivery> =>
      exported(options, "logs", logsRequestOf(message, resource(), wall()), signal),
    /** Sends the values of `read` at this moment. A failed push is not kept: the next has newer ones. */
    pushMetrics: async (
      read: (sink: MetricSink) => Promise<void>,
      signal: AbortSignal,
    ): Promise<Delivery> => {
      const data = createMetricData();
      await read(data);
      return exported(options, "metrics", data.request(resource(), wall()), signal);
    },
  };
}
