import { join } from "node:path";
import type { TrustedTime } from "../../../accounts/trusted-time.ts";
import type { Clock } from "../../../clock/loop/clock.ts";
import { clockWordOf } from "../../../contract/clock/clock-word.ts";
import { finding } from "../../../contract/finding.ts";
import type { ConsoleGreeting, Finding, Need, Settings, Version } from "../../../contract/types.ts";
import type { Host } from "../../../host/host.ts";
import type { RootHelper } from "../../../host/ports.ts";
import type { AccountRooms } from "../../../http/handlers/account-rooms.ts";
import { createStatusHandlers } from "../../../http/handlers/status.ts";
import { createSystemHandlers } from "../../../http/handlers/system.ts";
import { agentEvent, productEvent } from "../../../journal/events/event.ts";
import type { EventLog } from "../../../journal/events/event-log.ts";
import type { Disk } from "../../../store/files/disk.ts";
import { createFacts, createHostFigures } from "../../../system/facts.ts";
import { type HealthCheck, readHealth, troublesOf } from "../../../system/health.ts";
import type { Machine } from "../../../system/machine.ts";
import { createNeedWatch, type NeedWatch } from "../../../system/need-watch.ts";
import { helperTrouble } from "../../../system/program-parts.ts";
import { createSelfCheck, type SelfCheck } from "../../../system/self-check.ts";
import type { SettingsStore } from "../../../system/settings/settings.ts";
import { createStatus } from "../../../system/status.ts";
import type { NeedsInput, NeedsOf } from "../../../system/status-needs.ts";
import { supportOf } from "../../../system/support.ts";
import { fullVersion, publicVersion } from "../../../system/version.ts";
import type { Updates } from "../../../updates/updater.ts";
import { once } from "../../once.ts";
import { type RoomsConfig, servicesOf } from "../config.ts";
import type { ConfigurationRoom } from "../fleet/wire-configuration.ts";
import type { Https } from "../listeners/https.ts";
import type { LocalListeners } from "../listeners/local-listeners.ts";
import type { Notifications } from "../outbox/notifications.ts";
import type { ProductRoom } from "../product/wire-product.ts";
import type { State } from "../state.ts";
import type { SignInRooms } from "../wire-accounts.ts";
import type { LostCredentials } from "./lost-credentials.ts";
import { eventsOfNeeds } from "./need-events.ts";
import type { HistoryKeeping } from "./wire-history.ts";
import { openSupportBundle } from "./wire-support.ts";

export interface StatusRooms {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly settings: SettingsStore;
  readonly clock: Pick<Clock, "inShort" | "state">;
  readonly updates: Updates;
  readonly auth: SignInRooms;
  readonly checks: readonly HealthCheck[];
  readonly selfCheck: SelfCheck;
  readonly events: Pick<EventLog, "list" | "reach">;
  readonly disk: Pick<Disk, "capacity">;
  readonly state: Pick<State, "lastBackupAt">;
  readonly https: Pick<Https, "certificateEnd">;
  readonly notifications: Pick<Notifications, "areNamed" | "troubles" | "figures">;
  readonly configuration: Pick<ConfigurationRoom, "drift">;
  /** The needs, for callers who may not see the names of users. */
  readonly needsOf: NeedsOf;
  readonly history: Pick<HistoryKeeping, "take">;
  readonly product: Pick<ProductRoom, "seenBy" | "needs">;
}

/** Joins what each room reports to the health of the agent, the status of the device and its metrics. */
export function composeStatus(rooms: StatusRooms) {
  const { config, host, updates, checks, selfCheck, events } = rooms;
  const readHostFigures = createHostFigures(host);
  const statusOf = createStatus();
  return createStatusHandlers({
    updates,
    events,
    health: (isDetailed) => readHealth(checks, isDetailed),
    requireReady: (isDetailed) => selfCheck.require(isDetailed),
    status: async ({ latest, role, ...seen }) => {
      const figures = await readHostFigures(config.stateDirectory, rooms.disk.capacity());
      const input = needsInputOf(rooms, { ...seen, host: figures });
      return statusOf(input, {
        latest,
        eventReach: events.reach(),
        version: config.build.version,
        timeZone: await host.names.timeZone(),
        host: figures,
        product: rooms.product.seenBy(role),
        deviceName: input.device.name || host.identity.hostname,
        accent: rooms.settings.read().console.accent,
        lastBackupAt: rooms.state.lastBackupAt(),
      });
    },
  });
}

