import { isIPv6 } from "node:net";
import { hostFile } from "../../../contract/host-file/host-file.ts";
import { readRequestHeaders } from "../../../host/linux/host-file/request-headers.ts";
import type { NamedReceiver } from "../../../outbox/dispatcher.ts";
import { UnusableHeaders } from "../../../outbox/otlp/exporter.ts";
import { startMetricsSchedule } from "../../../outbox/otlp/metrics-schedule.ts";
import { createOtlp, type Otlp } from "../../../outbox/otlp.ts";
import { createSyslog } from "../../../outbox/syslog.ts";
import { secretsOf } from "../../../store/validation/secrets.ts";
import type { OtlpDecisions, SyslogDecisions } from "../../host-file/decisions.ts";
import type { OutboxPlan, ReadMetrics } from "./outbox-plan.ts";
import { coveredDelivery, withoutRepeatedSecrets } from "./repeated-secrets.ts";

/** The receivers of the record and the metrics that root has named in the host file. */
export type Telemetry = ReturnType<typeof openTelemetry>;

/** Begins to push metrics, where a collector is named. */
export function openTelemetry(plan: OutboxPlan, readMetrics: ReadMetrics) {
  const { otlp, syslog } = plan.config.telemetry;
  const collector = otlp && collectorOf(plan, otlp);
  const { timers, wall, uptime } = plan.host.time;
  const schedule =
    collector &&
    startMetricsSchedule({
      ...{ timers, wall, uptime, random: Math.random, intervalSeconds: otlp.intervalSeconds },
      push: (signal) => collector.pushMetrics(readMetrics, signal),
    });
  return {
    receivers: [
      ...(collector ? [{ name: "otlp", takes: "record" as const, receiver: collector }] : []),
      ...(syslog ? [{ name: "syslog", takes: "record" as const, receiver: syslogOf(plan, syslog) }] : []),
    ] satisfies NamedReceiver[],
    /** The pushes of metrics; null: they are not pushed. */
    schedule,
  };
}

function collectorOf(
  { config, host, settings }: OutboxPlan,
  { url, headersFile, ...surroundings }: OtlpDecisions,
): Otlp {
  const { build, product, telemetry } = config;
  const { own } = telemetry;
  let sent: Readonly<Record<string, string>> = {};
  const collector = createOtlp({
    url,
    headers: async () => {
      if (headersFile !== null) sent = await readRequestHeaders(headersFile, { own, refuse: refusedHeaders });
      return sent;
    },
    transfers: host.network.openTransfers({
      ...{ ...surroundings, redirects: null },
      // Root has named it; but a name that leads here may be a name server's lie.
      allowLocalServers: host.network.isLocalServer(url),
      userAgent: `Steward/${build.version} (${product})`,
    }),
    resource: () => ({
      ...{ product, version: build.version, deviceId: host.identity.deviceId },
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

function syslogOf({ host }: OutboxPlan, { server, port, ...surroundings }: SyslogDecisions) {
  const allowLocalServers = host.network.isLocalServer(`https://${isIPv6(server) ? `[${server}]` : server}`);
  const connections = host.network.openConnections({ ...surroundings, allowLocalServers });
  const hostName = () => host.identity.hostname;
  const { wall, timers } = host.time;
  // Behind a proxy, TCP says only that the proxy has it.
  const isAcknowledged = surroundings.proxy ? async () => false : host.network.isAcknowledged;
  return createSyslog({ server, port, connections, hostName, wall, timers, isAcknowledged });
}

function refusedHeaders(path: string, what: string): UnusableHeaders {
  return new UnusableHeaders(`The headers for the collector cannot be used: ${path} ${what}.`);
}
