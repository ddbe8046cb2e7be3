import { createPasskeys } from "../../accounts/second-factor/passkeys.ts";
import type { TrustedTime } from "../../accounts/trusted-time.ts";
import type { Clock } from "../../clock/loop/clock.ts";
import type { lateDocumentNames } from "../../contract/document-names.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { consolePaths } from "../../contract/schemas/console.ts";
import type { HostFileDocument } from "../../contract/types.ts";
import type { MetricSink } from "../../figures/metrics/exposition.ts";
import type { Host } from "../../host/host.ts";
import type { Handlers } from "../../http/call.ts";
import type { AccountRooms } from "../../http/handlers/account-rooms.ts";
import { createNotificationHandlers } from "../../http/handlers/notifications.ts";
import { createPasskeyHandlers } from "../../http/handlers/passkeys.ts";
import { requireFirstRun } from "../../http/handlers/setup.ts";
import type { HealthCheck } from "../../system/health.ts";
import type { Machine } from "../../system/machine.ts";
import type { SettingsGuard } from "../../system/settings/faults.ts";
import { createReceiverGuard } from "../../system/settings/receiver-guard.ts";
import type { SettingsStore } from "../../system/settings/settings.ts";
import { createUnpackPatch } from "../../updates/download/unpack-patch-process.ts";
import type { Updates } from "../../updates/updater.ts";
import { openProvider } from "./accounts/wire-provider.ts";
import { openBackup } from "./backup/wire-backup.ts";
import { openRestore } from "./backup/wire-restore.ts";
import { keyExchangeOf, type RoomsConfig } from "./config.ts";
import { openConfiguration } from "./fleet/wire-configuration.ts";
import { createNotifications } from "./outbox/notifications.ts";
import type { LoadRootReceiver, RootReceiverName, RootReceivers } from "./outbox/outbox-plan.ts";
import { openProduct } from "./product/wire-product.ts";
import type { State } from "./state.ts";
import { openHistory } from "./status/wire-history.ts";
import { openLogs } from "./status/wire-logs.ts";
import { createMetering } from "./status/wire-metrics.ts";
import type { StatusRooms } from "./status/wire-status.ts";
import type { SignInRooms } from "./wire-accounts.ts";
import type { Reset } from "./wire-machine.ts";

/** The device without its mechanisms: what each of them may build on. */
export interface Device {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly state: State;
  readonly settings: SettingsStore;
  readonly time: TrustedTime;
  readonly clock: Clock;
  readonly updates: Updates;
  readonly auth: SignInRooms & Pick<AccountRooms, "setupToken" | "rescueToken" | "setUpNow">;
  readonly machine: Machine;
  readonly reset: Reset;
  readonly metering: ReturnType<typeof createMetering>;
  deviceName(): string;
  settingsChanged(names: readonly string[]): void;
  /** The device as its status sees it, once all mechanisms are opened. */
  rooms(): StatusRooms;
}

/** A mechanism that was opened, as the wiring treats it; each has other members as well, for others. */
export interface OpenedMechanism {
  readonly handlers?: Partial<Handlers>;
  readonly checks?: readonly HealthCheck[];
  readonly guard?: SettingsGuard;
  settingsChanged?(names: readonly string[]): void;
  start?(): void;
  stop?(): void | Promise<void>;
}

/** A mechanism that a device may lack. Its names say where the rest of it is. */
interface Mechanism {
  /** The first words of its commands, in cli/command-table.ts. */
  readonly commands?: readonly string[];
  readonly page?: (typeof consolePaths)[number];
  /** Documents that it opens when it needs them. */
  readonly documents?: readonly (typeof lateDocumentNames)[number][];
  readonly hostFile?: keyof HostFileDocument;
  /** The program that only it starts, in src/programs. */
  readonly program?: string;
  /** Makes the part that the wiring hands to a room. */
  readonly part?: (...given: never) => unknown;
  /** Loads a receiver of the record, where root names one. */
  readonly receiver?: LoadRootReceiver;
  /** `others`: the mechanisms that were opened before. */
  readonly open?: (device: Device, others: never) => OpenedMechanism | Promise<OpenedMechanism>;
}

