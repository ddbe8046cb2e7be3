import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { StewardError, systemErrorCode } from "../errors.ts";
import { writeDurably } from "./durable-file.ts";
import {
  type DocumentKind,
  documentPath,
  documentText,
  goodCopyName,
  keptNames,
  readDocumentText,
  setAside,
} from "./load.ts";
import { takeLock } from "./lock.ts";

/** One document of the agent's state as it lies on the disk. */
export interface StateEntry {
  name: string;
  condition: "ok" | "damaged" | "absent";
  /** Why it is damaged; empty when it is not. */
  detail: string;
  size_bytes: number | null;
  modified_at: string | null;
  /** When the last good copy was written; null: there is none. */
  good_copy_at: string | null;
  /** File names of damaged versions kept beside it, oldest first. */
  kept: readonly string[];
}

/** The agent's documents as files. Reading takes no lock; restore and reset hold the store's lock. */
export interface StateTools {
  list(): Promise<StateEntry[]>;
  /** `from`: a kept file's name, or "good" for the last good copy; absent: the document itself. Secrets are masked. */
  show(name: string, from?: string): Promise<unknown>;
  /** Puts the last good copy (or the kept file `from`) in the document's place; the present file is kept. */
  restore(name: string, from?: string): Promise<StateEntry>;
  /** Puts the defaults in the document's place; the present file is kept. */
  reset(name: string): Promise<StateEntry>;
}

/** Tools over the documents of `directory`. They throw `not_found`, `state_damaged`, `state_locked`. */
export function createStateTools(directory: string, kinds: readonly DocumentKind<object>[]): StateTools {
  const kindOf = (name: string): DocumentKind<object> => {
    const kind = kinds.find((candidate) => candidate.name === name);
    if (kind) return kind;
    const known = kinds.map((candidate) => candidate.name).join(", ");
    throw new StewardError("not_found", `There is no document "${name}"; there are ${known}.`);
  };
  return {
    list: () => Promise.all(kinds.map((kind) => inspect(directory, kind))),
    show: async (name, from) => mask(await readCopy(directory, kindOf(name), from)),
    restore: async (name, from = "good") => {
      const kind = kindOf(name);
      return replace(directory, kind, await readCopy(directory, kind, from));
    },
    reset: async (name) => {
      const kind = kindOf(name);
      return replace(directory, kind, kind.defaults);
    },
  };
}

async function replace(directory: string, kind: DocumentKind<object>, value: object): Promise<StateEntry> {
  const lock = await takeLock(directory);
  try {
    const isPresent = (await modifiedAt(documentPath(directory, kind.name))) !== null;
    if (isPresent) await setAside(directory, kind.name);
    await writeDurably(documentPath(directory, kind.name), documentText(kind, value));
    return await inspect(directory, kind);
  } finally {
    await lock.release();
  }
}

async function inspect(directory: string, kind: DocumentKind<object>): Promise<StateEntry> {
  const path = documentPath(directory, kind.name);
  const file = await stat(path).catch(ignoreAbsent);
  const entry = {
    name: kind.name,
    size_bytes: file?.size ?? null,
    modified_at: file?.mtime.toISOString() ?? null,
    good_copy_at: await modifiedAt(documentPath(directory, goodCopyName(kind.name))),
    kept: await keptNames(directory, kind.name),
  };
  if (!file) return { ...entry, condition: "absent", detail: "" };
  try {
    await readCopy(directory, kind);
    return { ...entry, condition: "ok", detail: "" };
  } catch (error) {
    return { ...entry, condition: "damaged", detail: error instanceof Error ? error.message : String(error) };
  }
}

async function readCopy(directory: string, kind: DocumentKind<object>, from?: string): Promise<object> {
  const source = await sourceName(directory, kind.name, from);
  try {
    return readDocumentText(kind, await readFile(join(directory, source), "utf8")).value;
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") throw new StewardError("not_found", `${source} is absent.`);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StewardError("state_damaged", `${source} cannot be used: ${why}`, { cause });
  }
}

async function sourceName(directory: string, name: string, from?: string): Promise<string> {
  if (from === undefined) return `${name}.json`;
  if (from === "good") return `${goodCopyName(name)}.json`;
  const kept = await keptNames(directory, name);
  if (kept.includes(from)) return from;
  const choice = kept.length > 0 ? `good, ${kept.join(", ")}` : "good";
  throw new StewardError("not_found", `${name} has no kept file "${from}"; there are: ${choice}.`);
}

async function modifiedAt(path: string): Promise<string | null> {
  const file = await stat(path).catch(ignoreAbsent);
  return file?.mtime.toISOString() ?? null;
}

function ignoreAbsent(error: unknown): null {
  if (systemErrorCode(error) === "ENOENT") return null;
  throw error;
}

/** Hashes, secrets and tokens are of no use to a reader, and of some to whoever looks over a shoulder. */
function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== "object" || value === null) return value;
  const secret = /hash|secret|sealed|token/;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      secret.test(key) && isText(member) ? "(hidden)" : mask(member),
    ]),
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.some((one) => typeof one === "string"));
}
