import { lstat, readdir } from "node:fs/promises";
import { ifAbsent, StewardError } from "../../contract/errors.ts";
import { writeDurably } from "../files/durable-file.ts";
import { takeLock } from "../files/lock.ts";
import { withoutSecrets } from "../validation/secrets.ts";
import {
  compareFormats,
  type DocumentKind,
  documentPath,
  documentText,
  type Form,
  goodCopyName,
} from "./document-kind.ts";
import { formCopyName, formVersions, keptNames, markOf, setAside, versionNames } from "./kept-files.ts";
import { readForm, type Usable } from "./read-form.ts";
import { readRegister } from "./register.ts";

export interface StateEntry {
  name: string;
  condition: "ok" | "damaged" | "absent";
  /** Only this release cannot use it: a newer one has written it. */
  is_newer: boolean;
  /** The damage; empty if there is none. */
  detail: string;
  /** Findings of a start that are not accepted yet. */
  findings: readonly string[];
  /** Version of its form; null: it cannot be read. */
  format: string | null;
  size_bytes: number | null;
  modified_at: string | null;
  /** The time at which the last good copy was written; null: there is none. */
  good_copy_at: string | null;
  /** File names of damaged versions kept beside it, oldest first. */
  kept: readonly string[];
  versions: number;
}

export interface StateCopy {
  /** The name of the copy for `restore` and `show`: `good`, or its file name. */
  from: string;
  what: "good copy" | "version" | "former format" | "could not be used";
  number: number | null;
  at: string | null;
  format: string | null;
  size_bytes: number;
  condition: "ok" | "damaged";
  detail: string;
}

/** The chosen copy: `from`, a file's name or "good"; or `at`, a version's number or a time when it was in force. */
export interface CopyChoice {
  from?: string | undefined;
  at?: string | undefined;
}

/** The agent's documents as files. Reading takes no lock; restore and reset hold the store's lock. */
export type StateTools = ReturnType<typeof createStateTools>;

type Kind = DocumentKind<object>;

/** Tools for the documents of `directory`. They throw `not_found`, `state_damaged`, `state_locked`, `validation_failed`. */
export function createStateTools(directory: string, kinds: readonly Kind[]) {
  const kindOf = (name: string): Kind => {
    const kind = kinds.find((candidate) => candidate.name === name);
    if (kind) return kind;
    const known = kinds.map((candidate) => candidate.name).join(", ");
    throw new StewardError("not_found", `There is no document "${name}"; there are ${known}.`);
  };
  return {
    list: async (): Promise<StateEntry[]> => {
      const known = (await readRegister(directory))?.documents;
      const entries = await Promise.all(kinds.map((kind) => inspect(directory, kind)));
      // Some documents exist only where they were needed.
      return entries.filter(
        ({ name, condition }) => condition !== "absent" || known?.includes(name) !== false,
      );
    },
    /** The copies that a document can be restored from, the newest version first. */
    copies: async (name: string): Promise<StateCopy[]> => listCopies(directory, kindOf(name)),
    /** Without a choice it shows the document itself. Secrets are masked. */
    show: async (name: string, choice: CopyChoice = {}): Promise<unknown> => {
      const kind = kindOf(name);
      const file = isChosen(choice) ? await chosenFile(directory, name, choice) : name;
      return masked(withoutSecrets(kind.schema, (await readCopy(directory, kind, file)).value));
    },
    /** Replaces the document by the last good copy or the chosen one; the present file is kept. */
    restore: async (name: string, choice: CopyChoice = {}): Promise<StateEntry> => {
      const kind = kindOf(name);
      const file = await chosenFile(directory, name, isChosen(choice) ? choice : { from: "good" });
      return replace(directory, kind, await readCopy(directory, kind, file));
    },
    /** Replaces the document by its defaults; the present file is kept. */
    reset: async (name: string): Promise<StateEntry> => {
      const kind = kindOf(name);
      const form = { version: kind.formatVersion, newest: kind.formatVersion };
      return replace(directory, kind, { value: kind.defaults, form });
    },
  };
}

async function replace(
  directory: string,
  kind: Kind,
  { value, form }: { value: object; form: Form },
): Promise<StateEntry> {
  const lock = await takeLock(directory);
  try {
    const path = documentPath(directory, kind.name);
    if ((await statOf(path)) !== null) await setAside(directory, kind.name);
    const newest = compareFormats(form.newest, kind.formatVersion) > 0 ? form.newest : kind.formatVersion;
    await writeDurably(path, documentText(kind, value, { version: kind.formatVersion, newest }));
    return await inspect(directory, kind);
  } finally {
    await lock.release();
  }
}

