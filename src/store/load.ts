import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import Conf from "conf";
import { StewardError } from "../errors.ts";
import { storageError, temporaryPrefix } from "./durable-file.ts";
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
}

/** Damaged files kept beside a document; the oldest go first. */
const keptFiles = 3;

/**
 * Reads a document: the file, else its last good copy, else its defaults where that is allowed.
 * A file that cannot be used is set aside, never wiped. Throws `state_damaged`.
 */
export async function loadDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  isFirstStart: boolean,
): Promise<Loaded<T>> {
  const validate = validatorOf(kind);
  const present = existsSync(documentPath(directory, kind.name));
  const hasGoodCopy = existsSync(documentPath(directory, goodCopyName(kind.name)));
  if (!present && !hasGoodCopy && (isFirstStart || kind.absence === "defaults")) {
    return { value: structuredClone(kind.defaults), origin: "defaults", damage: null, isMigrated: false };
  }
  const file = tryRead(directory, kind, kind.name, validate, present);
  if ("value" in file) return { ...file, origin: "file", damage: null };
  const good = tryRead(directory, kind, goodCopyName(kind.name), validate, hasGoodCopy);
  if ("value" in good) {
    if (present) await setAside(directory, kind.name);
    return { ...good, origin: "good", damage: file.problem };
  }
  if (kind.onLoss === "rescue") throw lost(kind.name, file.problem, good.problem);
  if (present) await setAside(directory, kind.name);
  return {
    value: structuredClone(kind.defaults),
    origin: "defaults",
    damage: file.problem,
    isMigrated: false,
  };
}

/**
 * Reads one file of a document's form through conf, which migrates it and writes it where it migrates, also when it
 * then turns out to be unusable. Throws what is wrong with it.
 */
export function readThroughConf<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  configName: string,
  validate: Validator = validatorOf(kind),
): T {
  const conf = new Conf<Record<string, unknown>>({
    cwd: directory,
    configName,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    projectVersion: kind.formatVersion,
    migrations: { ...kind.migrations },
    deserialize: (text) => refuseNewer(JSON.parse(text), kind.formatVersion),
  });
  const { __internal__: _, ...members } = conf.store;
  const [problem] = validate(members);
  if (problem) throw new Error(`${problem.pointer || "the document"} ${problem.detail}`);
  return members as T;
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

/** Moves a document's file out of the way under a name that says when; at most three are kept. */
export async function setAside(directory: string, name: string): Promise<void> {
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
  const path = documentPath(directory, configName);
  if (!present) return { problem: `${configName}.json is missing` };
  try {
    if (isOfFormat(path, kind.formatVersion)) {
      return { value: readThroughConf(directory, kind, configName, validate), isMigrated: false };
    }
    // The file itself stays as it is, byte for byte, until its migrated form is known to be good.
    const scratch = copyToScratch(path, configName);
    try {
      return { value: readThroughConf(scratch, kind, configName, validate), isMigrated: true };
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  } catch (error) {
    if (error instanceof StewardError) throw error;
    return { problem: `${configName}.json: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** False when conf would write the file; what cannot be parsed it does not touch. */
function isOfFormat(path: string, formatVersion: string): boolean {
  try {
    return formatOf(JSON.parse(readFileSync(path, "utf8"))) === formatVersion;
  } catch {
    return true;
  }
}

/** A directory of its own beside the file, with a copy of it. Throws `storage_full`, `storage_unwritable`. */
function copyToScratch(path: string, configName: string): string {
  try {
    const scratch = mkdtempSync(temporaryPrefix(path));
    copyFileSync(path, join(scratch, `${configName}.json`));
    return scratch;
  } catch (error) {
    throw storageError(path, error);
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
