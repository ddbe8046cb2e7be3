import { ifAbsent, messageOf } from "../../contract/errors.ts";
import { NotRegular, readRegularSync } from "../files/regular-file.ts";
import { unknownMembers } from "../validation/members.ts";
import type { Validator } from "../validation/schemas.ts";
import {
  compareFormats,
  type DocumentKind,
  documentPath,
  type Form,
  formOf,
  isSameMajor,
  type Members,
  type Migrated,
  mostDocumentBytes,
  validatorOf,
  withoutInternal,
} from "./document-kind.ts";

/** A usable file of a document's form. */
export interface Usable<T> {
  readonly value: T;
  readonly form: Form;
  /** The file before it was migrated; null: it has the present form, or a newer one that can be read here. */
  readonly former: { readonly version: string; readonly text: string } | null;
}

export interface Unusable {
  readonly problem: string;
  readonly why: "absent" | "damaged" | "newer";
  /** The file is newer, and the bytes kept in this version hold all of it. */
  readonly unchangedSince?: string;
}

/**
 * Reads one file of a document's form, and writes nothing: a former form is migrated in memory. Of a newer minor
 * version the known members are read, and the others are kept; a newer major version cannot be used.
 */
export async function readForm<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  configName: string,
  validate: Validator = validatorOf(kind),
): Promise<Usable<T> | Unusable> {
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
    const value = checked<T>(await inPresentForm(members, kind, form), validate);
    if (ahead === 0) return { value, form, former: null };
    const newest = compareFormats(form.newest, kind.formatVersion) > 0 ? form.newest : kind.formatVersion;
    const former = { version: form.version, text };
    return { value, form: { version: kind.formatVersion, newest }, former };
  } catch (error) {
    if (newer !== null) return tooNew(configName, kind, newer, error);
    const problem =
      error instanceof NotRegular
        ? `${configName}.json ${error.reason}`
        : `${configName}.json: ${messageOf(error)}`;
    return { problem, why: "damaged" };
  }
}

/** null: absent. Only this read decides it: a missing file of the program must not look like a missing document. */
function textOf(path: string): string | null {
  try {
    return readRegularSync(path, mostDocumentBytes).toString("utf8");
  } catch (error) {
    return ifAbsent(error);
  }
}

/** The package that migrates is loaded for a document that needs it, which a start seldom finds. */
async function inPresentForm(members: Members, kind: Migrated, form: Form): Promise<Members> {
  const isPresent = form.version === kind.formatVersion && form.newest === form.version;
  return isPresent ? members : (await import("./migrate.ts")).migrated(members, kind, form);
}

function checked<T extends object>(stored: object, validate: Validator): T {
  const members = withoutInternal(stored);
  const [problem] = validate(members);
  if (problem) throw new Error(`${problem.pointer || "the document"} ${problem.detail}`);
  return members as T;
}

/** No release writes a file without a format, so an unknown member in it is a mistake. */
function refuseStrangers(kind: { schema: object }, members: object): void {
  if ("__internal__" in members) return;
  const [stranger] = unknownMembers(kind.schema, members);
  if (stranger !== undefined) throw new Error(`${stranger} is not a member known here`);
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
