import { join } from "node:path";
import { createPeopleFacts } from "../../accounts/people.ts";
import { createEnrolment } from "../../accounts/second-factor/enrolment.ts";
import { createLostCodes } from "../../accounts/second-factor/lost-codes.ts";
import type { createPasskeys } from "../../accounts/second-factor/passkeys.ts";
import { createSeal, type Seal } from "../../accounts/second-factor/seal.ts";
import { createSealingKeyTrouble } from "../../accounts/second-factor/sealing-key.ts";
import { createSecondFactor } from "../../accounts/second-factor/second-factor.ts";
import { createUnwrittenCodes } from "../../accounts/second-factor/unwritten-codes.ts";
import { createUsedCodes } from "../../accounts/second-factor/used-codes.ts";
import { isFactorRequired, requiredActionOf } from "../../accounts/sessions/required-action.ts";
import { sessionEvents } from "../../accounts/sessions/session-events.ts";
import { createSessions, type SessionsOptions } from "../../accounts/sessions/sessions.ts";
import { createStepUps } from "../../accounts/sessions/step-up.ts";
import { createChallenges } from "../../accounts/sign-in/challenges.ts";
import { createOwnAccount } from "../../accounts/sign-in/own-account.ts";
import { createRecovery } from "../../accounts/sign-in/recovery.ts";
import { createSignIn } from "../../accounts/sign-in/sign-in.ts";
import { type AccountLock, createThrottle } from "../../accounts/throttle/throttle.ts";
import { createAccessTokens } from "../../accounts/tokens/access-tokens.ts";
import { createApiTokens } from "../../accounts/tokens/api-tokens.ts";
import { createBearer } from "../../accounts/tokens/bearer.ts";
import type { TrustedTime } from "../../accounts/trusted-time.ts";
import type { Account } from "../../accounts/users/account.ts";
import { type Accounts, createAccounts } from "../../accounts/users/accounts.ts";
import { readCommonPasswords } from "../../accounts/users/common-passwords.ts";
import type { CheckPassword } from "../../accounts/users/new-account.ts";
import { checkNewPassword, type Guesses } from "../../accounts/users/password-rules.ts";
import { createPasswords } from "../../accounts/users/passwords.ts";
import { durationSeconds } from "../../contract/durations.ts";
import { isOfStorage, messageOf } from "../../contract/errors.ts";
import type { User } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import { every } from "../../host/linux/timers.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import { withoutRepeats } from "../../journal/logs/log.ts";
import type { SettingsStore } from "../../system/settings/settings.ts";
import { type RoomsConfig, sealKeyPlaces } from "./config.ts";
import type { State } from "./state.ts";

interface SignInParts {
  config: RoomsConfig;
  state: State;
  settings: SettingsStore;
  host: Host;
  time: TrustedTime;
  events: EventSink;
  /** Asks for a measurement of the clock in the background. */
  requestSync: () => void;
  createPasskeys: typeof createPasskeys;
}

/** Seconds between two sweeps for API tokens that have expired. */
const sweepSeconds = 60 * 60;

