import { StewardError } from "../../contract/errors.ts";
import { finding } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import { createDueTimer, type DueTimer } from "../files/due-timer.ts";
import { isReplaced, removeLeftovers } from "../files/durable-file.ts";
import type { Reserve } from "../files/reserve.ts";
import { processTime, type StoreTime } from "../files/store-time.ts";
import { unknownMembers, withUnknown } from "../validation/members.ts";
import type { Validator } from "../validation/schemas.ts";
import { type Copies, createCopies } from "./copies.ts";
import { createDocumentFile, type DocumentFile } from "./document-file.ts";
import { type DocumentKind, documentPath, goodCopyName, validatorOf } from "./document-kind.ts";
import { type Found, type Loaded, loadDocument } from "./load.ts";

/** Makes the next value; pure, since it may run again. Returning the same object writes nothing. */
export type Change<T> = (current: T) => T;

/** A JSON file that is read from memory and written durably, off the event loop. */
export interface Document<T> {
  readonly name: string;
  /** The present value; it is never changed in place. */
  read(): T;
  /**
   * Resolves when the change is on the disk, to the value that this change has made: those that wait together share one
   * write, and a later one may have undone it. Throws the errors of `change`, `storage_full` and `storage_unwritable`; then
   * nothing has changed.
   */
  update(change: Change<T>): Promise<T>;
  /**
   * Changes the memory at once, and the disk within `delaySeconds` or with the next update. On a full disk the change
   * stays in memory and is tried again. It is for changes that a full disk must not prevent, or that are worth no
   * write.
   */
  note(change: Change<T>, delaySeconds: number): void;
  /** Writes changes that are only in memory. If they cannot be written, they stay there and are tried again. */
  save(): Promise<void>;
  /** The last save, and the good copy with it. */
  close(): Promise<void>;
  /** The reason why it cannot be written; null: it can. */
  trouble(): Finding | null;
}

export interface OpenedDocument<T> extends Document<T> {
  /** The failure of the last write; null: it succeeded. */
  failure(): StewardError | null;
  /** The text of the present value, as its file has it or would have it. It stays that value's however often it is read. */
  text(): Iterable<string>;
}

export interface OpenOptions {
  /** The document has never existed here, so its absence is no damage. */
  isFirstStart: boolean;
  /** The names in the directory, if it was listed. */
  names?: readonly string[] | undefined;
  reserve: Reserve;
  /** A document that must be on the disk before this one. */
  after?: OpenedDocument<object> | undefined;
  /** Called with the finding before the recovered document hides it. */
  found?: (finding: Found) => Promise<void>;
  /** Called where the content that an older release could not read is there again. */
  rejoined?: () => Promise<unknown>;
  /** Resolves to true while a release of this program is on trial; see `createFormWriter`. */
  isOnTrial?: (() => Promise<boolean>) | undefined;
  /** This process's own time if absent. */
  time?: StoreTime | undefined;
}

/** Seconds before a failed write is tried again. */
const retrySeconds = 5;

/** Seconds before a migrated document checks again whether the release on trial has been kept. */
const trialSeconds = 2;

interface Waiting<T> {
  change: Change<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/**
 * Opens a document under the caller's lock. A disk that takes no write does not prevent it: the document is in memory,
 * its trouble says so, and changes are written when the disk takes them. Throws `state_damaged` if the document cannot
 * be read and has no defaults.
 */
export async function openDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  options: OpenOptions,
): Promise<OpenedDocument<T>> {
  const paths = [kind.name, goodCopyName(kind.name)].map((name) => documentPath(directory, name));
  await Promise.all(paths.map((path) => removeLeftovers(path, options.names))).catch(() => undefined);
  const loaded = await loadDocument(directory, kind, options.isFirstStart);
  if (loaded.finding !== null) await options.found?.(loaded.finding);
  if (loaded.isRejoined) await options.rejoined?.();
  const document = new StoredDocument(directory, kind, { ...options, loaded });
  await document.begin();
  return document;
}

