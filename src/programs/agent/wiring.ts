import { join } from "node:path";
import { createSetupToken, type SetupToken } from "../../auth/sign-in/setup-token.ts";
import { createTrustedTime, type TrustedTime } from "../../auth/trusted-time.ts";
import type { Clock } from "../../clock/loop/clock.ts";
import { unobservedClock } from "../../clock/trust/clock-state.ts";
import type { ProblemClock } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import { openHost } from "../../host/linux/open-host.ts";
import { type Authenticate, createAuthenticate } from "../../http/authenticate.ts";
import type { Handlers } from "../../http/call.ts";
import { createDispatch, type Dispatch } from "../../http/dispatch.ts";
import { createAuthHandlers } from "../../http/handlers/auth.ts";
import { createEventHandlers } from "../../http/handlers/events.ts";
import { createLogHandlers } from "../../http/handlers/logs.ts";
import { createSessionHandlers } from "../../http/handlers/sessions.ts";
import { createSystemHandlers } from "../../http/handlers/system.ts";
import { createTimeHandlers } from "../../http/handlers/time.ts";
import { createTokenHandlers } from "../../http/handlers/tokens.ts";
import { createTwoFactorHandlers } from "../../http/handlers/two-factor.ts";
import { createUpdateHandlers } from "../../http/handlers/updates.ts";
import { createUserHandlers } from "../../http/handlers/users.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import { createKeptLines } from "../../journal/logs/kept-lines.ts";
import { createLogs, type Logs } from "../../journal/logs/logs.ts";
import { createSettings, type SettingsStore } from "../../settings/settings.ts";
import type { Disk } from "../../store/files/disk.ts";
import type { Lock } from "../../store/files/lock.ts";
import { createFacts } from "../../system/facts.ts";
import type { SelfCheck } from "../../system/self-check.ts";
import { builtAt } from "../../system/version.ts";
import { createSettingsGuard } from "../../updates/settings-guard.ts";
import type { UpdateRoom } from "../../updates/updater.ts";
import type { Updates } from "../../updates/updates.ts";
import type { Accounts } from "../../users/accounts.ts";
import type { Passwords } from "../../users/passwords.ts";
import type { RoomsConfig } from "./config.ts";
import { openState, type State } from "./documents.ts";
import { createOwnTrialLook } from "./installer-client.ts";
import { composeSignIn, type SignInRooms } from "./wire-accounts.ts";
import { checksOf, greetingOf, openSelfCheck, versionOf } from "./wire-answers.ts";
import { openHostClock } from "./wire-clock.ts";
import { composeStatus } from "./wire-status.ts";
import { createMayUpdateFrom, openHostUpdates } from "./wire-updates.ts";

/** The host that an agent of this configuration runs on. */
export function hostOf(config: Pick<RoomsConfig, "maySteerClock" | "clockAddon" | "log" | "host">): Host {
  const onUnusableAddon = (detail: string): void =>
    config.log("warning", "the addon for the clock cannot be used: it is only measured, less exactly", {
      detail,
    });
  return { ...openHost({ ...config, onUnusableAddon }), ...config.host };
}

/** The rooms of the agent, joined, over an opened and locked state directory. */
export interface Rooms {
  dispatch: Dispatch;
  authenticate: Authenticate;
  events: EventSink;
  accounts: Accounts;
  passwords: Passwords;
  setupToken: SetupToken;
  describeClock: () => ProblemClock;
  deviceId: string;
  /** Begins what the agent does by itself. */
  start: () => void;
  /** Settles when nothing that was begun on request is under way any more. */
  settled: () => Promise<void>;
  /** What the state lies on. */
  disk: Disk;
  /** Writes what is only in memory and gives the lock back. */
  close(): Promise<void>;
}