/** Joins the rooms that know the users: accounts, second factors, sessions, tokens. */
export async function composeSignIn(parts: SignInParts) {
  const { config, state, settings, host, events } = parts;
  const { uptime } = host.time;
  const security = () => settings.read().security;
  const { seal, trouble } = await openSeal(config, state, host);
  const basics = composeAccounts(parts, seal);
  const { time, throttle, apiTokens } = basics;
  const { usedCodes, lostCodes } = await openUsedCodes(parts, basics.accounts);
  const requiredAction = (account: Account) => requiredActionOf(account, security().require_2fa);
  const common = {
    ...basics,
    events,
    usedCodes,
    seal,
    uptime,
    requiredAction,
    passkeys: parts.createPasskeys({ ...basics, uptime, now: time.now }),
  };
  const secondFactor = createSecondFactor({ ...common, requestSync: parts.requestSync });
  const ownAccount = createOwnAccount({ ...common, secondFactor });
  const enrolment = createEnrolment({
    ...common,
    prove: ownAccount.prove,
    secondFactor,
    issuer: () => settings.read().device.name || `Steward ${host.identity.hostname}`,
    isRequired: ({ role }) => isFactorRequired(role, security().require_2fa),
  });
  const stopSweeps = every(sweepSeconds, () => apiTokens.sweep(), host.time.timers);
  observeTime(parts, basics, lostCodes.stepped);
  return {
    ...common,
    ownAccount,
    enrolment,
    bearer: createBearer({ ...common, security }),
    signIn: createSignIn({ ...common, challenges: createChallenges(host.time, events), secondFactor }),
    recovery: createRecovery({ ...common, enrolment }),
    people: createPeopleFacts({ ...basics, security, issuer: parts.config.oidc?.issuer ?? null }),
    checks: [{ name: "two-factor key", trouble }],
    forget: (user: Pick<User, "id" | "username">) => forget({ ...basics, usedCodes }, user),
    close: () => {
      stopSweeps();
      // A token that has expired by now must stay expired, however wrong the clock is at the next start.
      apiTokens.sweep();
      throttle.close();
    },
  };
}

async function forget(
  { throttle, usedCodes, apiTokens }: Basics & Pick<Awaited<ReturnType<typeof openUsedCodes>>, "usedCodes">,
  { id, username }: Pick<User, "id" | "username">,
): Promise<void> {
  throttle.forget(username);
  usedCodes.forget(id);
  await apiTokens.remove(({ user_id }) => user_id === id);
}

export type SignInRooms = Awaited<ReturnType<typeof composeSignIn>>;

/** Each code works once, also if the record of used codes is lost. */
async function openUsedCodes({ config, state, time, host }: SignInParts, accounts: Accounts) {
  const unwritten = createUnwrittenCodes(join(config.runDirectory, "unwritten-codes"), state.usedCodes);
  const usedCodes = unwritten.watching(createUsedCodes(state.usedCodes));
  const lostCodes = createLostCodes({ usedCodes, accounts, time, uptime: host.time.uptime });
  if (state.hasLost(state.usedCodes) || unwritten.wereLeft()) await lostCodes.refuse();
  state.disk.observe(unwritten.settle);
  return { usedCodes, lostCodes };
}

type Basics = ReturnType<typeof composeAccounts>;

/** Time, attempts, passwords, accounts, sessions and API tokens, on which the rest is built. */
function composeAccounts(parts: SignInParts, seal: Seal) {
  const { state, host, time } = parts;
  const { uptime, timers } = host.time;
  const { bootId } = host.identity;
  const throttle = createThrottle({ document: state.attempts, bootId, uptime, timers });
  const passwords = createPasswords({
    isKnownClient: throttle.isKnownClient,
    ownCost: parts.config.passwordCost,
  });
  const apiTokens = createApiTokens({ document: state.tokens, time, uptime });
  const accounts = createAccounts({
    document: state.users,
    forOneCommand: parts.config.forOneCommand,
    passwords,
    now: time.now,
    checkPassword: passwordCheck(parts),
    hasKey: seal.hasKey,
    isSignedIn: (id) => sessions.list(id).length > 0,
    issuer: parts.config.oidc?.issuer ?? null,
    hasLocks: throttle.hasLocks,
    lockOf: (username) => {
      const lock = throttle.lockOf(username);
      return lock && lockShown(lock, time.now());
    },
    countTokens: apiTokens.countLiving,
  });
  const sessions = createSessions(sessionOptions(parts, accounts));
  const tokens = createAccessTokens({ time, uptime });
  return { time, throttle, passwords, accounts, sessions, apiTokens, tokens, stepUps: createStepUps(uptime) };
}