export interface SystemRooms
  extends Pick<StatusRooms, "config" | "host" | "settings" | "updates" | "product"> {
  readonly state: Pick<State, "register">;
  readonly auth: SignInRooms & Pick<AccountRooms, "rescueToken" | "setUpNow" | "setupToken" | "throttle">;
  readonly machine: Pick<Machine, "enableHttps">;
  readonly https: Pick<Https, "status">;
  settingsChanged(names: readonly string[]): void;
}

export function composeSystem(rooms: SystemRooms) {
  const { config, host, settings, state, auth, https, machine, settingsChanged } = rooms;
  const { assetsDirectory, node, reload } = config;
  const facts = { node, script: join(assetsDirectory, "slow-facts.js"), services: servicesOf(config) };
  return createSystemHandlers({
    settingsChanged,
    settings,
    apiDocument: join(assetsDirectory, "openapi.json"),
    acceptFindings: (document) => state.register.accept(document),
    tls: https.status,
    machine,
    root: auth,
    reload,
    readFacts: createFacts(facts, host),
    openSupportBundle: once(() => openSupportBundle(config, host)),
    version: versionOf(rooms),
    greet: () =>
      greetingOf({
        config,
        host,
        settings: settings.read(),
        clock: auth.time.describe({ isProven: false }),
        floor: auth.time.floor(),
        isSetUp: auth.accounts.hasAdministrator(),
        isInRescue: false,
        notice: auth.setupToken.withholding(),
      }),
  });
}

/** The needs of the device, without the names of users, and their causes. It waits for nothing. */
export function presentNeeds(rooms: StatusRooms) {
  const { identity, time } = rooms.host;
  const host = { hostname: identity.hostname, uptime_seconds: time.uptime() };
  const causes = needsInputOf(rooms, { updates: rooms.updates.status(), mayNameUsers: false, host });
  return { causes, needs: rooms.needsOf(causes) };
}

/** Records needs as they begin and end, and takes a reading for the history at each look. */
export function watchNeeds(rooms: StatusRooms & { readonly events: EventLog }): NeedWatch {
  const { events, host } = rooms;
  // At one look, so that the process wakes no more often and describes the clock once.
  const look = (): readonly Need[] => {
    const { causes, needs } = presentNeeds(rooms);
    rooms.history.take(causes.clock);
    return needs;
  };
  return createNeedWatch({
    needs: look,
    told: () => eventsOfNeeds(events),
    record: (type, { ...details }) => {
      const { unit } = details;
      const isProducts = typeof unit === "string";
      void events.record(isProducts ? productEvent(type, unit, details) : agentEvent(type, details));
    },
    timers: host.time.timers,
  });
}

/** The rooms' facts for needs, as far as a caller may see them. Member by member: a spread took a tenth of a scrape. */
function needsInputOf(
  { config, settings, clock: deviceClock, auth, checks, notifications, updates: room, product }: StatusRooms,
  { updates, mayNameUsers, host }: Pick<NeedsInput, "updates" | "mayNameUsers" | "host">,
): NeedsInput {
  const { device, update } = settings.read();
  const clock = deviceClock.inShort();
  return {
    device,
    clock,
    clockWord: clockWordOf(clock),
    updates,
    mayNameUsers,
    host,
    ota: update.ota,
    wayBack: (kind) => room.wayBack(kind),
    people: auth.people(),
    isSetUp: auth.accounts.hasAdministrator(),
    support: { support: supportOf(config.supportUntil, auth.time), support_until: config.supportUntil },
    receivers: { areNamed: notifications.areNamed(), troubles: notifications.troubles() },
    troubles: troublesOf(checks),
    reported: product.needs(),
  };
}

/** The version; signed-in users get more of it. */
function versionOf({ config, host, updates, product }: SystemRooms): (isDetailed: boolean) => Version {
  const { build, nodeVersion: node, supportUntil } = config;
  return (isDetailed) => {
    if (!isDetailed) return publicVersion(build);
    const named = product.seenBy("readonly");
    return fullVersion({
      product: named && { name: named.name, version: named.version },
      build,
      node,
      host: host.identity,
      uptime: host.time.uptime,
      rules: updates.status().installed.rules,
      supportUntil,
    });
  };
}

interface GreetingInput extends Pick<StatusRooms, "config" | "host"> {
  readonly settings: Pick<Settings, "device" | "console">;
  readonly clock: ReturnType<TrustedTime["describe"]>;
  readonly floor: Date;
  readonly isSetUp: boolean;
  readonly isInRescue: boolean;
  /** Comes before the banner. */
  readonly notice?: string | null;
}

