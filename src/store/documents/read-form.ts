import Conf from "conf";
import { systemErrorCode } from "../../contract/errors.ts";
import { NotRegular, readRegularSync } from "../files/regular-file.ts";
import { filledIn, unknownMembers } from "../validation/members.ts";
import type { Validator } from "../validation/schemas.ts";
import {
  compareFormats,
  type DocumentKind,
  documentPath,
  type Form,
  formOf,
  isSameMajor,
  mostDocumentBytes,
  validatorOf,
} from "./document-kind.ts";

/** A file of a document's form that can be used. */
export interface Usable<T> {
  readonly value: T;
  readonly form: Form;
  /** The file as it was before it was migrated; null: it has the present form, or a newer one that is known enough. */
  readonly former: { readonly version: string; readonly text: string } | null;
}

/** Why a file cannot be used. */
export interface Unusable {
  readonly problem: string;
  readonly why: "absent" | "damaged" | "newer";
  /** Newer, and all of it is in what was kept in this version. */
  readonly unchangedSince?: string;
}

/**
 * Reads one file of a document's form, and writes nothing: a former form is migrated in memory. A newer minor version of
 * the form is read as far as it is known here, the rest of it is kept; a newer major version cannot be used.
 */
export function readForm<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  configName: string,
  validate: Validator = validatorOf(kind),
): Usable<T> | Unusable {
  let newer: Form | null = null;
  try {
    const text = textOf(documentPath(directory, configName));
    if (text === null) return { problem: `${configName}.json is missing`, why: "absent" };
    const members = parsed(text);
    refuseStrangers(kind, members);
    const form = formOf(members);
    const ahead = compareFormats(form.version, kind.formatVersion);
    if (ahead > 0) newer = form;
    if (ahead > 0 && !isSameMajor(form.version, kind.formatVersion)) return tooNew(configName, kind, form);
    if (ahead > 0) return { value: checked<T>(members, validate), form, former: null };
    const value = checked<T>(migrated(members, kind, form), validate);
    if (ahead === 0) return { value, form, former: null };
    const newest = compareFormats(form.newest, kind.formatVersion) > 0 ? form.newest : kind.formatVersion;
    return { value, form: { version: kind.formatVersion, newest }, former: { version: form.version, text } };
  } catch (error) {
    if (newer !== null) return tooNew(configName, kind, newer, error);
    const problem =
      error instanceof NotRegular
        ? `${configName}.json ${error.reason}`
        : `${configName}.json: ${messageOf(error)}`;
    return { problem, why: "damaged" };
  }
}

/** null: absent. Only this read tells so: a missing file of the program must not look like a missing document. */
function textOf(path: string): string | null {
  try {
    return readRegularSync(path, mostDocumentBytes).toString("utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

type Migrated = Pick<DocumentKind<object>, "formatVersion" | "migrations">;

function migrated(members: Members, kind: Migrated, form: Form): Members {
  if (compareFormats(form.newest, form.version) <= 0) return throughConf(members, kind);
  // It was in a newer form before, and a release that knew only this one has passed on what it did not know.
  const isKnown = compareFormats(form.newest, kind.formatVersion) <= 0;
  const reached = isKnown ? form.newest : kind.formatVersion;
  const again = throughConf(members, { ...kind, formatVersion: reached });
  const filled = filledIn(withoutInternal(members), withoutInternal(again)) as Members;
  return throughConf({ ...filled, __internal__: { migrations: { version: reached } } }, kind);
}

type Members = Record<string, unknown>;

/** Members as conf has them after its migrations: in memory, so that it needs no disk that can be written. */
function throughConf(members: Members, { formatVersion, migrations }: Migrated): Members {
  const conf = new (confOver(members))({
    // Looked at by nothing: without a folder conf would look for the user's own.
    cwd: "/nonexistent",
    accessPropertiesByDotNotation: false,
    projectVersion: formatVersion,
    migrations: { ...migrations },
  });
  return conf.store;
}

/** conf over a value in memory instead of a file. */
function confOver(initial: Members): typeof Conf<Members> {
  let present = initial;
  return class extends Conf<Members> {
    // conf changes in place what it has read, and puts back what it has changed.
    override get store(): Members {
      return structuredClone(present);
    }
    override set store(next: Members) {
      present = next;
    }
  };
}

function checked<T extends object>(stored: object, validate: Validator): T {
  const members = withoutInternal(stored);
  const [problem] = validate(members);
  if (problem) throw new Error(`${problem.pointer || "the document"} ${problem.detail}`);
  return members as T;
}

/** What names no format was written by no release, so that a member which is not known here is a mistake. */
function refuseStrangers(kind: { schema: object }, members: object): void {
  if ("__internal__" in members) return;
  const [stranger] = unknownMembers(kind.schema, members);
  if (stranger !== undefined) throw new Error(`${stranger} is not a member known here`);
}

function withoutInternal(stored: object): object {
  const { __internal__: _, ...members } = stored as { __internal__?: unknown };
  return members;
}

function parsed(text: string): Members {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new Error("expected a JSON object");
}

function tooNew(
  configName: string,
  kind: { formatVersion: string },
  { version, unchangedSince }: Form,
  cause?: unknown,
): Unusable {
  const why = cause === undefined ? "" : `, and does not fit: ${messageOf(cause)}`;
  const problem = `${configName}.json was written by a newer release (format ${version}, known here: ${kind.formatVersion}${why})`;
  return { problem, why: "newer", ...(unchangedSince !== undefined && { unchangedSince }) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