async function inspect(directory: string, kind: Kind): Promise<StateEntry> {
  const file = await statOf(documentPath(directory, kind.name));
  const good = await statOf(documentPath(directory, goodCopyName(kind.name)));
  const found = file && (await readForm(directory, kind, kind.name));
  const findings = (await readRegister(directory))?.findings ?? [];
  return {
    name: kind.name,
    condition: found === null ? "absent" : "value" in found ? "ok" : "damaged",
    is_newer: found !== null && "why" in found && found.why === "newer",
    detail: found !== null && "problem" in found ? found.problem : "",
    findings: findings.filter(({ document }) => document === kind.name).map(({ detail }) => detail),
    format: found !== null && "value" in found ? (found.former?.version ?? found.form.version) : null,
    size_bytes: file?.size ?? null,
    modified_at: file?.mtime.toISOString() ?? null,
    good_copy_at: good?.mtime.toISOString() ?? null,
    kept: await keptNames(directory, kind.name),
    versions: (await versionNames(directory, kind.name)).length,
  };
}

async function listCopies(directory: string, kind: Kind): Promise<StateCopy[]> {
  const { name } = kind;
  const versions = (await versionNames(directory, name)).reverse();
  const forms = formVersions(await readdir(directory), name).map(
    (version) => `${formCopyName(name, version)}.json`,
  );
  const damaged = (await keptNames(directory, name)).reverse();
  const copies = [
    await describeCopy(directory, kind, `${goodCopyName(name)}.json`, "good copy"),
    ...(await Promise.all(versions.map((file) => describeCopy(directory, kind, file, "version")))),
    ...(await Promise.all(forms.map((file) => describeCopy(directory, kind, file, "former format")))),
    ...(await Promise.all(damaged.map((file) => describeCopy(directory, kind, file, "could not be used")))),
  ];
  return copies.filter((copy) => copy !== null);
}

async function describeCopy(
  directory: string,
  kind: Kind,
  file: string,
  what: StateCopy["what"],
): Promise<StateCopy | null> {
  const stats = await statOf(`${directory}/${file}`);
  if (stats === null) return null;
  const found = await readForm(directory, kind, stemOf(file));
  const isUsable = "value" in found;
  return {
    from: what === "good copy" ? "good" : file,
    what,
    number: what === "version" ? markOf(file).number : null,
    at: markOf(file).at ?? stats.mtime.toISOString(),
    format: isUsable ? (found.former?.version ?? found.form.version) : null,
    size_bytes: stats.size,
    condition: isUsable ? "ok" : "damaged",
    detail: isUsable ? "" : found.problem,
  };
}

/** One file of a document's form, by its name without `.json`. */
async function readCopy(directory: string, kind: Kind, stem: string): Promise<Usable<object>> {
  const found = await readForm(directory, kind, stem);
  if ("value" in found) return found;
  const { problem, why } = found;
  if (why === "absent") throw new StewardError("not_found", `${stem}.json is absent.`);
  const cause = problem.startsWith(`${stem}.json: `) ? problem.slice(stem.length + 7) : problem;
  throw new StewardError("state_damaged", `${stem}.json cannot be used: ${cause}`);
}

function isChosen({ from, at }: CopyChoice): boolean {
  return from !== undefined || at !== undefined;
}

/** The name, without `.json`, of the file that was chosen. */
async function chosenFile(directory: string, name: string, { from, at }: CopyChoice): Promise<string> {
  const versions = await versionNames(directory, name);
  if (at !== undefined) return versionAt(name, versions, at);
  if (from === "good") return goodCopyName(name);
  const others = (await readdir(directory)).filter((file) => file.startsWith(`${name}.format-`));
  const choices = [...versions, ...others, ...(await keptNames(directory, name))];
  if (from !== undefined && choices.includes(from)) return stemOf(from);
  const choice = ["good", ...choices].join(", ");
  throw new StewardError("not_found", `${name} has no kept file "${from}"; there are: ${choice}.`);
}

/** The version with this number, or the last one at that time. */
function versionAt(name: string, versions: readonly string[], at: string): string {
  const isNumber = /^\d{1,9}$/.test(at);
  const time = Date.parse(at);
  if (!isNumber && Number.isNaN(time)) {
    throw new StewardError(
      "validation_failed",
      `A version is named by its number or by a time such as 2026-11-22T08:00:00Z, not by "${at}". See \`steward state list ${name}\`.`,
    );
  }
  const isMeant = (file: string): boolean => {
    const mark = markOf(file);
    return isNumber ? mark.number === Number(at) : Date.parse(mark.at ?? "") <= time;
  };
  const found = versions.findLast(isMeant);
  if (found !== undefined) return stemOf(found);
  throw new StewardError(
    "not_found",
    `No version of ${name} is kept ${isNumber ? `under the number ${at}` : `from ${at} or before`}. See \`steward state list ${name}\`.`,
  );
}

function stemOf(file: string): string {
  return file.replace(/\.json$/, "");
}

async function statOf(path: string) {
  return lstat(path).catch(ifAbsent);
}

/** A document as it may be shown: hashes, secrets and tokens, useful only to an onlooker, are masked. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const secret = /hash|secret|sealed|token|refresh_key/;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      secret.test(key) && isText(member) ? "(hidden)" : masked(member),
    ]),
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.some((one) => typeof one === "string"));
}
