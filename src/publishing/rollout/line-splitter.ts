import { longestLine } from "./access-log.ts";

/** Cuts bytes into lines, in a bounded memory. */
export class LineSplitter {
  /** The beginning of a line whose end is not written yet; null: of one that is too long, and left out. */
  #rest: string | null = "";

  /** Hands over the lines that end in these bytes, without their ends; one that is too long once, as its beginning. */
  push(bytes: Uint8Array, onLine: (line: string) => void): void {
    // A byte a character: what a client sent need not be UTF-8.
    const [first = "", ...others] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString("latin1")
      .split("\n");
    this.#append(first, onLine);
    for (const part of others) {
      if (this.#rest !== null) onLine(this.#rest.replace(/\r$/, ""));
      this.#rest = "";
      this.#append(part, onLine);
    }
  }

  /** Hands over the last line of a file that grows no more, which may lack its end. */
  end(onLine: (line: string) => void): void {
    if (this.#rest) onLine(this.#rest.replace(/\r$/, ""));
    this.#rest = "";
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
