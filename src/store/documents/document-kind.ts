import { tolerant } from "../validation/members.ts";
import { createValidator, documentValidatorName, type Validator } from "../validation/schemas.ts";

/**
 * A change of a document's form, keyed in `migrations` by the format version that it leads to. A new minor version only
 * adds members: a release with the former version reads the new one too, and keeps the members that it does not know. A
 * form that a former release could not read needs a new major version.
 */
export type Migration = (members: {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
}) => void;

export interface DocumentKind<T extends object> {
  /** File name without `.json`. */
  name: string;
  /** The schema of the members that this release knows; there may be others on the disk, see `tolerant`. */
  schema: object;
  /** Version of the form, `major.minor.patch`; raise it together with a migration. */
  formatVersion: string;
  migrations?: Readonly<Record<string, Migration>>;
  defaults: T;
  /** The rule if neither file nor good copy can be read. `rescue`: the agent needs it. `defaults`: it may be lost. */
  onLoss: "rescue" | "defaults";
  /** After a downgrade and an upgrade each member has the value that it was last given, by whichever release. */
  rejoins?: true;
  /** If given, the last versions are kept. True if `after` is a new version, which a sign-in does not make. */
  isNewVersion?(before: T | null, after: T): boolean;
}

/** The part of a kind that says how former forms become the present one. */
export type Migrated = Pick<DocumentKind<object>, "formatVersion" | "migrations">;

export type Members = Record<string, unknown>;

export interface Form {
  /** The document fits the schema of this version. */
  readonly version: string;
  /** The newest form whose members may be in it: a release that knows only `version` has passed them on. */
  readonly newest: string;
  /** The version that it was migrated from, while nothing has changed since: its kept bytes hold all. */
  readonly unchangedSince?: string;
}

/** The check of a document's form. Unknown members are allowed. */
export function validatorOf(kind: { name: string; schema: object }): Validator {
  return createValidator(documentValidatorName(kind.name), () => tolerantForm(kind.schema));
}

/** Made once for each schema, so that a program run from its sources compiles it once and not at each opening. */
const tolerantForms = new WeakMap<object, object>();

function tolerantForm(schema: object): object {
  const known = tolerantForms.get(schema) ?? tolerant(schema);
  tolerantForms.set(schema, known);
  return known;
}

/**
 * The text of a document, in pieces: JSON, in which each record of a list has a line of its own. A document of thousands
 * of records is thus never held as one text beside its value, and a record is found by grep.
 */
export function* documentPieces<T extends object>(
  kind: Pick<DocumentKind<T>, "formatVersion">,
  value: T,
  { version, newest, unchangedSince }: Form = { version: kind.formatVersion, newest: kind.formatVersion },
): Generator<string, void, undefined> {
  const isAhead = compareFormats(newest, version) > 0;
  const internal = {
    migrations: { version },
    ...(isAhead && { newest }),
    // JSON leaves it out if it is undefined.
    unchanged_since: unchangedSince,
  };
  let opening = "{";
  for (const [key, member] of Object.entries<unknown>({ ...value, __internal__: internal })) {
    if (member === undefined) continue;
    yield `${opening}\n  ${JSON.stringify(key)}: `;
    if (isRecords(member)) yield* recordLines(member);
    else yield JSON.stringify(member, undefined, 2).replaceAll("\n", "\n  ");
    opening = ",";
  }
  yield "\n}\n";
}

/** The same in one. */
export function documentText<T extends object>(...given: Parameters<typeof documentPieces<T>>): string {
  return [...documentPieces(...given)].join("");
}

/** Records of one piece: some 50 KB. */
const recordsOfPiece = 100;

function* recordLines(records: readonly object[]): Generator<string, void, undefined> {
  yield "[\n    ";
  for (let index = 0; index < records.length; index += recordsOfPiece) {
    const some = records.slice(index, index + recordsOfPiece).map((record) => JSON.stringify(record));
    yield `${index === 0 ? "" : ",\n    "}${some.join(",\n    ")}`;
  }
  yield "\n  ]";
}

function isRecords(member: unknown): member is readonly object[] {
  return (
    Array.isArray(member) &&
    member.length > 0 &&
    member.every((one) => typeof one === "object" && one !== null)
  );
}

/**
 * Bytes of a document's file: 30,000 accounts with second factors, and a quarter of the memory that the unit allows. A
 * larger one is not read, so it must not be written either.
 */
export const mostDocumentBytes = 32 * 1024 * 1024;

/** Bytes from which on a document is large: each copy of it is a write worth sparing. */
export const largeBytes = 64 * 1024;

/** The form that a document's file declares; a file that declares none is older than any. */
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

/** The members of a document's file that are its value. */
export function withoutInternal(stored: object): object {
  const { __internal__: _, ...members } = stored as { __internal__?: unknown };
  return members;
}

/** Negative if `one` is the older format version. */
export function compareFormats(one: string, other: string): number {
  const [left, right] = [one.split("."), other.split(".")];
  const index = [0, 1, 2].find((place) => Number(left[place]) !== Number(right[place]));
  return index === undefined ? 0 : Number(left[index]) - Number(right[index]);
}

export function isSameMajor(one: string, other: string): boolean {
  return one.split(".", 1)[0] === other.split(".", 1)[0];
}

/**
 * The path of a document. It does not use join(), which goes through each path letter by letter: a start has so many
 * paths that V8 compiles it with the optimising compiler, and 3.6 MiB of that stay in memory.
 */
export function documentPath(directory: string, name: string): string {
  return `${directory}/${name}.json`;
}

export function goodCopyName(name: string): string {
  return `${name}.good`;
}

function asVersion(value: unknown): string | undefined {
  return typeof value === "string" && /^\d+\.\d+\.\d+$/.test(value) ? value : undefined;
}
