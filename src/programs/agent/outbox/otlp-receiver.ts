import { hostFile } from "../../../contract/host-file/host-file.ts";
import { readRequestHeaders } from "../../../host/linux/host-file/request-headers.ts";
import { UnusableHeaders } from "../../../outbox/otlp/exporter.ts";
import { startMetricsSchedule } from "../../../outbox/otlp/metrics-schedule.ts";
import { createOtlp, type Otlp } from "../../../outbox/otlp.ts";
import { secretsOf } from "../../../store/validation/secrets.ts";
import type { OtlpDecisions } from "../../host-file/decisions.ts";
import type { OutboxPlan, RootReceiver } from "./outbox-plan.ts";
import { coveredDelivery, withoutRepeatedSecrets } from "./repeated-secrets.ts";

/** The collector that root has named, which gets the record, and the metrics from now on. */
export function openOtlp(plan: OutboxPlan): RootReceiver | null {
  const { otlp } = plan.config.telemetry;
  if (otlp === null) return null;
  const receiver = collectorOf(plan, otlp);
  const { timers, wall, uptime } = plan.host.time;
  const metrics = startMetricsSchedule({
    timers,
    wall,
    uptime,
    random: Math.random,
    intervalSeconds: otlp.intervalSeconds,
    push: (signal) => receiver.pushMetrics(plan.readMetrics, signal),
  });
  return { receiver, metrics };
}

function collectorOf(
  { config, host, settings }: OutboxPlan,
  { url, headersFile, ...surroundings }: OtlpDecisions,
): Otlp {
  const { build, telemetry } = config;
  const product = config.product.name;
  const { own } = telemetry;
  let sent: Readonly<Record<string, string>> = {};
  const collector = createOtlp({
    url,
    headers: async () => {
      if (headersFile !== null) sent = await readRequestHeaders(headersFile, { own, refuse: refusedHeaders });
      return sent;
    },
    transfers: host.network.openTransfers({
      ...surroundings,
      redirects: null,
      // Root has named it; but a name that leads here may be a name server's lie.
      allowLocalServers: host.network.isLocalServer(url),
      userAgent: `Steward/${build.version} (${product})`,
    }),
    resource: () => ({
      product,
      version: build.version,
      deviceId: host.identity.deviceId,
      deviceName: settings.read().device.name || null,
      hostName: host.identity.hostname,
    }),
    wall: host.time.wall,
  });
  const address = secretsOf(hostFile, { telemetry: { otlp: { url } } });
  return covered(collector, () => [...address, ...Object.values(sent)]);
}

function covered(collector: Otlp, secrets: () => readonly string[]): Otlp {
  return {
    ...withoutRepeatedSecrets(collector, secrets),
    pushMetrics: async (read, signal) =>
      coveredDelivery(await collector.pushMetrics(read, signal), secrets()),
  };
}

function refusedHeaders(path: string, what: string): UnusableHeaders {
  return new UnusableHeaders(`The headers for the collector cannot be used: ${path} ${what}.`);
}
