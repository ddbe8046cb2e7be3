import { join } from "node:path";
import { createRescueToken, rescueSeconds, rescueTokenName } from "../../accounts/sign-in/rescue-token.ts";
import { createSetupToken } from "../../accounts/sign-in/setup-token.ts";
import { createTimedTable } from "../../accounts/timed-table.ts";
import type { Host } from "../../host/host.ts";
import { createAuthenticate } from "../../http/authenticate.ts";
import { createDispatch } from "../../http/dispatch.ts";
import { createAuthHandlers } from "../../http/handlers/auth.ts";
import { createEventHandlers } from "../../http/handlers/events.ts";
import { createHostHandlers } from "../../http/handlers/host.ts";
import { createSessionHandlers } from "../../http/handlers/sessions.ts";
import { createSetupHandlers } from "../../http/handlers/setup.ts";
import { createTimeHandlers } from "../../http/handlers/time.ts";
import { createTokenHandlers } from "../../http/handlers/tokens.ts";
import { createTwoFactorHandlers } from "../../http/handlers/two-factor.ts";
import { createUpdateHandlers } from "../../http/handlers/updates.ts";
import { createUserHandlers } from "../../http/handlers/users.ts";
import type { Lock } from "../../store/files/lock.ts";
import { createNeeds } from "../../system/status-needs.ts";
import type { RoomsConfig } from "./config.ts";
import {
  type Device,
  handlersOf,
  mechanisms,
  type OpenedMechanism,
  type OpenedMechanisms,
} from "./mechanisms.ts";
import { readLostCredentials } from "./status/lost-credentials.ts";
import {
  checksOf,
  composeStatus,
  composeSystem,
  openSelfCheck,
  type StatusRooms,
  type SystemRooms,
  statusWords,
  watchNeeds,
} from "./status/wire-status.ts";
import { composeSignIn } from "./wire-accounts.ts";
import { type BaseRooms, openBase } from "./wire-base.ts";
import { httpsOf, type Ways } from "./wire-host.ts";
import { createReset, openMachine } from "./wire-machine.ts";

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
  const { state, time, clock, updates, metering } = base;
  const { events, disk } = state;
  const own = await openDevice(config, base);
  const { auth, lostCredentials, reset, deviceName } = own;
  const { opened, device, each } = await openMechanisms({ ...own, rooms: (): StatusRooms => joined });
  const selfCheck = openSelfCheck(config, host);
  const common = checksOf({ ...device, https, local, selfCheck, lostCredentials });
  const checks = [...common, ...each().flatMap((one) => one.checks ?? [])];
  const needsOf = createNeeds();
  const joined = { ...device, ...opened, https, selfCheck, checks, events, disk, needsOf };
  const needWatch = watchNeeds(joined);
  return {
    dispatch: createDispatch({ ...joinHandlers(joined), ...handlersOf(opened) }, events, host.time.uptime),
    authenticate: createAuthenticate(auth.tokens, auth.bearer),
    events,
    disk,
    setupToken: auth.setupToken,
    accounts: auth.accounts,
    passwords: auth.passwords,
    apiTokens: auth.apiTokens,
    describeClock: () => time.describe({ isProven: false }),
    answered: metering.answered,
    /** The most important facts in a few words each, for `systemctl status`. */
    describe: () => statusWords({ auth, clock, updates }),
    /** Settles when a factory reset or a backup was asked for: it is carried out when the rooms are opened again. */
    resetRequested: reset.requested,
    deviceId: host.identity.deviceId,
    deviceName,
    accent: () => base.settings.read().console.accent,
    /** The present as far as it is known. */
    expiryNow: () => time.expiryNow(),
    /** A time no later than the present. */
    floor: () => clock.floor(),
    /** Starts the work that needs no request: measuring the clock, checking for updates, watching the disk. */
    start: () => {
      for (const part of [disk, clock, updates, selfCheck, needWatch, ...each()]) part.start?.();
    },
    /** Settles when no work that was begun on request is under way. */
    settled: () => updates.settled(),
    /** Writes changes that are only in memory and releases the lock. */
    close: async () => {
      auth.close();
      for (const part of [needWatch, selfCheck, clock]) part.stop();
      await Promise.all([updates.stop(), ...each().map((one) => one.stop?.())]);
      await state.close();
      await release();
    },
  };
}

/** Opens each mechanism in the order of their records, and has it follow the settings from then on. */
async function openMechanisms({ settingsChanged: ofRooms, ...rest }: Device) {
  const opened = {} as Record<string, OpenedMechanism>;
  const each = () => Object.values(opened);
  const settingsChanged = (names: readonly string[]): void => {
    ofRooms(names);
    for (const one of each()) one.settingsChanged?.(names);
  };
  const device: Device = { ...rest, settingsChanged };
  for (const [name, record] of Object.entries(mechanisms)) {
    if (!("open" in record)) continue;
    const one: OpenedMechanism = await record.open(device, opened as unknown as OpenedMechanisms);
    if (one.guard) device.settings.addGuard(one.guard);
    opened[name] = one;
  }
  return { opened: opened as unknown as OpenedMechanisms, device, each };
}

/** The device without its mechanisms: its accounts, with the tokens for setup and for a rescue at the device, and its machine. */
async function openDevice(config: RoomsConfig, base: BaseRooms) {
  const { runDirectory } = config;
  const { state, clock, host } = base;
  const signIn = await composeSignIn({
    ...base,
    config,
    events: state.events,
    requestSync: () => clock.nudge(),
    createPasskeys: mechanisms.passkeys.part,
  });
  const lostCredentials = await readLostCredentials(config, signIn);
  const setupToken = createSetupToken(join(runDirectory, "setup-token"), lostCredentials.withholding);
  const rescueToken = createRescueToken(join(runDirectory, rescueTokenName), host.time.uptime);
  const setUpNow = createTimedTable<true>({ seconds: rescueSeconds, uptime: host.time.uptime });
  const reset = createReset(config);
  return {
    ...base,
    config,
    auth: { ...signIn, setupToken, rescueToken, setUpNow },
    lostCredentials,
    reset,
    machine: openMachine({ ...base, config, reset }),
    deviceName: () => base.settings.read().device.name || host.identity.hostname,
  };
}

function joinHandlers(joined: Device & StatusRooms & SystemRooms) {
  const { state, updates, auth, host } = joined;
  return {
    ...createAuthHandlers(auth),
    ...createSetupHandlers(auth),
    ...createUserHandlers(auth),
    ...createSessionHandlers({ ...auth, now: auth.time.now }),
    ...createTwoFactorHandlers(auth),
    ...createTokenHandlers({ ...auth, pages: joined.config.product.pages.map(({ name }) => name) }),
    ...createEventHandlers(
      state.events,
      (listener) => updates.subscribe(listener),
      () => new Date(host.time.wall()),
    ),
    ...createTimeHandlers(joined.clock),
    ...createUpdateHandlers(updates),
    ...createHostHandlers(joined.machine, joined.deviceName),
    ...composeStatus(joined),
    ...composeSystem(joined),
  };
}
