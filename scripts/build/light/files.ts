/**
 * In the built agent in the place of node:fs/promises: what the agent uses of that module, by the functions of node:fs that
 * take a callback. From Node 24 on, that module takes 0.7 MiB, as it loads the one that reads lines from a terminal.
 */
import * as fs from "node:fs";
import { Readable } from "node:stream";
import { promisify } from "node:util";

export const chmod = promisify(fs.chmod);
export const copyFile = promisify(fs.copyFile);
export const link = promisify(fs.link);
export const lstat = promisify(fs.lstat);
export const mkdir = promisify(fs.mkdir);
export const mkdtemp = promisify(fs.mkdtemp);
export const readdir = promisify(fs.readdir);
export const readFile = promisify(fs.readFile);
export const readlink = promisify(fs.readlink);
export const rename = promisify(fs.rename);
export const rm = promisify(fs.rm);
export const rmdir = promisify(fs.rmdir);
export const stat = promisify(fs.stat);
export const statfs = promisify(fs.statfs);
export const truncate = promisify(fs.truncate);
export const unlink = promisify(fs.unlink);
export const writeFile = promisify(fs.writeFile);

const onDescriptor = {
  ...{ open: promisify(fs.open), close: promisify(fs.close) },
  ...{ read: promisify(fs.read), write: promisify(fs.write) },
  ...{ chmod: promisify(fs.fchmod), chown: promisify(fs.fchown), stat: promisify(fs.fstat) },
  ...{ datasync: promisify(fs.fdatasync), sync: promisify(fs.fsync), truncate: promisify(fs.ftruncate) },
};

export async function open(path: string, flags: string | number = "r", mode?: number): Promise<OpenFile> {
  return new OpenFile(await onDescriptor.open(path, flags, mode));
}

/** An open file, with those members of a FileHandle that the agent uses. */
class OpenFile {
  readonly #descriptor: number;
  #uses = 0;
  #closing: Promise<void> | null = null;
  #onUnused = (): void => undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  get fd(): number {
    return this.#closing ? -1 : this.#descriptor;
  }

  read(buffer: Uint8Array, offset: number, length: number, position: number | null) {
    return this.#use(() => onDescriptor.read(this.#descriptor, buffer, offset, length, position));
  }

  write(buffer: Uint8Array, offset?: number, length?: number, position?: number) {
    return this.#use(() => onDescriptor.write(this.#descriptor, buffer, offset, length, position));
  }

  writeFile(content: string | Uint8Array): Promise<void> {
    return this.#use(() => writeFile(this.#descriptor, content));
  }

  chmod(mode: number): Promise<void> {
    return this.#use(() => onDescriptor.chmod(this.#descriptor, mode));
  }

  chown(uid: number, gid: number): Promise<void> {
    return this.#use(() => onDescriptor.chown(this.#descriptor, uid, gid));
  }

  datasync(): Promise<void> {
    return this.#use(() => onDescriptor.datasync(this.#descriptor));
  }

  stat(): Promise<fs.Stats> {
    return this.#use(() => onDescriptor.stat(this.#descriptor));
  }

  sync(): Promise<void> {
    return this.#use(() => onDescriptor.sync(this.#descriptor));
  }

  truncate(length: number): Promise<void> {
    return this.#use(() => onDescriptor.truncate(this.#descriptor, length));
  }

  /** The file stays open behind it. */
  createReadStream({ start }: { readonly autoClose: false; readonly start: number }): Readable {
    return Readable.from(this.#pieces(start));
  }

  /** Waits for the uses that are under way: the system may give the number to another file at once. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    if (this.#uses > 0)
      await new Promise<void>((resolve) => {
        this.#onUnused = resolve;
      });
    await onDescriptor.close(this.#descriptor);
  }

  async #use<T>(step: () => Promise<T>): Promise<T> {
    if (this.#closing) throw Object.assign(new Error("EBADF: the file is closed"), { code: "EBADF" });
    this.#uses += 1;
    try {
      return await step();
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0) this.#onUnused();
    }
  }

  async *#pieces(start: number): AsyncGenerator<Uint8Array> {
    for (let at = start; ; ) {
      const piece = Buffer.allocUnsafe(65_536);
      const { bytesRead } = await this.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }
}

const absent = [
  "appendFile",
  "createWriteStream",
  "readFile",
  "readLines",
  "readableWebStream",
  "readv",
  "utimes",
  "writev",
];
for (const name of absent)
  Object.defineProperty(OpenFile.prototype, name, {
    get: () => {
      throw new Error(`${name} of a FileHandle is not in the agent: scripts/build/light/files.ts`);
    },
  });
