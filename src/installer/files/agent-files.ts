import { closeSync, constants, fstatSync, opendirSync, openSync, read as readFrom } from "node:fs";
import { promisify } from "node:util";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { metadataFileName } from "../../tuf/metadata-file-name.ts";

/** Does work with the agent's rights and no others, while nothing else is done; the work does not wait for anything. */
export type AsAgent = <T>(work: () => T) => Promise<T>;

/** A regular file of the agent's that has been opened; what its content is, or will be at the next look, nobody knows. */
export interface AgentFile {
  readonly path: string;
  /** When it was opened. */
  readonly sizeBytes: number;
  /** As much as there is from `position` on, at most a buffer's worth; 0: no more. */
  read(buffer: Uint8Array, position: number): Promise<number>;
}

/** What the agent has ready for one release, all opened at one time; names lead nowhere else from then on. */
export interface AgentFiles {
  readonly payload: AgentFile;
  /** The metadata that it trusts, by the name of the file. */
  readonly metadata: ReadonlyMap<string, AgentFile>;
  /** The roots that it has followed. */
  readonly roots: ReadonlyMap<string, AgentFile>;
  close(): void;
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** No link, no waiting for the other end of a fifo or for whoever holds a lease. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Files of one directory: roles that may be searched, those of former searches, and leftovers. */
const mostNames = 512;
/** What the agent's own writer makes, and what it makes it under meanwhile does not look like that. */
const namePattern = /^[A-Za-z0-9_%-]{1,250}\.json$/;

/**
 * Opens the agent's files below its state directory, with its rights, and follows no link on the way: who has taken the
 * agent over gets nothing opened that he could not open himself. Throws `update_not_acceptable`.
 */
export async function openAgentFiles(
  stateDirectory: string,
  id: string,
  asAgent: AsAgent,
): Promise<AgentFiles> {
  const opened: number[] = [];
  const close = (): void => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  try {
    const files = await asAgent(() => openAll(new Walk(stateDirectory, opened), id));
    return { ...files, close };
  } catch (error) {
    close();
    throw error;
  }
}

function openAll(walk: Walk, id: string): Omit<AgentFiles, "close"> {
  const updates = walk.directory(walk.base, "updates");
  const staged = walk.directory(updates, "staged");
  const payload = walk.file(staged, `${id}.tar.gz`);
  if (payload === null) throw notAcceptable(`${staged.path}/${id}.tar.gz is not there`);
  return { payload, metadata: walk.files(updates, "metadata"), roots: walk.files(updates, "roots") };
}

interface Place {
  readonly path: string;
  readonly descriptor: number;
}

/** Goes down from directory to directory by what is open; every descriptor is the caller's to close. */
class Walk {
  readonly base: Place;
  readonly #opened: number[];

  constructor(path: string, opened: number[]) {
    this.#opened = opened;
    // Where it lies is root's word: a link there is an administrator's.
    this.base = {
      path,
      descriptor: this.#open(path, path, constants.O_RDONLY | constants.O_DIRECTORY),
    };
  }

  directory(parent: Place, name: string): Place {
    const path = `${parent.path}/${name}`;
    return { path, descriptor: this.#open(path, below(parent, name), directoryFlags) };
  }

  /** null: there is none. */
  file(parent: Place, name: string): AgentFile | null {
    const path = `${parent.path}/${name}`;
    return orAbsent(() => this.#regular(path, this.#open(path, below(parent, name), fileFlags)));
  }

  /** Of a directory; none where it is absent. */
  files(parent: Place, name: string): ReadonlyMap<string, AgentFile> {
    const found = new Map<string, AgentFile>();
    const place = orAbsent(() => this.directory(parent, name));
    if (place === null) return found;
    for (const one of namesIn(place)) {
      const file = this.file(place, one);
      if (file !== null) found.set(one, file);
    }
    return found;
  }

  #open(path: string, way: string, flags: number): number {
    try {
      const descriptor = openSync(way, flags);
      this.#opened.push(descriptor);
      return descriptor;
    } catch (cause) {
      throw unopened(path, cause);
    }
  }

  #regular(path: string, descriptor: number): AgentFile {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw notAcceptable(`${path} is no regular file`);
    return { path, sizeBytes: stats.size, read: reader(descriptor) };
  }
}

function orAbsent<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof StewardError && systemErrorCode(error.cause) === "ENOENT") return null;
    throw error;
  }
}

/** Through what is open: no name on the way is looked up again. */
function below({ descriptor }: Place, name: string): string {
  return `/proc/self/fd/${descriptor}/${name}`;
}

function namesIn({ path, descriptor }: Place): string[] {
  const directory = opendirSync(`/proc/self/fd/${descriptor}`);
  const names: string[] = [];
  try {
    for (let seen = 0; ; seen += 1) {
      const entry = directory.readSync();
      if (entry === null) return names;
      if (seen >= mostNames) throw notAcceptable(`${path} holds more than ${mostNames} files`);
      if (namePattern.test(entry.name)) names.push(entry.name);
    }
  } finally {
    directory.closeSync();
  }
}

function reader(descriptor: number): AgentFile["read"] {
  const readAt = promisify(readFrom);
  return async (buffer, position) => {
    const { bytesRead } = await readAt(descriptor, buffer, 0, buffer.length, position);
    return bytesRead;
  };
}

/** All of a small file, once. Throws `update_too_large`. */
export async function readWhole(file: AgentFile, maximumBytes: number): Promise<Uint8Array> {
  const tooLarge = (): StewardError =>
    new StewardError(
      "update_too_large",
      `${file.path} has more than the ${maximumBytes} bytes that it may have.`,
    );
  if (file.sizeBytes > maximumBytes) throw tooLarge();
  // One more than there were: what has grown meanwhile is no file that somebody has finished.
  const bytes = new Uint8Array(file.sizeBytes + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = await file.read(bytes.subarray(length), length);
    if (count === 0) break;
    length += count;
  }
  if (length > file.sizeBytes) throw notAcceptable(`${file.path} was changed while it was read`);
  return bytes.subarray(0, length);
}

/** The file that the agent keeps this role's metadata in. */
export function fileOfRole(files: ReadonlyMap<string, AgentFile>, role: string): AgentFile | undefined {
  return files.get(metadataFileName(role));
}

function unopened(path: string, cause: unknown): StewardError {
  const code = systemErrorCode(cause) ?? "";
  const reasons: Record<string, string> = {
    ELOOP: "is a link",
    ENOTDIR: "is no directory, or a link",
    ENXIO: "is no regular file",
    EACCES: "is nothing that the agent could open",
    ENOENT: "is not there",
  };
  return notAcceptable(`${path} ${reasons[code] ?? `cannot be opened (${code})`}`, cause);
}

function notAcceptable(what: string, cause?: unknown): StewardError {
  return new StewardError("update_not_acceptable", `Nothing is taken in: ${what}.`, { cause });
}
