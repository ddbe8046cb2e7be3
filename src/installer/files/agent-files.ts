import { closeSync, constants, fstatSync, opendirSync, openSync, readSync } from "node:fs";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { AsAgent } from "../../host/host.ts";
import { metadataFileName } from "../../tuf/metadata-files.ts";

/** An opened regular file of the agent. Its content is not trusted, and may change at any time. */
export interface AgentFile {
  readonly path: string;
  /** At the time it was opened. */
  readonly sizeBytes: number;
  /** Reads from `position` on, at most as much as the buffer holds; 0: the end. */
  read(buffer: Uint8Array, position: number): number;
}

/** The files that the agent has staged for one release, all opened at once: renaming them later changes nothing. */
export interface AgentFiles {
  readonly payload: AgentFile;
  /** The metadata that the agent trusts, by file name. */
  readonly metadata: ReadonlyMap<string, AgentFile>;
  /** The root metadata that the agent has followed. */
  readonly roots: ReadonlyMap<string, AgentFile>;
  close(): void;
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Follows no link, and does not block on a fifo or a lease. */
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Files in one directory: delegated roles, those of earlier searches, and leftovers. */
const mostNames = 512;
/** The names that the agent writes; its temporary names do not match. */
const namePattern = /^[A-Za-z0-9_%-]{1,250}\.json$/;

/** Opens the agent's files with its rights, following no link: none that it could not. Throws `update_not_acceptable`. */
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
  if (payload === null) throw notAcceptable(`${staged.path}/${id}.tar.gz does not exist`);
  return { payload, metadata: walk.files(updates, "metadata"), roots: walk.files(updates, "roots") };
}

interface Place {
  readonly path: string;
  readonly descriptor: number;
}

/** Descends through open directories. The caller closes every descriptor. */
class Walk {
  readonly base: Place;
  readonly #opened: number[];

  constructor(path: string, opened: number[]) {
    this.#opened = opened;
    // Root chose this path, so a link in it is allowed.
    this.base = { path, descriptor: this.#open(path, path, constants.O_RDONLY | constants.O_DIRECTORY) };
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

  /** The files of a directory; none if it does not exist. */
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

  #open(path: string, through: string, flags: number): number {
    try {
      const descriptor = openSync(through, flags);
      this.#opened.push(descriptor);
      return descriptor;
    } catch (cause) {
      throw unopened(path, cause);
    }
  }

  #regular(path: string, descriptor: number): AgentFile {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw notAcceptable(`${path} is not a regular file`);
    return {
      path,
      sizeBytes: stats.size,
      read: (buffer, position) => readSync(descriptor, buffer, 0, buffer.length, position),
    };
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

/** Resolved through the open directory, so that no name on the way is looked up again. */
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

/** All of a small file, once. Throws `update_too_large`. */
export function readWhole(file: AgentFile, maximumBytes: number): Uint8Array {
  const tooLarge = (): StewardError =>
    new StewardError("update_too_large", `${file.path} is larger than the limit of ${maximumBytes} bytes.`);
  if (file.sizeBytes > maximumBytes) throw tooLarge();
  // One byte more than the size, to notice a file that is still being written.
  const bytes = new Uint8Array(file.sizeBytes + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = file.read(bytes.subarray(length), length);
    if (count === 0) break;
    length += count;
  }
  if (length > file.sizeBytes) throw notAcceptable(`${file.path} was changed while it was read`);
  return bytes.subarray(0, length);
}

export function fileOfRole(files: ReadonlyMap<string, AgentFile>, role: string): AgentFile | undefined {
  return files.get(metadataFileName(role));
}

function unopened(path: string, cause: unknown): StewardError {
  const code = systemErrorCode(cause) ?? "";
  const reasons: Record<string, string> = {
    ELOOP: "is a link",
    ENOTDIR: "is not a directory, or is a link",
    ENXIO: "is not a regular file",
    EACCES: "cannot be opened by the agent",
    ENOENT: "does not exist",
  };
  return notAcceptable(`${path} ${reasons[code] ?? `cannot be opened (${code})`}`, cause);
}

function notAcceptable(what: string, cause?: unknown): StewardError {
  return new StewardError("update_not_acceptable", `The staged release cannot be used: ${what}.`, { cause });
}
