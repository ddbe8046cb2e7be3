import { join } from "node:path";
import { createRescueToken, type RescueToken, rescueTokenName } from "../../accounts/sign-in/rescue-token.ts";
import { createSetupToken, type SetupToken } from "../../accounts/sign-in/setup-token.ts";
import { createTrustedTime, type TrustedTime } from "../../accounts/trusted-time.ts";
import type { Clock } from "../../clock/loop/clock.ts";
import type { Host } from "../../host/host.ts";
import { createAuthenticate } from "../../http/authenticate.ts";
import type { Handlers } from "../../http/call.ts";
import { createDispatch } from "../../http/dispatch.ts";
import { createAuthHandlers } from "../../http/handlers/auth.ts";
import { createBackupHandlers } from "../../http/handlers/backup.ts";
import { createConfigurationHandlers } from "../../http/handlers/configuration.ts";
import { createEventHandlers } from "../../http/handlers/events.ts";
import { createLogHandlers } from "../../http/handlers/logs.ts";
import { createNotificationHandlers } from "../../http/handlers/notifications.ts";
import { createPasskeyHandlers } from "../../http/handlers/passkeys.ts";
import { createProviderHandlers } from "../../http/handlers/provider.ts";
import { createSessionHandlers } from "../../http/handlers/sessions.ts";
import { createSetupHandlers } from "../../http/handlers/setup.ts";
import { createSystemHandlers } from "../../http/handlers/system.ts";
import { createTimeHandlers } from "../../http/handlers/time.ts";
import { createTokenHandlers } from "../../http/handlers/tokens.ts";
import { createTwoFactorHandlers } from "../../http/handlers/two-factor.ts";
import { createUpdateHandlers } from "../../http/handlers/updates.ts";
import { createUserHandlers } from "../../http/handlers/users.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import { type EventLog, openEventLog } from "../../journal/events/event-log.ts";
import { createKeptLines } from "../../journal/logs/kept-lines.ts";
import { createLogs, type Logs } from "../../journal/logs/logs.ts";
import type { Disk } from "../../store/files/disk.ts";
import type { Lock } from "../../store/files/lock.ts";
import { createFacts } from "../../system/facts.ts";
import { createReceiverGuard } from "../../system/settings/receiver-guard.ts";
import { createSettings } from "../../system/settings/settings.ts";
import { createNeeds } from "../../system/status-needs.ts";
import { builtAt } from "../../system/version.ts";
import type { UpdateRoom } from "../../updates/updater.ts";
import { once } from "../once.ts";
import { beginState } from "./adoption/begin-state.ts";
import { noteBackup, openBackups } from "./backup/wire-backup.ts";
import { keyExchangeOf, type RoomsConfig } from "./config.ts";
import { openDocuments } from "./documents.ts";
import { type ConfigurationRoom, openConfiguration } from "./fleet/wire-configuration.ts";
import { createOwnTrialCheck } from "./installer-client.ts";
import { createNotifications, type Notifications } from "./outbox/notifications.ts";
import { openState } from "./state.ts";
import { type LostCredentials, readLostCredentials } from "./status/lost-credentials.ts";
import { createHistoryKeeping } from "./status/wire-history.ts";
import { createMetering } from "./status/wire-metrics.ts";
import {
  checksOf,
  composeStatus,
  greetingOf,
  openSelfCheck,
  type StatusRooms,
  statusWords,
  versionOf,
  watchNeeds,
} from "./status/wire-status.ts";
import { openSupportBundle } from "./status/wire-support.ts";
import { composeSignIn, type SignInRooms } from "./wire-accounts.ts";
import { openHostClock } from "./wire-clock.ts";
import { httpsOf, type Ways } from "./wire-host.ts";
import { composeMachine, createReset, type Reset } from "./wire-machine.ts";
import { openHostUpdates, settingsGuardOf } from "./wire-updates.ts";

/** The rooms of the agent, joined, over an opened and locked state directory. */
export type Rooms = Awaited<ReturnType<typeof joinRooms>>;

