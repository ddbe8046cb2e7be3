import { readdirSync } from "node:fs";
import { usedCodesKind } from "../../accounts/second-factor/used-codes.ts";
import { sessionsKind } from "../../accounts/sessions/session.ts";
import { throttleRecordKind } from "../../accounts/throttle/throttle-record.ts";
import { apiTokensKind } from "../../accounts/tokens/api-token.ts";
import { accountsKind } from "../../accounts/users/account.ts";
import { clockRecordKind } from "../../clock/trust/clock-record.ts";
import { documentNames } from "../../contract/document-names.ts";
import { type InputError, StewardError } from "../../contract/errors.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { Settings, SettingsChange } from "../../contract/types.ts";
import { historyFile } from "../../figures/history/file-name.ts";
import { keptFiles } from "../../journal/logs/kept-lines.ts";
import { outboxKind } from "../../outbox/cursors.ts";
import { receiverSecretsKind } from "../../outbox/receiver-secrets.ts";
import { updateRecordKind } from "../../releases/update-record.ts";
import { type OpenedDocument, openDocument } from "../../store/documents/document.ts";
import { type DocumentKind, validatorOf } from "../../store/documents/document-kind.ts";
import { readDocument } from "../../store/documents/memory-document.ts";
import { Register, readRegister } from "../../store/documents/register.ts";
import { Disk } from "../../store/files/disk.ts";
import { unusableDirectory } from "../../store/files/durable-file.ts";
import { createReserve } from "../../store/files/reserve.ts";
import type { StoreTime } from "../../store/files/store-time.ts";
import { unknownMembers } from "../../store/validation/members.ts";
import { mergeSettings } from "../../system/settings/changes.ts";
import { settingsErrors } from "../../system/settings/rules.ts";
import { settingsKind } from "../../system/settings/settings.ts";
import type { RoomsConfig } from "./config.ts";

/** Opened when they are first needed. */
const lateKinds: readonly DocumentKind<object>[] = [receiverSecretsKind, outboxKind];

export function documentKinds(initialSettings: SettingsChange): readonly DocumentKind<object>[] {
  const settings = settingsKind(defaultSettings(initialSettings));
  const ofSignIn = [sessionsKind, throttleRecordKind, apiTokensKind, usedCodesKind];
  return [accountsKind, settings, ...ofSignIn, clockRecordKind, updateRecordKind, ...lateKinds];
}

/** The documents of a directory with state whose absence is damage: all of them, where it has lost its register. */
export async function knownDocuments(directory: string): Promise<ReadonlySet<string>> {
  const { documents } = (await readRegister(directory)) ?? { documents: documentNames };
  return new Set([accountsKind.name, ...documents]);
}

interface DocumentsConfig extends Pick<RoomsConfig, "stateDirectory" | "initialSettings" | "readsOnly"> {
  /** Resolves to true while a release of this program is on trial, which the one before may have to replace. */
  readonly isOnTrial?: () => Promise<boolean>;
  readonly time?: StoreTime;
}

/** Opens every document and the register, in the order of writing. Throws `state_damaged` and `storage_unwritable`. */
export async function openDocuments(config: DocumentsConfig) {
  const { stateDirectory: directory, initialSettings, readsOnly, isOnTrial, time } = config;
  const reserve = createReserve(directory);
  const disk = Disk.open(directory, reserve, time);
  const names = namesIn(directory);
  const isEmptyDirectory = isEmpty(names);
  const register = await Register.open(directory, isEmptyDirectory ? [] : documentNames, {
    readsOnly,
    names,
    time,
  });
  const common = { reserve, names, isOnTrial, time };
  const openKind = <T extends object>(
    kind: DocumentKind<T>,
    isFirstStart: boolean,
    after?: OpenedDocument<object>,
  ) =>
    (readsOnly ? readDocument : openDocument)(directory, kind, {
      ...common,
      isFirstStart,
      after,
      found: (finding) => register.add(kind.name, finding),
      // Its finding is over. The disk may not take that yet.
      rejoined: () => register.accept(kind.name).catch(() => undefined),
    });
  // Accounts first, also if the disk takes no write until later: beside other state, absent accounts would be damage.
  const users = await openKind(accountsKind, isEmptyDirectory);
  const open = <T extends object>(kind: DocumentKind<T>) =>
    openKind(kind, isEmptyDirectory || !register.isKnown(kind.name), isEmptyDirectory ? users : undefined);
  const [settings, sessions, attempts, tokens, usedCodes, clock, updates] = await Promise.all([
    open(settingsKind(defaultSettings(initialSettings))),
    open(sessionsKind),
    open(throttleRecordKind),
    open(apiTokensKind),
    open(usedCodesKind),
    open(clockRecordKind),
    open(updateRecordKind),
  ]);
  const documents = { users, settings, sessions, attempts, tokens, usedCodes, clock, updates };
  await register.know(Object.values(documents).map(({ name }) => name));
  const openLater: OpenLater = async (kind) => {
    const opened = await openKind(kind, !register.isKnown(kind.name));
    await register.know([kind.name]);
    return opened;
  };
  return { documents, register, disk, reserve, openLater };
}

/** Opens one of the documents that most devices never have, and knows it from then on. Throws `state_damaged`. */
export type OpenLater = <T extends object>(kind: DocumentKind<T>) => Promise<OpenedDocument<T>>;

export type Documents = Awaited<ReturnType<typeof openDocuments>>;

/**
 * The contract's defaults with the initial settings of this product. Throws `validation_failed` if these do not fit.
 */
export function defaultSettings(initialSettings: SettingsChange): Settings {
  const validate = validatorOf({ name: "settings", schema: settingsSchema });
  const defaults = {} as Settings;
  validate(defaults);
  const merged = mergeSettings(defaults, initialSettings);
  // A newer release may have written files of the state, but not this one, so an unknown member is a mistake.
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
  const strange = { code: "unknown_field", detail };
  return unknownMembers(settingsSchema, settings).map((pointer) => ({ pointer, ...strange }));
}

/** Listed once, before anything is served. Throws `storage_unwritable`. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    throw unusableDirectory(directory, cause);
  }
}

/** True if there has never been state here. The lock, the reserve and a file system's own directory are no state. */
function isEmpty(names: readonly string[]): boolean {
  const others: readonly string[] = ["lost+found", historyFile, keptFiles.present, keptFiles.former];
  return names.every((name) => name.startsWith(".") || others.includes(name));
}
