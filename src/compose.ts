import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createAccessTokens } from "./auth/access-tokens.ts";
import { sessionsKind } from "./auth/session.ts";
import { createSessions } from "./auth/sessions.ts";
import { createSetupToken, type SetupToken } from "./auth/setup-token.ts";
import { createSignIn } from "./auth/sign-in.ts";
import { settings as settingsSchema } from "./contract/settings.ts";
import type { Settings, SettingsChange } from "./contract/types.ts";
import { StewardError } from "./errors.ts";
import { readIdentity } from "./host/linux/identity.ts";
import { createJournalReader } from "./host/linux/journal-reader.ts";
import { createUptime } from "./host/linux/uptime.ts";
import { type Authenticate, createAuthenticate } from "./http/authenticate.ts";
import { createDispatch, type Dispatch } from "./http/dispatch.ts";
import { createAuthHandlers } from "./http/handlers/auth.ts";
import { createLogHandlers } from "./http/handlers/logs.ts";
import { createSessionHandlers } from "./http/handlers/sessions.ts";
import { createSystemHandlers } from "./http/handlers/system.ts";
import { createUserHandlers } from "./http/handlers/users.ts";
import type { EventSink } from "./journal/event.ts";
import { createKeptLines, keptFiles } from "./journal/kept-lines.ts";
import type { Log } from "./journal/log.ts";
import { createLoggedEvents } from "./journal/logged-events.ts";
import { createLogs, type Logs } from "./journal/logs.ts";
import type { OwnLines } from "./journal/own-lines.ts";
import { durationSeconds } from "./settings/durations.ts";
import { settingsErrors } from "./settings/rules.ts";
import { createSettings, mergeSettings, type SettingsStore, settingsKind } from "./settings/settings.ts";
import { openDocument } from "./store/document.ts";
import { type DocumentKind, validatorOf } from "./store/load.ts";
import type { Lock } from "./store/lock.ts";
import { createReserve } from "./store/reserve.ts";
import { createFacts } from "./system/facts.ts";
import { readHealth } from "./system/health.ts";
import { accountsKind } from "./users/account.ts";
import { type Accounts, createAccounts } from "./users/accounts.ts";
import { readCommonPasswords } from "./users/common-passwords.ts";
import { checkNewPassword } from "./users/password-rules.ts";
import { createPasswords, type Passwords } from "./users/passwords.ts";
import { type Build, fullVersion, publicVersion } from "./version/version.ts";

export interface AgentConfig {
  stateDirectory: string;
  runDirectory: string;
  /** Beside the program: common-passwords.txt, the facts worker, the console. */
  assetsDirectory: string;
  factsWorker: URL;
  /** What a new device begins with, over the defaults. */
  initialSettings: SettingsChange;
  build: Build;
  nodeVersion: string;
  log: Log;
  /** What `log` wrote lately. */
  ownLines: OwnLines;
  /** What `log` writes goes to the journal, so it need not be kept here as well. */
  isLogInJournal: boolean;
  /** Units besides the agent's own whose log may be read. */
  logUnits: readonly string[];
}

/** The rooms of the agent, joined, over an opened and locked state directory. */
export interface Rooms {
  dispatch: Dispatch;
  authenticate: Authenticate;
  events: EventSink;
  accounts: Accounts;
  passwords: Passwords;
  setupToken: SetupToken;
  /** Takes back the space that a full disk was given. */
  refillReserve: () => Promise<void>;
  /** Writes what is only in memory and gives the lock back. */
  close(): Promise<void>;
}

/** The documents of the state directory; accounts first, so that a first start cut short never looks like damage. */
export function documentKinds(initialSettings: SettingsChange): readonly DocumentKind<object>[] {
  return [accountsKind, settingsKind(defaultSettings(initialSettings)), sessionsKind];
}

