import { isIPv6 } from "node:net";
import { createSyslog } from "../../../outbox/syslog.ts";
import type { OutboxPlan, RootReceiver } from "./outbox-plan.ts";

export function openSyslog({ config, host }: OutboxPlan): RootReceiver | null {
  if (config.telemetry.syslog === null) return null;
  const { server, port, ...surroundings } = config.telemetry.syslog;
  const allowLocalServers = host.network.isLocalServer(`https://${isIPv6(server) ? `[${server}]` : server}`);
  const connections = host.network.openConnections({ ...surroundings, allowLocalServers });
  const hostName = () => host.identity.hostname;
  const { wall, timers } = host.time;
  // Behind a proxy, TCP says only that the proxy has it.
  const isAcknowledged = surroundings.proxy ? async () => false : host.network.isAcknowledged;
  const receiver = createSyslog({ server, port, connections, hostName, wall, timers, isAcknowledged });
  return { receiver };
}
