import { messageOf } from "../../contract/errors.ts";
import type { Host } from "../host.ts";
import { openClockAddon } from "./clock/clock-addon.ts";
import { openClockDriver } from "./clock/clock-driver.ts";
import { readOfferedServers } from "./clock/offered-servers.ts";
import { readRealTimeClock } from "./clock/real-time-clock.ts";
import { createTimeServices } from "./clock/time-services.ts";
import { createRunCommand } from "./commands.ts";
import { createStartFilter } from "./filters.ts";
import { freeSpace } from "./free-space.ts";
import { readInstalledRoot } from "./host-file/installed-root.ts";
import { readSealKeys, renewOwnSealKey } from "./host-file/seal-keys.ts";
import { openIdentity } from "./identity.ts";
import { isAcknowledged, userOfConnection } from "./network/connection-users.ts";
import { createDatagrams } from "./network/datagrams.ts";
import { createLanNames } from "./network/lan-names.ts";
import { createResolveHost } from "./network/resolve-host.ts";
import {
  addressesBeyondLinks,
  isLocalAddress,
  isLocalServer,
  ownAddresses,
} from "./network/server-addresses.ts";
import { createBoundBuffers, createReadPeer } from "./network/socket-buffers.ts";
import { createJournalReader } from "./systemd/journal-reader.ts";
import { createJournalctl } from "./systemd/journalctl.ts";
import { createLogReader } from "./systemd/log-reader.ts";
import { createRootHelper, createUnitOf, usualHelperSocket } from "./systemd/root-helper.ts";
import { unitId } from "./systemd/unit-id.ts";
import { openTimeZone } from "./time-zone.ts";
import { createTimers } from "./timers.ts";
import { openConnections, openTransfers } from "./transfers/open-transfers.ts";
import { createUptime } from "./uptime.ts";

interface HostOptions {
  /** False: the host's clock is measured and never set, whatever the process may do. */
  readonly maySteerClock: boolean;
  /** False: root is asked for nothing, although there may be a root helper. */
  readonly mayAskRoot: boolean;
  /** Absolute path of clock-steering.node. */
  readonly clockAddon: string;
  /** Makes this process go by another time zone. */
  readonly adoptTimeZone: (name: string) => void;
  /** Called with the reason why an addon that is there cannot be used; the clock is then measured less exactly. */
  readonly onUnusableAddon: (detail: string) => void;
}

/** The Linux host that this process runs on. The addon is loaded and the process's right to set clocks is found once, now. */
export function openHost(options: HostOptions): Host {
  const { maySteerClock, mayAskRoot, clockAddon, onUnusableAddon, adoptTimeZone } = options;
  const addon = openClockAddon(clockAddon, (cause) => onUnusableAddon(messageOf(cause)));
  const run = createRunCommand();
  const helperSocket = mayAskRoot ? usualHelperSocket : null;
  const { identity, renamed } = openIdentity();
  const { toBeAdopted, ...zone } = openTimeZone();
  const adopted = toBeAdopted();
  if (adopted !== null) adoptTimeZone(adopted);
  return {
    identity,
    time: {
      uptime: createUptime(),
      wall: Date.now,
      timers: createTimers(),
      driver: openClockDriver(maySteerClock, addon),
    },
    run,
    startFilter: createStartFilter(),
    helper: createRootHelper(helperSocket),
    clock: {
      services: createTimeServices(),
      readRealTimeClock: async () => readRealTimeClock(),
      readOfferedServers: () => readOfferedServers(),
      readNetwork: () => addressesBeyondLinks().join(" "),
    },
    network: {
      datagrams: createDatagrams(addon),
      resolve: createResolveHost(),
      userOfConnection,
      isAcknowledged,
      boundBuffers: createBoundBuffers(addon),
      readPeer: createReadPeer(addon),
      lanNames: createLanNames(run),
      openTransfers,
      openConnections,
      openKeyExchanges: async (options) =>
        (await import("./nts/key-exchange-process.ts")).createKeyExchanges(options),
      isLocalServer,
      isLocalAddress: (address) => isLocalAddress(address, ownAddresses()),
    },
    files: { freeSpace, tryLock: addon?.tryLock, readSealKeys, renewOwnSealKey, readInstalledRoot },
    systemd: openSystemd(helperSocket),
    names: { ...zone, adoptHostName: renamed, adoptTimeZone },
  };
}

function openSystemd(helperSocket: string | null): Host["systemd"] {
  const journal = createJournalReader({ source: createLogReader(createJournalctl()) });
  return { journal, unitId, unitOf: createUnitOf(helperSocket) };
}
