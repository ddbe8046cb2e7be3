import { rename } from "node:fs/promises";
import { messageOf, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { removeLeftovers, writeDurably } from "../files/durable-file.ts";
import { NotRegular, readRegularSync } from "../files/regular-file.ts";
import { processTime } from "../files/store-time.ts";
import type { OpenOptions } from "./document.ts";
import type { Found } from "./load.ts";

/** A fault that was found when a document was opened, until an administrator accepts it. */
export interface Damage {
  readonly document: string;
  /** By the wall clock; only for display. */
  readonly at: string;
  /** Absent if an earlier release found it. */
  readonly damage?: Found["damage"];
  readonly replacement?: Found["replacement"];
  readonly detail: string;
  /** Something is missing now, or may be. */
  readonly isLoss: boolean;
  /** True if it is in the event log. */
  readonly isTold: boolean;
}

interface Contents {
  readonly documents: readonly string[];
  readonly findings: readonly Damage[];
}

export const registerName = "register";

/** Findings of one document that are kept; a dying flash card may cause some at each start. */
const findingsPerDocument = 5;

/** Bytes of the register: some hundred findings, and five of each document are kept. */
const mostBytes = 1024 * 1024;

/** Reads the register for inspection; null: there is none that can be read. Takes no lock, never throws. */
export async function readRegister(directory: string): Promise<Contents | null> {
  return readContents(registerPath(directory)).contents;
}

/** The documents that have existed, and the faults found in them; it survives the agent. */
export class Register {
  readonly #path: string | null;
  readonly #wall: () => number;
  #contents: Contents;
  #isPending = false;
  #writing = Promise.resolve();

  /** `path`: null if nothing is to be written. */
  private constructor(path: string | null, contents: Contents, wall: () => number) {
    this.#path = path;
    this.#wall = wall;
    this.#contents = contents;
  }

  /**
   * Opens the register under the caller's lock, or only for reading. `baseline`: the documents that count as known if
   * there is no register: none in a new directory; in one with other state, those of every release before the register.
   * `names`: all in the directory, if it was listed.
   */
  static async open(
    directory: string,
    baseline: readonly string[],
    {
      readsOnly = false,
      names,
      time = processTime,
    }: Pick<OpenOptions, "names" | "time"> & { readsOnly?: boolean | undefined } = {},
  ): Promise<Register> {
    const path = registerPath(directory);
    if (!readsOnly) await removeLeftovers(path, names).catch(() => undefined);
    const read = readContents(path);
    const contents = read.contents ?? { documents: baseline, findings: [] };
    const register = new Register(readsOnly ? null : path, contents, time.wall);
    if (read.problem !== null) {
      if (!readsOnly) await rename(path, `${path}.bad`).catch(() => undefined);
      const detail = `${read.problem}. It was kept as .register.json.bad; what was found before is no longer known.`;
      const found = { damage: "unreadable", replacement: "defaults", detail, isLoss: true } as const;
      await register.add(registerName, found);
    } else if (read.contents === null) await register.#write();
    return register;
  }

  /** True if the document has existed, so that its absence is damage. One that a newer release adds has not. */
  isKnown(name: string): boolean {
    return this.#contents.documents.includes(name);
  }

  /** Never throws: an unwritten part stays in memory, and the next start finds it again. */
  async know(names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => !this.isKnown(name));
    if (fresh.length === 0) return;
    this.#contents = { ...this.#contents, documents: [...this.#contents.documents, ...fresh] };
    await this.#write();
  }

  /** Settles when it is on the disk, if that is possible; never throws. */
  async add(document: string, { detail, ...found }: Found): Promise<void> {
    const { findings } = this.#contents;
    // A start that was cut short before the damage was repaired finds it again.
    if (findings.some((one) => one.document === document && one.detail === detail)) return;
    const own = findings.filter((one) => one.document === document).slice(1 - findingsPerDocument);
    const others = findings.filter((one) => one.document !== document);
    const added = { document, at: new Date(this.#wall()).toISOString(), ...found, detail, isTold: false };
    this.#contents = { ...this.#contents, findings: [...others, ...own, added] };
    await this.#write();
  }

  /** Writes the parts that the disk did not take before. Never throws. */
  async settle(): Promise<void> {
    if (this.#isPending) await this.#write();
  }

  /** The findings that are not accepted. */
  findings(): readonly Damage[] {
    return this.#contents.findings;
  }

  /** Notes that all of them are in the event log. Never throws. */
  async told(): Promise<void> {
    const { findings } = this.#contents;
    if (findings.every(({ isTold }) => isTold)) return;
    this.#contents = { ...this.#contents, findings: findings.map((one) => ({ ...one, isTold: true })) };
    await this.#write();
  }

  /** Removes the findings of a document and returns them. Throws `storage_full` and `storage_unwritable`. */
  async accept(document: string): Promise<readonly Damage[]> {
    const before = this.#contents;
    const accepted = before.findings.filter((one) => one.document === document);
    if (accepted.length === 0) return [];
    this.#contents = { ...before, findings: before.findings.filter((one) => one.document !== document) };
    try {
      await this.#put();
    } catch (error) {
      this.#contents = before;
      throw error;
    }
    return accepted;
  }

  /** Writes the present contents, if the disk takes them. */
  #write(): Promise<void> {
    return this.#put().then(
      () => {
        this.#isPending = false;
      },
      () => {
        this.#isPending = true;
      },
    );
  }

  #put(): Promise<void> {
    const path = this.#path;
    if (path === null) return Promise.resolve();
    const write = () => writeDurably(path, `${JSON.stringify(this.#contents, undefined, 2)}\n`);
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

function readContents(path: string): { contents: Contents | null; problem: string | null } {
  try {
    const contents: unknown = JSON.parse(readRegularSync(path, mostBytes).toString("utf8"));
    if (isContents(contents)) return { contents, problem: null };
    throw new StewardError("state_damaged", "it does not have the form of a register");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { contents: null, problem: null };
    const why = error instanceof NotRegular ? `it ${error.reason}` : messageOf(error);
    return { contents: null, problem: `.register.json, the list of documents, cannot be read: ${why}` };
  }
}

function isContents(value: unknown): value is Contents {
  const { documents, findings } = (value ?? {}) as Partial<Contents>;
  const isDamage = (one: Partial<Damage> | null) =>
    [one?.document, one?.at, one?.detail].every((member) => typeof member === "string");
  return (
    Array.isArray(documents) &&
    documents.every((name) => typeof name === "string") &&
    Array.isArray(findings) &&
    findings.every(isDamage)
  );
}

/** Hidden, like the lock and the reserve: a directory with only these holds no state. */
function registerPath(directory: string): string {
  return `${directory}/.register.json`;
}
