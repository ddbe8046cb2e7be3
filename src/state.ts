import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { apiTokensKind } from "./auth/api-token.ts";
import { attemptsKind } from "./auth/attempt-record.ts";
import { sessionsKind } from "./auth/session.ts";
import { usedCodesKind } from "./auth/used-codes.ts";
import { clockRecordKind } from "./clock/clock-record.ts";
import { settings as settingsSchema } from "./contract/settings.ts";
import type { Settings, SettingsChange } from "./contract/types.ts";
import { StewardError } from "./errors.ts";
import { openEventLog } from "./journal/event-log.ts";
import { keptFiles } from "./journal/kept-lines.ts";
import type { Log } from "./journal/log.ts";
import { settingsErrors } from "./settings/rules.ts";
import { mergeSettings, settingsKind } from "./settings/settings.ts";
import { openDocument } from "./store/document.ts";
import { type DocumentKind, validatorOf } from "./store/load.ts";
import { createReserve } from "./store/reserve.ts";
import type { HealthCheck } from "./system/health.ts";
import { updateRecordKind } from "./updates/update-record.ts";
import { accountsKind } from "./users/account.ts";

/** The documents of the state directory; accounts first, so that a first start cut short never looks like damage. */
export function documentKinds(initialSettings: SettingsChange): readonly DocumentKind<object>[] {
  const settings = settingsKind(defaultSettings(initialSettings));
  const others = [
    sessionsKind,
    attemptsKind,
    apiTokensKind,
    usedCodesKind,
    clockRecordKind,
    updateRecordKind,
  ];
  return [accountsKind, settings, ...others];
}

export interface StateConfig {
  stateDirectory: string;
  initialSettings: SettingsChange;
  log: Log;
}

/** Opens every document under the caller's lock. Throws `state_damaged`, `storage_unwritable`. */
export async function openState(config: StateConfig, now: () => Date) {
  const { stateDirectory: directory, initialSettings, log } = config;
  const reserve = createReserve(directory);
  const options = { isFirstStart: await isEmpty(directory), reserve };
  // Accounts first, also where the disk takes no write before later: beside other state, absent ones would be damage.
  const users = await openDocument(directory, accountsKind, options);
  const after = options.isFirstStart ? users : undefined;
  const open = <T extends object>(kind: DocumentKind<T>) =>
    openDocument(directory, kind, { ...options, after });
  const [settings, sessions, attempts, tokens, usedCodes, clock, updates, events] = await Promise.all([
    open(settingsKind(defaultSettings(initialSettings))),
    open(sessionsKind),
    open(attemptsKind),
    open(apiTokensKind),
    open(usedCodesKind),
    open(clockRecordKind),
    open(updateRecordKind),
    openEventLog({ directory: join(directory, "events"), log, now, reserve }),
  ]);
  const documents = { users, settings, sessions, attempts, tokens, usedCodes, clock, updates };
  const checks: HealthCheck[] = Object.values(documents).map((document) => ({
    name: document.name,
    trouble: () => document.trouble(),
  }));
  for (const { name, trouble } of checks) {
    const detail = trouble();
    if (detail !== null) log("warning", "a document needs attention", { document: name, detail });
  }
  return {
    ...documents,
    events,
    // That of updates says more than how its document is.
    checks: [
      ...checks.filter(({ name }) => name !== updateRecordKind.name),
      { name: "events", trouble: () => events.trouble() },
    ],
    refillReserve: () => reserve.refill(),
    close: async () => {
      await events.close();
      for (const document of Object.values(documents)) await document.close();
    },
  };
}

export type State = Awaited<ReturnType<typeof openState>>;

/** The contract's defaults with what this product begins with. Throws `validation_failed` when these do not fit. */
export function defaultSettings(initialSettings: SettingsChange): Settings {
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

/** True when no state has ever been here. Our lock and reserve, and a file system's own directory, are no state. */
async function isEmpty(directory: string): Promise<boolean> {
  const names = await readdir(directory);
  const others: readonly string[] = ["lost+found", keptFiles.present, keptFiles.former];
  return names.every((name) => name.startsWith(".") || others.includes(name));
}