/** Joins the rooms under the state's lock, which is released when they close. Throws `state_damaged`, `storage_unwritable`. */
export async function openRooms(
  config: RoomsConfig,
  host: Host,
  lock: Lock,
  { https, local }: Ways = { https: httpsOf(config, host), local: { trouble: () => null } },
): Promise<Rooms> {
  try {
    return await joinRooms(config, { host, https, local }, () =>
      config.ownLines.close().then(() => lock.release()),
    );
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function joinRooms(
  config: RoomsConfig,
  { host, https, local }: Ways & { host: Host },
  release: () => Promise<void>,
) {
  const base = await openBase(config, host);
  const { state, time, clock, updates } = base;
  const { events, disk } = state;
  const signIn = await composeSignIn({ ...base, config, events, requestSync: () => clock.nudge() });
  const lostCredentials = await readLostCredentials(config, signIn);
  const auth = { ...signIn, ...setupTokens(config, host, lostCredentials) };
  const selfCheck = openSelfCheck(config, host);
  const reset = createReset(config);
  const own = { ...base, ...joinNotifications(config, base, auth, () => joined) };
  const configuration = await openConfiguration({ ...own, config, host, auth });
  const checks = checksOf({ ...base, config, auth, https, local, selfCheck, host, lostCredentials });
  const joined: Joined = {
    ...{ ...own, config, auth, https, local, selfCheck, reset, configuration, checks, events, disk },
    needsOf: createNeeds(),
  };
  const needWatch = watchNeeds(joined);
  return {
    dispatch: createDispatch(joinHandlers(joined), events, host.time.uptime),
    authenticate: createAuthenticate(auth.tokens, auth.bearer),
    ...{ events, disk, setupToken: auth.setupToken, accounts: auth.accounts, passwords: auth.passwords },
    apiTokens: auth.apiTokens,
    describeClock: () => time.describe({ isProven: false }),
    /** Counts an answer, for the metrics. */
    answered: base.metering.answered,
    /** The most important facts in a few words each, for `systemctl status`. */
    describe: () => statusWords({ auth, clock, updates }),
    /** Settles when a factory reset or a backup was asked for: it is carried out when the rooms are opened again. */
    resetRequested: reset.requested,
    deviceId: host.identity.deviceId,
    deviceName: () => nameOf(base),
    accent: () => base.settings.read().console.accent,
    /** `expiryNow`: the present as far as it is known; `floor`: a time no later than it. */
    ...{ expiryNow: () => time.expiryNow(), floor: () => clock.floor() },
    /** Starts the work that needs no request: measuring the clock, checking for updates, watching the disk. */
    start: () => {
      for (const part of [disk, clock, updates, selfCheck, needWatch]) part.start();
      own.notifications.start();
    },
    /** Settles when no work that was begun on request is under way. */
    settled: () => updates.settled(),
    /** Writes changes that are only in memory and releases the lock. */
    close: async () => {
      auth.close();
      for (const part of [base.metering, needWatch, selfCheck, clock]) part.stop();
      await Promise.all([own.notifications.stop(), updates.stop()]);
      await base.history.close();
      await state.close();
      await release();
    },
  };
}

/** The tokens for setup, and for a rescue at the device. */
function setupTokens({ runDirectory }: RoomsConfig, { time }: Host, { withholding }: LostCredentials) {
  return {
    setupToken: createSetupToken(join(runDirectory, "setup-token"), withholding),
    rescueToken: createRescueToken(join(runDirectory, rescueTokenName), time.uptime),
  };
}

/** Messages need the seal, which no room below sign-in has. */
function joinNotifications(
  config: RoomsConfig,
  base: BaseRooms,
  { seal }: Pick<SignInRooms, "seal">,
  rooms: () => StatusRooms,
) {
  const device = () => ({ id: base.host.identity.deviceId, name: nameOf(base) });
  const notifications = createNotifications({
    ...base,
    config,
    seal,
    device,
    now: base.time.now,
    readMetrics: (sink) => base.metering.readInto(sink, rooms()),
    rootReceivers: {
      otlp: async () => (await import("./outbox/otlp-receiver.ts")).openOtlp,
      syslog: async () => (await import("./outbox/syslog-receiver.ts")).openSyslog,
    },
  });
  return {
    notifications,
    settingsChanged: (names: readonly string[]) => {
      base.settingsChanged(names);
      notifications.settingsChanged(names);
    },
  };
}

function nameOf({ settings, host }: Pick<BaseRooms, "settings" | "host">): string {
  return settings.read().device.name || host.identity.hostname;
}

/** Opens the rooms that know of no users, in the order in which each needs those before it. */
async function openBase(config: RoomsConfig, host: Host) {
  const { stateDirectory, log, readsOnly } = config;
  const recordBeginning = await beginState(config, host);
  const stored = await openDocuments({ ...config, isOnTrial: createOwnTrialCheck(config), time: host.time });
  const { documents, reserve } = stored;
  const plan = { ...config, host, buildDate: builtAt(config.build) };
  const openClock = config.openClock ?? openHostClock;
  const timeSettings = () => documents.settings.read().time;
  const keyExchange = keyExchangeOf(config);
  const clock = openClock({ ...plan, keyExchange, record: documents.clock, settings: timeSettings });
  const [readClock, floor] = [() => clock.state(), () => clock.floor()];
  const time = createTrustedTime({ ...host.time, readClock, floor });
  const directory = join(stateDirectory, "events");
  const metering = createMetering(config, host);
  const events = metering.counting(
    await openEventLog({ ...host.time, directory, log, now: time.now, reserve, readsOnly }),
  );
  await recordBeginning(events);
  const state = await openState(stored, events, log);
  const settings = createSettings(documents.settings);
  const record = documents.updates;
  const updates = await openHostUpdates({
    ...plan,
    ...{ time, record, events, settings: () => settings.read().update },
  });
  settings.addGuard(settingsGuardOf(config.update, host.network, updates));
  settings.addGuard(createReceiverGuard({ ...config.notify, isLocalServer: host.network.isLocalServer }));
  observeClock(clock, { time, updates, events });
  /** Called with the names of the changed settings. */
  const settingsChanged = (names: readonly string[]) => {
    if (names.some((name) => name.startsWith("time."))) clock.settingsChanged();
    if (names.some((name) => name.startsWith("update."))) updates.settingsChanged();
  };
  const history = createHistoryKeeping({ config, host, clock, time, disk: state.disk });
  return { host, state, settings, settingsChanged, time, clock, updates, metering, history };
}

/** Changes of the clock become events; work that has waited for a trusted clock continues. */
function observeClock(
  clock: Clock,
  { time, updates, events }: { time: TrustedTime; updates: UpdateRoom; events: EventSink },
): void {
  clock.onEvent((event) => {
    if (event.type !== "checked") void events.record(agentEvent(event.type, event.details));
    else if (time.isTrusted()) updates.clockTrusted();
  });
}

type BaseRooms = Awaited<ReturnType<typeof openBase>>;

interface Joined extends BaseRooms, Ways, Pick<StatusRooms, "config" | "checks" | "selfCheck" | "needsOf"> {
  events: EventLog;
  disk: Disk;
  auth: SignInRooms & { setupToken: SetupToken; rescueToken: RescueToken };
  reset: Reset;
  configuration: ConfigurationRoom;
  notifications: Notifications;
}

function joinHandlers(joined: Joined): Handlers {
  const { config, state, settings, clock, updates, auth, host, https } = joined;
  const presentTime = () => new Date(host.time.wall());
  const { assetsDirectory } = config;
  const { now } = auth.time;
  const backups = once(() => openBackups({ ...joined, time: auth.time }));
  return {
    ...createAuthHandlers(auth),
    ...createSetupHandlers(auth),
    ...createUserHandlers(auth),
    ...createSessionHandlers({ ...auth, now }),
    ...createProviderHandlers(auth.singleSignOn, auth.signIn, auth.events),
    ...createTwoFactorHandlers(auth),
    ...createPasskeyHandlers(auth.passkeys),
    ...createTokenHandlers(auth),
    ...createConfigurationHandlers(joined.configuration.open),
    ...createBackupHandlers(backups, () => noteBackup({ state, time: auth.time })),
    ...createEventHandlers(state.events, (listener) => updates.subscribe(listener), presentTime),
    // By the host's own clock, right or wrong, which stamps the lines.
    ...createNotificationHandlers(joined.notifications),
    ...createLogHandlers(openLogs(config, host), presentTime),
    ...createTimeHandlers(clock),
    ...createUpdateHandlers(updates),
    ...composeMachine({ ...joined, time: auth.time }),
    ...composeStatus(joined),
    ...createSystemHandlers({
      settingsChanged: joined.settingsChanged,
      ...{ settings, apiDocument: join(assetsDirectory, "openapi.json") },
      acceptFindings: (document) => state.register.accept(document),
      tls: https.status,
      reload: config.reload,
      readFacts: createFacts(
        { node: config.node, script: join(assetsDirectory, "slow-facts.js"), services: servicesOf(config) },
        host,
      ),
      openSupportBundle: once(() => openSupportBundle(config, host)),
      version: versionOf(config, { host, updates }),
      greet: () =>
        greetingOf({
          ...{ config, host, settings: settings.read(), clock: auth.time.describe({ isProven: false }) },
          ...{ isSetUp: auth.accounts.hasAdministrator(), isInRescue: false },
          notice: auth.setupToken.withholding(),
        }),
    }),
  };
}

/** The journal, or the agent's own lines, which are kept here only if no journal keeps them. */
function openLogs(
  { ownLines, logUnits, isLogInJournal, stateDirectory, readsOnly }: RoomsConfig,
  { systemd, time: { timers } }: Host,
): Logs {
  const kept = createKeptLines(stateDirectory);
  if (!isLogInJournal) ownLines.keepIn(readsOnly ? { ...kept, append: async () => undefined } : kept, timers);
  return createLogs({ ...systemd, timers, ownLines, logUnits });
}

/** The product's services: those that releases are put to work with, and those whose log may be read. A template has no state. */
function servicesOf({ update: { apply }, logUnits }: RoomsConfig): string[] {
  const ofPlans = [apply.rules?.unit, apply.binary?.unit].flatMap((unit) => unit ?? []);
  return [...new Set([...ofPlans, ...logUnits])].filter(
    (unit) => unit !== "steward.service" && !unit.includes("@."),
  );
}