function observeTime(
  { time, events }: SignInParts,
  { throttle, apiTokens }: Basics,
  onStep: () => void,
): void {
  time.observe({
    onTrusted: () => {
      throttle.clearCodeLocks();
      apiTokens.sweep();
    },
    onStep: (seconds) => {
      onStep();
      void events.record(agentEvent("clock.epoch_raised", { step_seconds: Math.round(seconds) }));
    },
  });
}

/** Without the right key codes cannot be checked; everything else works, and so do recovery codes. */
async function openSeal(config: RoomsConfig, { users, disk }: State, host: Host) {
  const { sealKeyFile: path } = config;
  const log = withoutRepeats(config.log);
  const read = async () => {
    const present = await readSeal(config, host);
    const trouble = createSealingKeyTrouble({ ...present, users: () => users.read(), path });
    const found = trouble();
    const severity = present.unusable === null ? "warning" : "error";
    if (found !== null) log(severity, "two-factor secrets cannot be opened", { detail: found.detail });
    return { ...present, trouble };
  };
  let present = await read();
  // A key that a failing disk prevented is made when the disk takes it.
  disk.observe(async () => {
    if (present.isOfStorage) present = await read();
  });
  const seal: Seal = {
    seal: (text, recordId) => present.seal.seal(text, recordId),
    open: (sealed, recordId) => present.seal.open(sealed, recordId),
    keyIdOf: (sealed) => present.seal.keyIdOf(sealed),
    hasKey: (sealed) => present.seal.hasKey(sealed),
    derived: (purpose) => present.seal.derived(purpose),
  };
  return { seal, trouble: () => present.trouble() };
}

async function readSeal(config: RoomsConfig, { files }: Host) {
  const places = sealKeyPlaces(config);
  const onMade = () =>
    config.log("notice", "a key for two-factor secrets was made", { path: places.fallbackPath });
  try {
    const keys = await files.readSealKeys({ ...places, onMade, mayMake: !config.readsOnly });
    return { seal: createSeal(keys), unusable: null, isOfStorage: false };
  } catch (error) {
    const unusable = messageOf(error);
    return { seal: createSeal([]), unusable, isOfStorage: isOfStorage(error) };
  }
}

function sessionOptions({ state, settings, host, events }: SignInParts, accounts: Accounts): SessionsOptions {
  return {
    document: state.sessions,
    bootId: host.identity.bootId,
    uptime: host.time.uptime,
    limits: () => {
      const { session_idle, session_absolute } = settings.read().security;
      return {
        idleSeconds: durationSeconds(session_idle),
        absoluteSeconds: durationSeconds(session_absolute),
      };
    },
    ...sessionEvents(events, (userId) => accounts.find(userId)?.username),
  };
}

/** The rules for a new password, with the names of this device and its user. */
function passwordCheck(parts: SignInParts): CheckPassword {
  return async (password, { username, role }) => {
    const { require_2fa, password_min_length } = parts.settings.read().security;
    // NIST SP 800-63B-4 §3.1.1.2: fifteen characters if there is only a password, eight if a code comes with it.
    const isShorter = password_min_length === 15 && isFactorRequired(role, require_2fa);
    checkNewPassword(password, {
      minimumCharacters: isShorter ? 8 : password_min_length,
      ...(await readGuesses(parts, username)),
    });
  };
}

/** The names of this device, with others, and the common passwords. */
export async function readGuesses(
  { config, settings, host }: Pick<SignInParts, "config" | "settings" | "host">,
  ...others: readonly string[]
): Promise<Guesses> {
  const { device } = settings.read();
  return {
    names: ["steward", host.identity.hostname, ...others, ...device.name.split(/\s+/)],
    common: await readCommonPasswords(join(config.assetsDirectory, "common-passwords.txt")),
  };
}

function lockShown(lock: AccountLock, now: Date): User["locked"] {
  // Rounded to seconds, so that two readings of one lock are equal: it is in the user's ETag.
  const untilSeconds = Math.round(now.getTime() / 1_000 + lock.untilSeconds);
  const until = new Date(untilSeconds * 1_000).toISOString();
  return { password: lock.password, totp: lock.totp, until };
}
