import type { Host } from "../../host/host.ts";
import { openHost } from "../../host/linux/open-host.ts";
import type { AgentConfig, RoomsConfig } from "./config.ts";
import { createHttps, type Https } from "./listeners/https.ts";
import { namesOf } from "./listeners/listen.ts";
import { createLocalListeners, type LocalListeners } from "./listeners/local-listeners.ts";

export function hostOf(
  config: Pick<RoomsConfig, "maySteerClock" | "mayAskRoot" | "clockAddon" | "adoptTimeZone" | "log" | "host">,
): Host {
  const onUnusableAddon = (detail: string): void =>
    config.log("warning", "the addon for the clock cannot be used: it is only measured, less exactly", {
      detail,
    });
  return { ...openHost({ ...config, onUnusableAddon }), ...config.host };
}

/** HTTPS on the LAN, which does not listen yet. */
export function httpsOf(config: RoomsConfig & { hostNames?: readonly string[] }, host: Host): Https {
  const { stateDirectory, runDirectory, log, hostNames = [] } = config;
  const { run, time, network, helper } = host;
  const place = { stateDirectory, runDirectory, log, run, time, helper, ...network };
  return createHttps(place, { ...config.https, names: () => namesOf(host, { hostNames }) });
}

/** The socket and the port of loopback, which do not listen yet. */
export function localOf({ runDirectory, listen, log }: AgentConfig, host: Host): LocalListeners {
  const { time, network } = host;
  return createLocalListeners({ runDirectory, listen, time, log, boundBuffers: network.boundBuffers });
}

/** The listeners, as the health checks see them. */
export interface Ways {
  readonly https: Https;
  readonly local: Pick<LocalListeners, "trouble">;
}
