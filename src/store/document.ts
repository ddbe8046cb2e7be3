import { uptime } from "node:process";
import { StewardError } from "../errors.ts";
import { createDocumentFile, type DocumentFile } from "./document-file.ts";
import { isReplaced, removeLeftovers } from "./durable-file.ts";
import type { DocumentKind, Loaded } from "./load.ts";
import { documentPath, goodCopyName, loadDocument, validatorOf } from "./load.ts";
import type { Reserve } from "./reserve.ts";
import type { Validator } from "./schemas.ts";

/** Makes the next value from the present one; pure, since it may run again. Returning the same object writes nothing. */
export type Change<T> = (current: T) => T;

/** A JSON file that is read from memory and written durably, off the event loop. */
export interface Document<T> {
  /** Of its kind. */
  readonly name: string;
  /** The present value; never changed in place. */
  read(): T;
  /**
   * Acknowledged only when it is on the disk. Changes that wait together share one write.
   * Throws what `change` throws, `storage_full`, `storage_unwritable`; then nothing has changed.
   */
  update(change: Change<T>): Promise<T>;
  /**
   * In memory at once, on the disk within `delaySeconds` or with the next update; on a full disk it stays in memory
   * and is tried again. For what a person must not be refused because a disk is full, or that is worth no write.
   */
  note(change: Change<T>, delaySeconds: number): void;
  /** Writes what is only in memory; what cannot be written stays there and is tried again. */
  save(): Promise<void>;
  /** The last save, and the good copy with it. */
  close(): Promise<void>;
  /** What a person should know about this document; null when all is well. */
  trouble(): string | null;
}

/** A document that openDocument has opened. */
export interface OpenedDocument<T> extends Document<T> {
  /** Why the last write failed; null: it did not. */
  failure(): StewardError | null;
}

export interface OpenOptions {
  isFirstStart: boolean;
  reserve: Reserve;
  /** The document that must be on the disk before this one. */
  after?: OpenedDocument<object> | undefined;
}

/** The good copy is written when a document has been quiet for so long: one more write, but not at each change. */
const goodCopyDelayMilliseconds = 2_000;

/** How long to wait before a write that failed is tried again. */
const retryMilliseconds = 5_000;

interface Waiting<T> {
  change: Change<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/**
 * Opens a document under the caller's lock. A disk that takes no write ends nothing: the document is in memory, its
 * trouble says so, and what waits is written when the disk takes it. Throws `state_damaged` when the document cannot be
 * had and must not be made up.
 */
export async function openDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  options: OpenOptions,
): Promise<OpenedDocument<T>> {
  const paths = [kind.name, goodCopyName(kind.name)].map((name) => documentPath(directory, name));
  await Promise.all(paths.map(removeLeftovers)).catch(() => undefined);
  const document = new StoredDocument(directory, kind, options);
  await document.begin();
  return document;
}

class StoredDocument<T extends object> implements OpenedDocument<T> {
  readonly name: string;
  readonly #kind: DocumentKind<T>;
  readonly #file: DocumentFile<T>;
  readonly #origin: Loaded<T>;
  readonly #validate: Validator;
  #current: T;
  #waiting: Waiting<T>[] = [];
  /** Notes made while a write is under way; they are made again on what was written. */
  #notesInFlight: Change<T>[] = [];
  #writing: Promise<void> | null = null;
  #isDirty = false;
  #writeFailure: StewardError | null = null;
  #noteTimer: NodeJS.Timeout | undefined;
  #noteDue = Number.POSITIVE_INFINITY;
  #copyTimer: NodeJS.Timeout | undefined;

  constructor(directory: string, kind: DocumentKind<T>, { isFirstStart, reserve, after }: OpenOptions) {
    const loaded = loadDocument(directory, kind, isFirstStart);
    this.name = kind.name;
    this.#kind = kind;
    const { isFileInTheWay } = loaded;
    const hindrance = after && (() => after.failure());
    this.#file = createDocumentFile(directory, kind, { reserve, isFileInTheWay, hindrance });
    this.#origin = loaded;
    this.#validate = validatorOf(kind);
    this.#current = loaded.value;
  }