class StoredDocument<T extends object> implements OpenedDocument<T> {
  readonly name: string;
  readonly #kind: DocumentKind<T>;
  readonly #file: DocumentFile<T>;
  readonly #copies: Copies;
  readonly #origin: Loaded<T>;
  readonly #hasUnknown: boolean;
  readonly #validate: Validator;
  #current: T;
  #waiting: Waiting<T>[] = [];
  /** Notes made during a write; they are made again on the written value. */
  #notesInFlight: Change<T>[] = [];
  #writing: Promise<void> | null = null;
  #isDirty = false;
  #writeFailure: StewardError | null = null;
  // Not merely with a write that is under way: notes made since it began are not in it.
  readonly #timer: DueTimer;

  constructor(directory: string, kind: DocumentKind<T>, options: OpenOptions & { loaded: Loaded<T> }) {
    const { loaded, after, time = processTime } = options;
    this.name = kind.name;
    this.#kind = kind;
    this.#file = createDocumentFile(directory, kind, {
      ...options,
      blocker: after && (() => after.failure()),
    });
    this.#copies = createCopies(directory, kind, this.#file.onDisk, time);
    this.#timer = createDueTimer(() => void this.save(), time);
    this.#origin = loaded;
    // Unknown members come only from the file: if it has none, there will be none.
    this.#hasUnknown = unknownMembers(kind.schema, loaded.value).length > 0;
    this.#validate = validatorOf(kind);
    this.#current = loaded.value;
  }

  /** Puts a new, migrated or recovered document on the disk. One that was read needs only its good copy. */
  async begin(): Promise<void> {
    const { origin, former } = this.#origin;
    if (origin === "file" && former === null) return this.#copies.soon();
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
    const next = this.#changed(this.#current, change);
    if (next === this.#current) return;
    this.#current = next;
    this.#isDirty = true;
    if (this.#writing !== null) this.#notesInFlight.push(change);
    this.#timer.within(delaySeconds);
  }

  async save(): Promise<void> {
    this.#timer.putOff();
    await this.#writing;
    if (this.#isDirty || this.#writeFailure || this.#file.isPending()) await this.#write();
  }

  async close(): Promise<void> {
    await this.save();
    this.#timer.putOff();
    await this.#copies.close();
  }

  failure(): StewardError | null {
    return this.#writeFailure;
  }

  text(): Iterable<string> {
    return this.#file.textOf(this.#current);
  }

  trouble(): Finding | null {
    const failure = this.#writeFailure;
    // A trial under way is not a failure of the disk.
    if (failure === null || failure.code === "update_busy") return null;
    const facts = { document: this.name, error: failure.code };
    return finding("document_not_written", facts, failure.message);
  }

  async #writeAll(): Promise<void> {
    // One turn of the loop, so that changes which arrive together are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#writeBatch();
    this.#writing = null;
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.splice(0);
    // Notes made since the update came are already in the present value.
    this.#notesInFlight = [];
    const accepted: [Waiting<T>, made: T][] = [];
    let next = this.#current;
    for (const waiting of batch) {
      try {
        next = this.#checked(this.#changed(next, waiting.change));
        accepted.push([waiting, next]);
      } catch (error) {
        waiting.reject(error);
      }
    }
    const failure = next === this.#current ? null : await this.#put(next);
    if (next !== this.#current && (!failure || isReplaced(failure))) this.#publish(next);
    this.#notesInFlight = [];
    for (const [waiting, made] of accepted) failure ? waiting.reject(failure) : waiting.resolve(made);
  }

  /** Makes the written value the present one, with the notes that came during the write. */
  #publish(written: T): void {
    this.#isDirty = this.#notesInFlight.length > 0;
    this.#current = this.#notesInFlight.reduce((value, change) => this.#changed(value, change), written);
  }

  /** Members that no room knows survive each change. */
  #changed(present: T, change: Change<T>): T {
    const next = change(present);
    return this.#hasUnknown ? withUnknown(this.#kind.schema, present, next) : next;
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
    this.#timer.putOff();
    this.#writeFailure = await this.#file.put(value);
    if (this.#writeFailure) this.#timer.within(retrySeconds);
    else this.#copies.soon();
    if (this.#file.isPending()) this.#timer.within(trialSeconds);
    return this.#writeFailure;
  }
}
