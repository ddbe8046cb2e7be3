import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { unreadable } from "../files.ts";
import { longestLine } from "./access-log.ts";

/** Bytes that are read at once. */
const pieceBytes = 65_536;

/** A log that another program writes, over rotations by renaming and by truncation. */
export class LogFile {
  readonly #path: string;
  readonly #buffer = Buffer.alloc(pieceBytes);
  #handle: FileHandle | null = null;
  #at = 0;
  /** The beginning of a line whose end is not written yet; null: of one that is too long, and left out. */
  #rest: string | null = "";

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Hands over the whole lines that were written since the last call, without their ends; one that is too long as its
   * beginning. Throws `not_found`, `forbidden`, `validation_failed` where it cannot be opened at first.
   */
  async read(onLine: (line: string) => void): Promise<void> {
    this.#handle ??= await this.#open();
    const { size } = await this.#handle.stat();
    // Truncated in place: what follows is another log.
    if (size < this.#at) this.#restart();
    await this.#readOn(this.#handle, onLine);
    if (!(await this.#isReplaced(this.#handle))) return;
    // Its server may have written to the old file until now.
    await this.#readOn(this.#handle, onLine);
    await this.close();
    await this.read(onLine);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    this.#restart();
  }

  #restart(): void {
    this.#at = 0;
    this.#rest = "";
  }

  async #open(): Promise<FileHandle> {
    // A pipe without a writer would hold the process, and an interruption too.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const handle = await open(this.#path, flags).catch((error: unknown) => {
      throw unreadable(this.#path, error);
    });
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new StewardError(
      "validation_failed",
      `${this.#path} is not a regular file, so it cannot be watched.`,
    );
  }

  /** Another file has its name, and is written to: until then the server still writes to this one. */
  async #isReplaced(handle: FileHandle): Promise<boolean> {
    const own = await handle.stat();
    try {
      const present = await stat(this.#path);
      return present.isFile() && present.size > 0 && (present.ino !== own.ino || present.dev !== own.dev);
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return false;
      throw unreadable(this.#path, error);
    }
  }

  async #readOn(handle: FileHandle, onLine: (line: string) => void): Promise<void> {
    for (;;) {
      const { bytesRead } = await handle.read(this.#buffer, 0, pieceBytes, this.#at);
      if (bytesRead === 0) return;
      this.#at += bytesRead;
      // A byte a character: what a client sent need not be UTF-8.
      const [first = "", ...others] = this.#buffer.toString("latin1", 0, bytesRead).split("\n");
      this.#append(first, onLine);
      for (const part of others) {
        if (this.#rest !== null) onLine(this.#rest.replace(/\r$/, ""));
        this.#rest = "";
        this.#append(part, onLine);
      }
    }
  }

  /** Counts a line that is too long once, and forgets it. */
  #append(part: string, onLine: (line: string) => void): void {
    if (this.#rest === null) return;
    this.#rest += part;
    if (this.#rest.length <= longestLine) return;
    onLine(this.#rest);
    this.#rest = null;
  }
}
