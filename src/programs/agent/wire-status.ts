import { peopleFacts } from "../../auth/people.ts";
import type { Host } from "../../host/host.ts";
import type { Handlers } from "../../http/call.ts";
import { createStatusHandlers } from "../../http/handlers/status.ts";
import type { SettingsStore } from "../../settings/settings.ts";
import { readHostFigures } from "../../system/facts.ts";
import { type HealthCheck, readHealth, troublesOf } from "../../system/health.ts";
import type { SelfCheck } from "../../system/self-check.ts";
import { type StatusGround, statusOf } from "../../system/status.ts";
import type { Updates } from "../../updates/updates.ts";
import type { RoomsConfig } from "./config.ts";
import type { SignInRooms } from "./wire-accounts.ts";

export interface StatusRooms {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly settings: SettingsStore;
  readonly clock: { status(): StatusGround["clock"] };
  readonly updates: Updates;
  readonly auth: SignInRooms;
  readonly checks: readonly HealthCheck[];
  readonly selfCheck: SelfCheck;
}

/** Joins what every room says of itself anyway to the health of the agent and the status of the device. */
export function composeStatus(
  rooms: StatusRooms,
): Pick<Handlers, "getHealth" | "getReadiness" | "getStatus"> {
  const { config, host, settings, clock, updates, auth, checks, selfCheck } = rooms;
  return createStatusHandlers({
    updates,
    health: (isDetailed) => readHealth(checks, isDetailed),
    requireReady: (isDetailed) => selfCheck.require(isDetailed),
    status: async (seen, mayNameUsers) => {
      const { device, security, update } = settings.read();
      return statusOf({
        deviceName: device.name || host.identity.hostname,
        version: config.build.version,
        clock: clock.status(),
        updates: seen,
        ota: update.ota,
        people: peopleFacts({ ...auth, security: () => security }),
        isSetUp: auth.accounts.hasAdministrator(),
        mayNameUsers,
        host: await readHostFigures(config.stateDirectory, host.uptime),
        troubles: troublesOf(checks),
      });
    },
  });
}
