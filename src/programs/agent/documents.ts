import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { usedCodesKind } from "../../auth/second-factor/used-codes.ts";
import { sessionsKind } from "../../auth/sessions/session.ts";
import { attemptsKind } from "../../auth/throttle/attempt-record.ts";
import { apiTokensKind } from "../../auth/tokens/api-token.ts";
import { clockRecordKind } from "../../clock/trust/clock-record.ts";
import { type InputError, StewardError } from "../../contract/errors.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { Settings, SettingsChange, Trouble } from "../../contract/types.ts";
import { openEventLog } from "../../journal/events/event-log.ts";
import { keptFiles } from "../../journal/logs/kept-lines.ts";
import type { Log } from "../../journal/logs/log.ts";
import { mergeSettings } from "../../settings/changes.ts";
import { settingsErrors } from "../../settings/rules.ts";
import { settingsKind } from "../../settings/settings.ts";
import { type Document, type OpenedDocument, openDocument } from "../../store/documents/document.ts";
import { type DocumentKind, validatorOf } from "../../store/documents/document-kind.ts";
import { readDocument } from "../../store/documents/memory-document.ts";
import { openRegister } from "../../store/documents/register.ts";
import { type Disk, openDisk } from "../../store/files/disk.ts";
import { unusableDirectory } from "../../store/files/durable-file.ts";
import { createReserve } from "../../store/files/reserve.ts";
import { unknownMembers } from "../../store/validation/members.ts";
import type { HealthCheck } from "../../system/health.ts";
import { updateRecordKind } from "../../updates/update-record.ts";
import { accountsKind } from "../../users/account.ts";
import { beforeRegister, tellFindings, troublesOf } from "./state.ts";

/** The documents of the state directory. */
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
  /** Whether a release of this program is on trial, which the one before may have to follow. */
  isOnTrial?: () => Promise<boolean>;
}

/** Every document, in the order in which they may first come to the disk, and the register and the events beside them. */
async function openDocuments(config: StateConfig, now: () => Date) {
  const { stateDirectory: directory, initialSettings, log, readsOnly } = config;
  const openOne = readsOnly ? readDocument : openDocument;
  const reserve = createReserve(directory);
  const disk = await openDisk(directory, reserve);
  const isEmptyDirectory = await isEmpty(directory);
  const register = await openRegister(directory, isEmptyDirectory ? [] : beforeRegister, { readsOnly });
  const openKind = <T extends object>(
    kind: DocumentKind<T>,
    isFirstStart: boolean,
    after?: OpenedDocument<object>,
  ) =>
    openOne(directory, kind, {
      ...{ reserve, isFirstStart, after, isOnTrial: config.isOnTrial },
      found: (finding) => register.add(kind.name, finding),
    });
  // Accounts first, also where the disk takes no write before later: beside other state, absent ones would be damage.
  const users = await openKind(accountsKind, isEmptyDirectory);
  const after = isEmptyDirectory ? users : undefined;
  const open = <T extends object>(kind: DocumentKind<T>) =>
    openKind(kind, isEmptyDirectory || !register.isKnown(kind.name), after);
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
  return { documents, events, register, disk };
}

/** Opens every document under the caller's lock, or to be read. Throws `state_damaged`, `storage_unwritable`. */
export async function openState(config: StateConfig, now: () => Date) {
  const { log } = config;
  const { documents, events, register, disk } = await openDocuments(config, now);
  await register.know(Object.values(documents).map(({ name }) => name));
  const lost = await tellFindings(register, events);
  const troubleOf = troublesOf(
    Object.values(documents).map((document) => ({
      name: document.name,
      trouble: () => documentTrouble(document, disk),
    })),
    register,
  );
  const disks = { name: "disk", code: "disk", isFailure: true, trouble: () => disk.trouble() } as const;
  const checks: readonly HealthCheck[] = [disks, ...troubleOf.checks];
  for (const { name, trouble } of checks) {
    const found = trouble();
    if (found !== null)
      log("warning", "a document needs attention", { document: name, detail: found.detail });
  }
  observeDisk(disk, log);
  // A finding of a start on a read-only disk would be forgotten at the next one: by then the damage is mended.
  disk.observe(() => register.settle());
  return {
    ...documents,
    events,
    register,
    // That of updates says more than how its document is.
    checks: [
      ...checks.filter(({ name }) => name !== updateRecordKind.name),
      { name: "events", code: "event_log" as const, trouble: () => events.trouble() },
    ],
    disk,
    /** What a person should know of the record of updates; null when all is well. */
    updatesTrouble: () => troubleOf.named(updateRecordKind.name),
    /** This start found that something may be missing in the document. */
    hasLost: (document: Pick<Document<object>, "name">) => lost.has(document.name),
    close: async () => {
      disk.stop();
      await events.close();
      for (const document of Object.values(documents)) await document.close();
    },
  };
}

/** What is wrong with the disk is said once, and not by each document that waits for it. */
function documentTrouble(document: OpenedDocument<object>, disk: Disk): Trouble | null {
  if (document.failure() === null || disk.trouble() === null) return document.trouble();
  const detail = `${document.name}.json waits in memory until it can be written: see the check "disk".`;
  return { code: "document_waiting", facts: { document: document.name }, detail };
}

function observeDisk(disk: Disk, log: Log): void {
  let said = disk.trouble() !== null;
  disk.observe(() => {
    const found = disk.trouble();
    if ((found !== null) === said) return;
    said = found !== null;
    if (found !== null) log("warning", "the disk needs attention", { detail: found.detail });
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
  // Unlike a file of ours, which a newer release may have written, it holds nothing that is not known here.
  const errors = [...strangers(merged), ...validate(merged)];
  if (errors.length === 0) errors.push(...settingsErrors(merged));
  const [first] = errors;
  if (!first) return merged;
  throw new StewardError(
    "validation_failed",
    `The initial settings are not valid: ${first.pointer} ${first.detail}`,
  );
}

function strangers(settings: Settings): InputError[] {
  const detail = "is not a member known here";
  return unknownMembers(settingsSchema, settings).map((pointer) => ({
    pointer,
    code: "unknown_field",
    detail,
  }));
}

/** True when no state has ever been here. Our lock and reserve, and a file system's own directory, are no state. */
async function isEmpty(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch((cause: unknown) => {
    throw unusableDirectory(directory, cause);
  });
  const others: readonly string[] = ["lost+found", keptFiles.present, keptFiles.former];
  return names.every((name) => name.startsWith(".") || others.includes(name));
}
