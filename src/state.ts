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
import { type Disk, openDisk } from "./store/disk.ts";
import { type OpenedDocument, openDocument } from "./store/document.ts";
import { unusableDirectory } from "./store/durable-file.ts";
import { type DocumentKind, validatorOf } from "./store/load.ts";
import { readDocument } from "./store/memory-document.ts";
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
  /** Without the lock: nothing is written. */
  readsOnly?: boolean | undefined;
}

/** Opens every document under the caller's lock, or to be read. Throws `state_damaged`, `storage_unwritable`. */
export async function openState(config: StateConfig, now: () => Date) {
  const { stateDirectory: directory, initialSettings, log, readsOnly } = config;
  const openOne = readsOnly ? readDocument : openDocument;
  const reserve = createReserve(directory);
  const disk = await openDisk(directory, reserve);
  const options = { isFirstStart: await isEmpty(directory), reserve };
  // Accounts first, also where the disk takes no write before later: beside other state, absent ones would be damage.
  const users = await openOne(directory, accountsKind, options);
  const after = options.isFirstStart ? users : undefined;
  const open = <T extends object>(kind: DocumentKind<T>) => openOne(directory, kind, { ...options, after });
  const [settings, sessions, attempts, tokens, usedCodes, clock, updates, events] = await Promise.all([
    open(settingsKind(defaultSettings(initialSettings))),
    open(sessionsKind),
    open(attemptsKind),
    open(apiTokensKind),
    open(usedCodesKind),
    open(clockRecordKind),
    open(updateRecordKind),
    openEventLog({ directory: join(directory, "events"), log, now, reserve, readsOnly }),
  ]);
  const documents = { users, settings, sessions, attempts, tokens, usedCodes, clock, updates };
  const checks: HealthCheck[] = [{ name: "disk", trouble: () => disk.trouble() }];
  for (const document of Object.values(documents)) {
    checks.push({ name: document.name, trouble: () => documentTrouble(document, disk) });
  }
  for (const { name, trouble } of checks) {
    const detail = trouble();
    if (detail !== null) log("warning", "a document needs attention", { document: name, detail });
  }
  observeDisk(disk, log);
  return {
    ...documents,
    events,
    // That of updates says more than how its document is.
    checks: [
      ...checks.filter(({ name }) => name !== updateRecordKind.name),
      { name: "events", trouble: () => events.trouble() },
    ],
    disk,
    close: async () => {
      disk.stop();
      await events.close();
      for (const document of Object.values(documents)) await document.close();
    },
  };
}

/** What is wrong with the disk is said once, and not by each document that waits for it. */
function documentTrouble(document: OpenedDocument<object>, disk: Disk): string | null {
  if (document.failure() === null || disk.trouble() === null) return document.trouble();
  return `${document.name}.json waits in memory until it can be written: see the check "disk".`;
}

function observeDisk(disk: Disk, log: Log): void {
  let said = disk.trouble() !== null;
  disk.observe(() => {
    const detail = disk.trouble();
    if ((detail !== null) === said) return;
    said = detail !== null;
    if (detail !== null) log("warning", "the disk needs attention", { detail });
    else log("notice", "the disk can be written and has space again");
  });
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
  const names = await readdir(directory).catch((cause: unknown) => {
    throw unusableDirectory(directory, cause);
  });
  const others: readonly string[] = ["lost+found", keptFiles.present, keptFiles.former];
  return names.every((name) => name.startsWith(".") || others.includes(name));
}