/** The mechanisms that a device may lack, as opened. To take one out: docs/ARCHITECTURE.md, "Taking a mechanism out". */
export const mechanisms = {
  metrics: {
    part: createMetering,
    open: ({ metering, rooms }) => ({
      handlers: { getMetrics: () => metering.read(rooms()) },
      readInto: (sink: MetricSink) => metering.readInto(sink, rooms()),
      stop: metering.stop,
    }),
  },
  history: { commands: ["history"], page: "/system/history", open: openHistory },
  otlp: { hostFile: "telemetry", receiver: async () => (await import("./outbox/otlp-receiver.ts")).openOtlp },
  syslog: {
    hostFile: "telemetry",
    receiver: async () => (await import("./outbox/syslog-receiver.ts")).openSyslog,
  },
  notifications: {
    commands: ["notify"],
    documents: ["receiver-secrets", "outbox"],
    hostFile: "notify",
    open: (device, { metrics }: { metrics: { readInto: (sink: MetricSink) => Promise<void> } }) => {
      const { auth, config, host, time } = device;
      const { isLocalServer } = host.network;
      const notifications = createNotifications({
        ...device,
        seal: auth.seal,
        device: () => ({ id: host.identity.deviceId, name: device.deviceName() }),
        now: time.now,
        readMetrics: metrics.readInto,
        rootReceivers: rootReceivers(),
      });
      return {
        ...notifications,
        handlers: createNotificationHandlers(notifications),
        guard: createReceiverGuard({ ...config.notify, isLocalServer }),
      };
    },
  },
  configuration: { commands: ["apply", "seal", "seal-key"], open: openConfiguration },
  backup: { commands: ["backup"], program: "backup.ts", open: openBackup },
  restore: {
    commands: ["restore"],
    open: ({ auth, ...device }) =>
      openRestore({ ...device, accounts: auth.accounts, startAgain: device.reset.restore }, (call) =>
        requireFirstRun(auth, call),
      ),
  },
  logs: { commands: ["logs"], page: "/system/logs", open: openLogs },
  provider: { hostFile: "oidc", open: openProvider },
  passkeys: {
    part: createPasskeys,
    open: ({ auth }) => ({ handlers: createPasskeyHandlers(auth.passkeys) }),
  },
  product: { commands: ["product"], hostFile: "product", open: openProduct },
  nts: { program: "nts-key-exchange.ts", part: keyExchangeOf },
  patches: { program: "unpack-patch.ts", part: createUnpackPatch },
} satisfies Readonly<
  Record<string, Mechanism> & Record<RootReceiverName, Mechanism & { receiver: LoadRootReceiver }>
>;

type Records = typeof mechanisms;

export type OpenedMechanisms = {
  readonly [Name in keyof Records as Records[Name] extends { open: unknown }
    ? Name
    : never]: Records[Name] extends { open: (...given: never) => infer Opened } ? Awaited<Opened> : never;
};

type Handled<Opened> = Opened extends { handlers: infer Own } ? keyof Own & OperationId : never;

/** The handlers of all of them: an operation without one does not compile in the wiring. */
export function handlersOf(
  opened: OpenedMechanisms,
): Pick<Handlers, Handled<OpenedMechanisms[keyof OpenedMechanisms]>> {
  return Object.assign({}, ...Object.values<OpenedMechanism>(opened).map(({ handlers }) => handlers));
}

function rootReceivers(): RootReceivers {
  const named = Object.entries<Mechanism>(mechanisms).flatMap(([name, { receiver }]) =>
    receiver ? [[name, receiver]] : [],
  );
  return Object.fromEntries(named);
}