/** The facts that the console shows before anyone has signed in. */
export function greetingOf(input: GreetingInput): ConsoleGreeting {
  const { config, host, isSetUp, isInRescue, notice = null } = input;
  const { device, console } = input.settings;
  const { server_time, synchronised } = input.clock;
  const { maker } = config;
  return {
    device_name: device.name || host.identity.hostname,
    banner: [notice ?? "", console.banner].filter(Boolean).join(" "),
    accent: console.accent,
    language: console.language,
    version: publicVersion(config.build).version,
    setup_required: !isSetUp,
    rescue: isInRescue,
    server_time,
    synchronised,
    floor_at: input.floor.toISOString(),
    maker: maker && {
      name: maker.name,
      mark: maker.mark !== null,
      picture: maker.picture !== null,
      support: maker.support,
    },
    provider: isInRescue ? null : (config.oidc?.name ?? null),
  };
}

export function openSelfCheck(
  { node, assetsDirectory, log }: RoomsConfig,
  { run, time: { timers, uptime } }: Host,
): SelfCheck {
  const onFailure = (detail: string) => log("error", "a part of the program does not work", { detail });
  return createSelfCheck({
    node,
    script: join(assetsDirectory, "self-check.js"),
    run,
    timers,
    uptime,
    onFailure,
  });
}

/** The checks of what each device has, in the order in which health lists them. */
export function checksOf(
  rooms: Pick<StatusRooms, "config" | "host" | "updates" | "auth" | "selfCheck"> & {
    readonly state: State;
    readonly clock: Pick<Clock, "trouble">;
    readonly https: Pick<Https, "trouble">;
    readonly local: Pick<LocalListeners, "trouble">;
    readonly lostCredentials: Pick<LostCredentials, "trouble">;
  },
): readonly HealthCheck[] {
  const { config, state, auth, clock, updates, selfCheck, https, local, lostCredentials } = rooms;
  const { helper, names } = rooms.host;
  return [
    { name: "host file", trouble: () => config.hostFileTrouble?.() ?? null },
    ...state.checks,
    ...auth.checks,
    { name: "administrators", trouble: () => auth.accounts.administratorTrouble() },
    // Not `clock`: that is the check of its document.
    { name: "time", trouble: () => clock.trouble() },
    { name: "time zone", trouble: () => names.timeZoneTrouble() },
    updatesCheck(state, updates),
    { name: "listening", trouble: () => local.trouble() },
    { name: "https", trouble: () => https.trouble() },
    { name: "root helper", trouble: () => absenceTrouble(helper) },
    { name: "program", trouble: () => selfCheck.trouble() },
    { name: "credentials", trouble: () => lostCredentials.trouble() },
  ];
}

function absenceTrouble(helper: Pick<RootHelper, "absence">): Finding | null {
  const absence = helper.absence();
  return absence === null ? null : helperTrouble(absence);
}

/** One check for the document of updates, for what the settings do not allow, and for the updates themselves. */
function updatesCheck(state: State, updates: Updates): HealthCheck {
  return {
    name: "updates",
    trouble: () => state.updatesTrouble() ?? troublesOfUpdates(updates)[0] ?? null,
    further: () => troublesOfUpdates(updates).slice(state.updatesTrouble() === null ? 1 : 0),
  };
}

function troublesOfUpdates(updates: Updates): Finding[] {
  return updates.problems().map((problem) => finding("updates_degraded", { problem }));
}

/** The most important facts for a person at the device, in a few words each. */
export function statusWords(rooms: Pick<StatusRooms, "auth" | "clock" | "updates">): string[] {
  const { accounts } = rooms.auth;
  const { available, trial } = rooms.updates.status();
  const found = [available.rules, available.binary].filter((release) => release !== null).length;
  return [
    ...(accounts.hasAdministrator() ? [] : ["no administrator yet"]),
    clockWords[String(rooms.clock.state().synchronised) as keyof typeof clockWords],
    ...(trial === null ? [] : [`${trial.kind} ${trial.version} on trial`]),
    ...(found === 0 ? [] : [found === 1 ? "1 update available" : `${found} updates available`]),
  ];
}

const clockWords = {
  true: "clock synchronised",
  false: "clock not synchronised",
  null: "clock not measured yet",
} as const;
