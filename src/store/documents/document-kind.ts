import { tolerant } from "../validation/members.ts";
import { createValidator, documentValidatorName, type Validator } from "../validation/schemas.ts";

/**
 * A change of a document's form, keyed in `migrations` by the format version that it leads to. A new minor version only
 * adds members: a release that knows the former one reads the new one too, and keeps what it does not know. Whatever a
 * former release could not read needs a new major version.
 */
export type Migration = (members: {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
}) => void;

/** What a document is: its name, form and defaults. */
export interface DocumentKind<T extends object> {
  /** File name without `.json`. */
  name: string;
  /** Of the members that this release knows; on the disk there may be others, see `tolerant`. */
  schema: object;
  /** Version of the form, `major.minor.patch`; raise it together with a migration. */
  formatVersion: string;
  migrations?: Readonly<Record<string, Migration>>;
  defaults: T;
  /**
   * What to do when neither the file nor its good copy can be read: `rescue` keeps the agent from going on without
   * what it must not forget; `defaults` is for what may be forgotten.
   */
  onLoss: "rescue" | "defaults";
  /** Given: the last versions are kept. Says whether `after` is another one, which a sign-in does not make. */
  isNewVersion?(before: T | null, after: T): boolean;
}

/** The form that a document is written in. */
export interface Form {
  /** It fits the schema of this version. */
  readonly version: string;
  /** The newest form whose members may be in it: a release that knows only `version` has passed them on. */
  readonly newest: string;
  /** The version that it was migrated from, as long as nothing was changed since: its kept bytes hold all that this does. */
  readonly unchangedSince?: string;
}

/** The check of a document's form: members that are not known here are left alone. */
export function validatorOf(kind: { name: string; schema: object }): Validator {
  return createValidator(documentValidatorName(kind.name), () => tolerantForm(kind.schema));
}

/** Made once for each schema: a program run from its sources then compiles it once, and not at each opening. */
const tolerantForms = new WeakMap<object, object>();

function tolerantForm(schema: object): object {
  const known = tolerantForms.get(schema) ?? tolerant(schema);
  tolerantForms.set(schema, known);
  return known;
}

/** The text of a document as conf and people read it. */
export function documentText<T extends object>(
  kind: Pick<DocumentKind<T>, "formatVersion">,
  value: T,
  { version, newest, unchangedSince }: Form = { version: kind.formatVersion, newest: kind.formatVersion },
): string {
  const isAhead = compareFormats(newest, version) > 0;
  const internal = {
    migrations: { version },
    ...(isAhead && { newest }),
    // Left out by JSON where it is undefined.
    unchanged_since: unchangedSince,
  };
  return `${JSON.stringify({ ...value, __internal__: internal }, undefined, 2)}\n`;
}

/**
 * Bytes of a document's file: 30,000 accounts with second factors, and a quarter of the memory that the unit allows. A
 * larger one is not read, so it must not be written either.
 */
export const mostDocumentBytes = 32 * 1024 * 1024;

/** The form that a document's file says it has; one that says nothing is older than any. */
export function formOf(members: object): Form {
  const { __internal__: internal } = members as {
    __internal__?: { migrations?: { version?: unknown }; newest?: unknown; unchanged_since?: unknown } | null;
  };
  const version = asVersion(internal?.migrations?.version) ?? "0.0.0";
  const newest = asVersion(internal?.newest) ?? version;
  const isAhead = isSameMajor(newest, version) && compareFormats(newest, version) > 0;
  const unchangedSince = asVersion(internal?.unchanged_since);
  return {
    version,
    newest: isAhead ? newest : version,
    ...(unchangedSince !== undefined && { unchangedSince }),
  };
}

/** Negative: `one` is the older format version. */
export function compareFormats(one: string, other: string): number {
  const [left, right] = [one.split("."), other.split(".")];
  const index = [0, 1, 2].find((place) => Number(left[place]) !== Number(right[place]));
  return index === undefined ? 0 : Number(left[index]) - Number(right[index]);
}

export function isSameMajor(one: string, other: string): boolean {
  return one.split(".", 1)[0] === other.split(".", 1)[0];
}

/**
 * Where a document lies. Not by join(), which walks each path letter by letter: at a start there are so many that V8
 * sets its optimising compiler to it, and the 3.6 MiB of that stay in memory.
 */
export function documentPath(directory: string, name: string): string {
  return `${directory}/${name}.json`;
}

/** The name that a document's last good copy goes by. */
export function goodCopyName(name: string): string {
  return `${name}.good`;
}

function asVersion(value: unknown): string | undefined {
  return typeof value === "string" && /^\d+\.\d+\.\d+$/.test(value) ? value : undefined;
}
