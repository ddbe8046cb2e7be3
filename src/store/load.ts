import { existsSync } from "node:fs";
import { readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import Conf from "conf";
import { StewardError } from "../errors.ts";
import { createValidator, type Validator } from "./schemas.ts";

/** A change of a document's form, keyed in `migrations` by the format version that it leads to. */
export type Migration = (members: {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
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
  const validate = createValidator(kind.schema);
  const present = existsSync(join(directory, `${kind.name}.json`));
  const hasGoodCopy = existsSync(join(directory, goodCopyName(kind.name)));
  if (!present && !hasGoodCopy && (isFirstStart || kind.absence === "defaults")) {
    return { value: structuredClone(kind.defaults), origin: "defaults", damage: null };
  }
  const file = tryRead(directory, kind, kind.name, validate, present);
  if ("value" in file) return { value: file.value, origin: "file", damage: null };
  const good = tryRead(directory, kind, `${kind.name}.good`, validate, hasGoodCopy);
  if ("value" in good) {
    if (present) await setAside(directory, kind.name);
    return { value: good.value, origin: "good", damage: file.problem };
  }
  if (kind.onLoss === "rescue") throw lost(kind.name, file.problem, good.problem);
  if (present) await setAside(directory, kind.name);
  return { value: structuredClone(kind.defaults), origin: "defaults", damage: file.problem };
}

/** Reads one file of a document's form through conf, which migrates it. Throws what is wrong with it. */
export function readThroughConf<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  configName: string,
  validate: Validator = createValidator(kind.schema),
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

/** The text of a document as conf and people read it. */
export function documentText<T extends object>(kind: DocumentKind<T>, value: T): string {
  const internal = { migrations: { version: kind.formatVersion } };
  return `${JSON.stringify({ ...value, __internal__: internal }, undefined, 2)}\n`;
}

export function goodCopyName(name: string): string {
  return `${name}.good.json`;
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
): { value: T } | { problem: string } {
  if (!present) return { problem: `${configName}.json is missing` };
  try {
    return { value: readThroughConf(directory, kind, configName, validate) };
  } catch (error) {
    return { problem: `${configName}.json: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function refuseNewer(parsed: unknown, formatVersion: string): Record<string, unknown> {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error("expected a JSON object");
  }
  const members = parsed as Record<string, unknown>;
  const internal = members.__internal__ as { migrations?: { version?: unknown } } | undefined;
  const version = internal?.migrations?.version;
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