/** Joins the rooms under the state's lock, which is given back when they close. Throws `state_damaged`, `storage_unwritable`. */
export async function openRooms(config: RoomsConfig, host: Host, lock: Lock): Promise<Rooms> {
  try {
    return await joinRooms(config, host, () => config.ownLines.close().then(() => lock.release()));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function joinRooms(config: RoomsConfig, host: Host, release: () => Promise<void>): Promise<Rooms> {
  const ground = await openGround(config, host);
  const { state, settings, time, clock, updates } = ground;
  const { events } = state;
  const requestSync = () => clock.nudge();
  const auth = await composeSignIn({ config, state, settings, host, time, events, requestSync });
  const setupToken = createSetupToken(join(config.runDirectory, "setup-token"));
  const selfCheck = openSelfCheck(config, host);
  const handlers = joinHandlers({ ...ground, config, auth: { ...auth, setupToken }, host, selfCheck });
  return {
    dispatch: createDispatch(handlers, events),
    authenticate: createAuthenticate(auth),
    events,
    accounts: auth.accounts,
    passwords: auth.passwords,
    setupToken,
    describeClock: () => time.describe({ isProven: false }),
    deviceId: host.identity.deviceId,
    start: () => {
      state.disk.start();
      clock.start();
      updates.start();
      selfCheck.start();
    },
    settled: () => updates.settled(),
    disk: state.disk,
    close: async () => {
      auth.close();
      selfCheck.stop();
      clock.stop();
      await updates.stop();
      await state.close();
      await release();
    },
  };
}

/** What the other rooms stand on: the state, the settings, the time, and the rooms that know nobody's name. */
async function openGround(config: RoomsConfig, host: Host): Promise<Ground> {
  const buildDate = builtAt(config.build);
  // The state is opened before the clock that is kept in it, and stamps what it writes.
  let clock: Clock | undefined;
  const readClock = () => clock?.state() ?? unobservedClock;
  const floor = () => clock?.floor() ?? buildDate;
  const time = createTrustedTime({ wall: host.wall, uptime: host.uptime, readClock, floor });
  const state = await openState({ ...config, isOnTrial: createOwnTrialLook(config) }, time.now);
  const { events } = state;
  const settings = createSettings(state.settings);
  const openClock = config.openClock ?? openHostClock;
  const plan = { ...config, host, buildDate, events };
  clock = openClock({ ...plan, record: state.clock, settings: () => settings.read().time });
  const updates = await openHostUpdates({
    ...plan,
    time,
    record: state.updates,
    settings: () => settings.read().update,
  });
  const { channels: allowedChannels } = config.update;
  const mayUpdateFrom = createMayUpdateFrom(config.update, host.network);
  settings.addGuard(createSettingsGuard({ updates, mayUpdateFrom, allowedChannels }));
  observeClock(clock, { time, updates, events });
  return { state, settings, time, clock, updates };
}

/** What happens to the clock is an event, and what has waited for a clock that is trusted goes on. */
function observeClock(
  clock: Clock,
  { time, updates, events }: { time: TrustedTime; updates: UpdateRoom; events: EventSink },
): void {
  clock.onEvent((event) => {
    if (event.type !== "checked") void events.record(agentEvent(event.type, event.details));
    else if (time.isVouchedFor()) updates.clockVouchedFor();
  });
}

interface Ground {
  state: State;
  settings: SettingsStore;
  time: TrustedTime;
  clock: Clock;
  updates: Updates;
}

interface Joined extends Ground {
  config: RoomsConfig;
  auth: SignInRooms & { setupToken: SetupToken };
  host: Host;
  selfCheck: SelfCheck;
}

function joinHandlers({ config, state, settings, clock, updates, auth, host, selfCheck }: Joined): Handlers {
  const { now } = auth.time;
  const checks = checksOf({ state, auth, clock, updates, selfCheck });
  return {
    ...createAuthHandlers(auth),
    ...createUserHandlers(auth),
    ...createSessionHandlers({ ...auth, now }),
    ...createTwoFactorHandlers(auth),
    ...createTokenHandlers(auth),
    ...createEventHandlers(state.events, (listener) => updates.subscribe(listener)),
    // By the host's own clock, which the lines are stamped by, however wrong it is.
    ...createLogHandlers({ logs: openLogs(config, host), now: () => new Date() }),
    ...createTimeHandlers(clock),
    ...createUpdateHandlers(updates),
    ...composeStatus({ config, host, settings, clock, updates, auth, checks, selfCheck }),
    ...createSystemHandlers({
      settingsChanged: (names) => {
        if (names.some((name) => name.startsWith("time."))) clock.settingsChanged();
        if (names.some((name) => name.startsWith("update."))) updates.settingsChanged();
      },
      settings,
      acceptFindings: (document) => state.register.accept(document),
      readFacts: createFacts(config.factsWorker, host.uptime),
      version: versionOf(config, { host, updates }),
      greet: () =>
        greetingOf({
          ...{ config, host, settings: settings.read(), clock: auth.time.describe({ isProven: false }) },
          ...{ isSetUp: auth.accounts.hasAdministrator(), isInRescue: false },
        }),
    }),
  };
}

/** The journal, or the agent's own lines, which are kept here only where no journal keeps them. */
function openLogs(
  { ownLines, logUnits, isLogInJournal, stateDirectory, readsOnly }: RoomsConfig,
  { systemd }: Host,
): Logs {
  const kept = createKeptLines(stateDirectory);
  if (!isLogInJournal) ownLines.keepIn(readsOnly ? { ...kept, append: async () => undefined } : kept);
  return createLogs({ journal: systemd.journal, ownLines, logUnits });
}
