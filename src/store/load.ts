import { existsSync, readFileSync } from "node:fs";
import { readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import Conf from "conf";
import { StewardError } from "../errors.ts";
import { storageError } from "./durable-file.ts";
import { createValidator, documentValidatorName, type Validator } from "./schemas.ts";

/** A change of a document's form, keyed in `migrations` by the format version that it leads to. */
export type Migration = (members: {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
}) => void;

/** What a document is: its name, form and defaults. */
export interface DocumentKind<T extends object> {
  /** File name without `.json`. */
  name: string;
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
  /** An absent file beside other state is damage (accounts), or just means the defaults (settings). */
  absence: "damage" | "defaults";
}

export interface Loaded<T> {
  value: T;
  /** `good`: from the last good copy, what came after it is lost. `defaults`: nothing was there. */
  origin: "file" | "good" | "defaults";
  /** Why it is not from the file; null when it is, or at a first start. */
  damage: string | null;
  /** The file has another form than `value`. */
  isMigrated: boolean;
  /** There is a file that could not be used: it is to be set aside before anything is written in its place. */
  isFileInTheWay: boolean;
}

/** Damaged files kept beside a document; the oldest go first. */
const keptFiles = 3;

/**
 * Reads a document: the file, else its last good copy, else its defaults where that is allowed. Writes nothing.
 * Throws `state_damaged`.
 */
export function loadDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  isFirstStart: boolean,
): Loaded<T> {
  const validate = validatorOf(kind);
  const present = existsSync(documentPath(directory, kind.name));
  const hasGoodCopy = existsSync(documentPath(directory, goodCopyName(kind.name)));
  if (!present && !hasGoodCopy && (isFirstStart || kind.absence === "defaults")) {
    return fromDefaults(kind, null);
  }
  const file = tryRead(directory, kind, kind.name, validate, present);
  if ("value" in file) return { ...file, origin: "file", damage: null, isFileInTheWay: false };
  const good = tryRead(directory, kind, goodCopyName(kind.name), validate, hasGoodCopy);
  if ("value" in good) return { ...good, origin: "good", damage: file.problem, isFileInTheWay: present };
  if (kind.onLoss === "rescue") throw lost(kind.name, file.problem, good.problem);
  return { ...fromDefaults(kind, file.problem), isFileInTheWay: present };
}

function fromDefaults<T extends object>(kind: DocumentKind<T>, damage: string | null): Loaded<T> {
  const value = structuredClone(kind.defaults);
  return { value, origin: "defaults", damage, isMigrated: false, isFileInTheWay: false };
}

/**
 * Reads the text of a file of a document's form through conf, which migrates it: in memory, so that it needs no disk
 * that can be written, and the file stays as it is until its migrated form is known to be good. Throws what is wrong
 * with it.
 */
export function readDocumentText<T extends object>(
  kind: DocumentKind<T>,
  text: string,
  validate: Validator = validatorOf(kind),
): { value: T; isMigrated: boolean } {
  const present = refuseNewer(JSON.parse(text), kind.formatVersion);
  const isMigrated = formatOf(present) !== kind.formatVersion;
  const conf = new (confOver(present))({
    // Looked at by nothing: without a folder conf would look for the user's own.
    cwd: "/nonexistent",
    accessPropertiesByDotNotation: false,
    projectVersion: kind.formatVersion,
    migrations: { ...kind.migrations },
  });
  const { __internal__: _, ...members } = conf.store;
  const [problem] = validate(members);
  if (problem) throw new Error(`${problem.pointer || "the document"} ${problem.detail}`);
  return { value: members as T, isMigrated };
}

/** conf over a value in memory instead of a file. */
function confOver(initial: Record<string, unknown>): typeof Conf<Record<string, unknown>> {
  let present = initial;
  return class extends Conf<Record<string, unknown>> {
    // conf changes in place what it has read, and puts back what it has changed.
    override get store(): Record<string, unknown> {
      return structuredClone(present);
    }
    override set store(next: Record<string, unknown>) {
      present = next;
    }
  };
}

/** The check of a document's form. */
export function validatorOf(kind: { name: string; schema: object }): Validator {
  return createValidator(documentValidatorName(kind.name), kind.schema);
}

/** The text of a document as conf and people read it. */
export function documentText<T extends object>(kind: DocumentKind<T>, value: T): string {
  const internal = { migrations: { version: kind.formatVersion } };
  return `${JSON.stringify({ ...value, __internal__: internal }, undefined, 2)}\n`;
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

/** Names of the damaged files kept of a document, oldest first. */
export async function keptNames(directory: string, name: string): Promise<string[]> {
  const kept = (await readdir(directory)).filter((file) => file.startsWith(`${name}.bad-`));
  return kept.sort();
}

/**
 * Moves a document's file out of the way under a name that says when; at most three are kept. Throws `storage_full`,
 * `storage_unwritable`.
 */
export async function setAside(directory: string, name: string): Promise<void> {
  await moveAside(directory, name).catch((error: unknown) => {
    throw storageError(documentPath(directory, name), error);
  });
}

async function moveAside(directory: string, name: string): Promise<void> {
  // Wall time only names the file; the count behind it keeps order and uniqueness when the clock is wrong.
  const kept = await keptNames(directory, name);
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const last = Number(/^.*\.bad-(\d+)-/.exec(kept.at(-1) ?? "")?.[1] ?? 0);
  const order = String(last + 1).padStart(6, "0");
  await rename(join(directory, `${name}.json`), join(directory, `${name}.bad-${order}-${stamp}.json`));
  for (const old of kept.slice(0, Math.max(0, kept.length + 1 - keptFiles)))
    await unlink(join(directory, old));
}

function tryRead<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  configName: string,
  validate: Validator,
  present: boolean,
): { value: T; isMigrated: boolean } | { problem: string } {
  if (!present) return { problem: `${configName}.json is missing` };
  try {
    return readDocumentText(kind, readFileSync(documentPath(directory, configName), "utf8"), validate);
  } catch (error) {
    return { problem: `${configName}.json: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function formatOf(members: { __internal__?: { migrations?: { version?: unknown } } } | null): unknown {
  return members?.__internal__?.migrations?.version;
}

function refuseNewer(parsed: unknown, formatVersion: string): Record<string, unknown> {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error("expected a JSON object");
  }
  const members = parsed as Record<string, unknown>;
  const version = formatOf(members);
  // conf would silently mark a newer file as older; a release that was rolled back must not misread it.
  if (typeof version === "string" && majorOf(version) > majorOf(formatVersion)) {
    throw new Error(`written by a newer release (format ${version}, known here: ${formatVersion})`);
  }
  return members;
}

function majorOf(version: string): number {
  return Number(version.split(".", 1)[0]);
}

function lost(name: string, file: string, good: string): StewardError {
  return new StewardError(
    "state_damaged",
    `${file}; ${good}. Nothing was deleted. See \`steward state list\`, then \`steward state restore ${name}\` or \`steward state reset ${name}\`.`,
  );
}