/** Joins the rooms under the state's lock, which is given back when they close. Throws `state_damaged`, `storage_unwritable`. */
export async function openRooms(config: AgentConfig, lock: Lock): Promise<Rooms> {
  try {
    return await joinRooms(config, () => config.ownLines.close().then(() => lock.release()));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function joinRooms(config: AgentConfig, release: () => Promise<void>): Promise<Rooms> {
  const now = () => new Date();
  const host = readIdentity();
  const uptime = createUptime();
  const store = await openStore(config);
  const settings = createSettings({ document: store.settings, isUpdateTrustEstablished: () => false });
  const passwords = createPasswords();
  const checkPassword = passwordCheck(config, settings, ["steward", host.hostname]);
  const accounts = createAccounts({ document: store.users, passwords, now, checkPassword });
  const limits = () => sessionLimits(settings.read());
  const sessions = createSessions({ document: store.sessions, bootId: host.bootId, uptime, limits });
  const tokens = createAccessTokens(now);
  const events = createLoggedEvents(config.log);
  const signIn = createSignIn({ accounts, passwords, sessions, tokens, now });
  const setupToken = createSetupToken(join(config.runDirectory, "setup-token"));
  const checks = [...store.checks, { name: "updates", trouble: () => settings.updatesBlocked() }];
  const dispatch = createDispatch(
    {
      ...createAuthHandlers({ accounts, signIn, setupToken }),
      ...createUserHandlers({ accounts, sessions, setupToken }),
      ...createSessionHandlers({ accounts, sessions, now, uptime }),
      ...createLogHandlers({ logs: openLogs(config), now }),
      ...createSystemHandlers({
        settings,
        readFacts: createFacts(config.factsWorker, uptime),
        version: (isDetailed) =>
          isDetailed
            ? fullVersion(config.build, config.nodeVersion, host, uptime)
            : publicVersion(config.build),
        health: (isDetailed) => readHealth(checks, isDetailed),
      }),
    },
    events,
  );
  return {
    dispatch,
    authenticate: createAuthenticate({ tokens, sessions, accounts, now }),
    events,
    accounts,
    passwords,
    setupToken,
    refillReserve: store.refillReserve,
    close: () => store.close().then(release),
  };
}

/** The journal, or the agent's own lines, which are kept here only where no journal keeps them. */
function openLogs({ ownLines, logUnits, isLogInJournal, stateDirectory }: AgentConfig): Logs {
  if (!isLogInJournal) ownLines.keepIn(createKeptLines(stateDirectory));
  return createLogs({ journal: createJournalReader(), ownLines, logUnits });
}

/** The rules for a new password, with the names that this device and its user go by. */
function passwordCheck(config: AgentConfig, settings: SettingsStore, names: readonly string[]) {
  return async (password: string, username: string): Promise<void> => {
    const { security, device } = settings.read();
    const common = await readCommonPasswords(join(config.assetsDirectory, "common-passwords.txt"));
    checkNewPassword(password, {
      minimumCharacters: security.password_min_length,
      names: [...names, username, ...device.name.split(/\s+/)],
      common,
    });
  };
}

function sessionLimits({ security }: Settings): { idleSeconds: number; absoluteSeconds: number } {
  return {
    idleSeconds: durationSeconds(security.session_idle),
    absoluteSeconds: durationSeconds(security.session_absolute),
  };
}

async function openStore(config: AgentConfig) {
  const { stateDirectory, initialSettings, log } = config;
  const reserve = createReserve(stateDirectory);
  const options = { isFirstStart: await isEmpty(stateDirectory), reserve };
  const users = await openDocument(stateDirectory, accountsKind, options);
  const settings = await openDocument(
    stateDirectory,
    settingsKind(defaultSettings(initialSettings)),
    options,
  );
  const sessions = await openDocument(stateDirectory, sessionsKind, options);
  const documents = { users, settings, sessions };
  const checks = Object.entries(documents).map(([name, document]) => ({
    name,
    trouble: () => document.trouble(),
  }));
  for (const { name, trouble } of checks) {
    const detail = trouble();
    if (detail !== null) log("warning", "a document needs attention", { document: name, detail });
  }
  return {
    ...documents,
    checks,
    refillReserve: () => reserve.refill(),
    close: async () => {
      for (const document of [users, settings, sessions]) await document.close();
    },
  };
}

/** The contract's defaults with what this product begins with. Throws `validation_failed` when these do not fit. */
function defaultSettings(initialSettings: SettingsChange): Settings {
  const validate = validatorOf({ name: "settings", schema: settingsSchema });
  const defaults = {} as Settings;
  validate(defaults);
  const merged = mergeSettings(defaults, initialSettings);
  const errors = [...validate(merged)];
  if (errors.length === 0) errors.push(...settingsErrors(merged));
  const [first] = errors;
  if (!first) return merged;
  throw new StewardError(
    "validation_failed",
    `The initial settings are not valid: ${first.pointer} ${first.detail}`,
  );
}

/** True when no state has ever been here. Our lock, reserve and log, and a file system's own directory, are no state. */
async function isEmpty(directory: string): Promise<boolean> {
  const names = await readdir(directory);
  const others: readonly string[] = ["lost+found", keptFiles.present, keptFiles.former];
  return names.every((name) => name.startsWith(".") || others.includes(name));
}
