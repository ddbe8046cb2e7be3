import type { MetricSink } from "../metrics/exposition.ts";
import { createExporter, type ExporterOptions } from "./otlp/exporter.ts";
import { logsRequestOf } from "./otlp/log-records.ts";
import { createMetricData } from "./otlp/metric-data.ts";
import type { Resource } from "./otlp/values.ts";
import type { Delivery, Receiver } from "./receiver.ts";

export interface OtlpOptions extends ExporterOptions {
  /** This program on this device, at the time of a request. */
  readonly resource: () => Resource;
  /** Milliseconds since 1970 by the device's clock. */
  readonly wall: () => number;
}

/** An OpenTelemetry collector, or a server that takes its protocol. */
export interface Otlp extends Receiver {
  /**
   * Sends the values that `read` gives, of this moment. Those of a failed push are not kept, because the next push has
   * newer ones.
   */
  pushMetrics(read: (sink: MetricSink) => Promise<void>, signal: AbortSignal): Promise<Delivery>;
}

export function createOtlp(options: OtlpOptions): Otlp {
  const { resource, wall } = options;
  const send = createExporter(options);
  return {
    deliver: (message, signal) => send("logs", logsRequestOf(message, resource(), wall()), signal),
    pushMetrics: async (read, signal) => {
      const data = createMetricData();
      await read(data);
      return send("metrics", data.request(resource(), wall()), signal);
    },
  };
}