  /** Puts a new, migrated or recovered document on the disk; one that was read needs nothing but its good copy. */
  async begin(): Promise<void> {
    const { origin, isMigrated } = this.#origin;
    if (origin === "file" && !isMigrated) {
      // Damaged, or behind since the last process was killed: the next damage would bring the past back.
      if (!(await this.#file.isCopied(this.#current))) this.#copySoon();
      return;
    }
    this.#isDirty = true;
    await this.#write();
  }

  read(): T {
    return this.#current;
  }

  update(change: Change<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  note(change: Change<T>, delaySeconds: number): void {
    const next = change(this.#current);
    if (next === this.#current) return;
    this.#current = next;
    this.#isDirty = true;
    if (this.#writing !== null) this.#notesInFlight.push(change);
    this.#writeWithin(delaySeconds * 1_000);
  }

  async save(): Promise<void> {
    this.#noteDue = Number.POSITIVE_INFINITY;
    await this.#writing;
    if (this.#isDirty || this.#writeFailure) await this.#write();
  }

  async close(): Promise<void> {
    await this.save();
    clearTimeout(this.#noteTimer);
    clearTimeout(this.#copyTimer);
    await this.#file.putGoodCopy(this.#current);
  }

  failure(): StewardError | null {
    return this.#writeFailure;
  }

  trouble(): string | null {
    if (this.#writeFailure) return this.#writeFailure.message;
    if (this.#origin.damage === null) return null;
    const used = this.#origin.origin === "good" ? "its last good copy" : "its defaults";
    return `${this.#origin.damage}; the damaged file was kept and ${used} taken. Check what may be missing.`;
  }

  async #writeAll(): Promise<void> {
    // One turn of the loop, so that changes which arrive together are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#writeBatch();
    this.#writing = null;
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.splice(0);
    // Notes made since the update came are in the present value already.
    this.#notesInFlight = [];
    const accepted: Waiting<T>[] = [];
    let next = this.#current;
    for (const waiting of batch) {
      try {
        next = this.#checked(waiting.change(next));
        accepted.push(waiting);
      } catch (error) {
        waiting.reject(error);
      }
    }
    if (next === this.#current) {
      for (const waiting of accepted) waiting.resolve(next);
      return;
    }
    const failure = await this.#put(next);
    if (!failure || isReplaced(failure)) this.#publish(next);
    this.#notesInFlight = [];
    for (const waiting of accepted) failure ? waiting.reject(failure) : waiting.resolve(this.#current);
  }

  /** Takes what was written as the present value, with the notes that came while it was being written. */
  #publish(written: T): void {
    this.#isDirty = this.#notesInFlight.length > 0;
    this.#current = this.#notesInFlight.reduce((value, change) => change(value), written);
  }

  /** A value that the next start would refuse must never reach the disk. */
  #checked(next: T): T {
    if (next === this.#current) return next;
    const [problem] = this.#validate(next);
    if (!problem) return next;
    throw new StewardError(
      "internal_error",
      `${this.#kind.name}${problem.pointer} ${problem.detail}: a change was refused because it would damage the state`,
    );
  }

  async #write(): Promise<void> {
    if (this.#writing !== null) return this.#writing;
    this.#writing = (async () => {
      const value = this.#current;
      const failure = await this.#put(value);
      if (!failure || isReplaced(failure)) this.#isDirty = this.#notesInFlight.length > 0;
      this.#notesInFlight = [];
      // Updates that came meanwhile were left to this writer.
      while (this.#waiting.length > 0) await this.#writeBatch();
      this.#writing = null;
    })();
    return this.#writing;
  }

  async #put(value: T): Promise<StewardError | null> {
    clearTimeout(this.#noteTimer);
    this.#noteDue = Number.POSITIVE_INFINITY;
    this.#writeFailure = await this.#file.put(value);
    if (this.#writeFailure) this.#writeWithin(retryMilliseconds);
    else this.#copySoon();
    return this.#writeFailure;
  }

  #writeWithin(milliseconds: number): void {
    const due = uptime() * 1_000 + milliseconds;
    if (due >= this.#noteDue) return;
    clearTimeout(this.#noteTimer);
    this.#noteDue = due;
    // Not merely with a write that is under way: what was noted since it began is not in it.
    this.#noteTimer = setTimeout(() => void this.save(), milliseconds).unref();
  }

  #copySoon(): void {
    clearTimeout(this.#copyTimer);
    const copy = () => void this.#file.putGoodCopy(this.#current);
    this.#copyTimer = setTimeout(copy, goodCopyDelayMilliseconds).unref();
  }
}
