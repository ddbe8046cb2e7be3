import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { storageError } from "../../store/files/durable-file.ts";
import type { PayloadCaps } from "./payload-caps.ts";
import { unsafePayload } from "./unsafe-payload.ts";

const once = "Pack the folder anew: tar -u and tar -r leave the former file in the archive.";
const asFile =
  "Pack it as a file of its own (tar --hard-dereference), or the file that it is another name of before it.";
const fewerEntries = "Pack many small files into one that the product reads, such as a SquashFS image.";
const fewerLinks = "Pack files in place of links (tar -h --hard-dereference).";

/** A file that is being written. Its size is that which was announced once it is closed. */
export interface NewFile {
  write(piece: Uint8Array, at: number): void;
  close(): void;
}

/**
 * The place of a release that is unpacked: a directory of a device, or only its names. Paths are below its top and have slashes, and all
 * directories above them are there. Makes nothing over what is there (EEXIST), and follows no link.
 */
export interface TreeStore {
  /** Follows the directories above, which must be none but directories. null: nothing is there. */
  find(path: string): { readonly kind: "file" | "directory" | "other"; readonly sizeBytes: number } | null;
  makeDirectory(path: string): void;
  makeLink(path: string, target: string): void;
  makeHardLink(path: string, file: string, sizeBytes: number): void;
  makeFile(path: string, isExecutable: boolean, sizeBytes: number): NewFile;
}

export type ReleaseTree = ReturnType<typeof createReleaseTree>;

type TreeCaps = Pick<PayloadCaps, "entries" | "links" | "bytes">;

/** Puts the entries of an archive into a store, in their order. Throws `update_payload_unsafe` and what the store throws. */
export function createReleaseTree(store: TreeStore, caps: TreeCaps) {
  const count = createCount(caps);
  const begin = createParents(store, count);
  return {
    /** One that is there already is the same one. */
    directory: (path: readonly string[]): void => {
      const name = begin(path, 0);
      if (store.find(name)?.kind !== "directory") making(name, () => store.makeDirectory(name));
    },
    link: (path: readonly string[], target: string): void => {
      count.link();
      const name = begin(path, 0);
      making(name, () => store.makeLink(name, target));
    },
    /** Another name of an earlier file, which counts as a copy does. */
    hardLink: (path: readonly string[], file: readonly string[]): void => {
      count.link();
      const former = file.join("/");
      const isFound = above(file).every((one) => store.find(one)?.kind === "directory");
      const found = isFound ? store.find(former) : null;
      const name = begin(path, found?.sizeBytes ?? 0);
      if (found?.kind !== "file")
        throw unsafePayload("is a hard link to no earlier file of the archive", { name, wayOut: asFile });
      making(name, () => store.makeHardLink(name, former, found.sizeBytes));
    },
    /** `sizeBytes` is the size announced by the archive. The returned file takes the content. */
    file: (path: readonly string[], isExecutable: boolean, sizeBytes: number): NewFile => {
      const name = begin(path, sizeBytes);
      return making(name, () => store.makeFile(name, isExecutable, sizeBytes));
    },
  };
}

function createCount(caps: TreeCaps) {
  let [entries, links, bytes] = [0, 0, 0];
  return {
    entry: (sizeBytes: number): void => {
      entries += 1;
      bytes += sizeBytes;
      if (entries > caps.entries)
        throw unsafePayload(`it has more than ${caps.entries} entries`, { wayOut: fewerEntries });
      if (bytes > caps.bytes) throw tooLarge(caps);
    },
    link: (): void => {
      links += 1;
      if (links > caps.links)
        throw unsafePayload(`it has more than ${caps.links} links`, { wayOut: fewerLinks });
    },
  };
}

export function tooLarge({ bytes }: Pick<PayloadCaps, "bytes">): Error {
  const wayOut = "Leave out what the product can fetch or make itself.";
  return unsafePayload(`it holds more than ${bytes / 1024 ** 3} GiB`, { wayOut });
}

/** Makes directories that an archive leaves out, and counts entries. An existing one must be no link. */
function createParents(store: TreeStore, count: ReturnType<typeof createCount>) {
  // The last parent, so that the next file in the same directory does not check each of its parents again.
  let knownParent = "";
  return (path: readonly string[], sizeBytes: number): string => {
    const name = path.join("/");
    const parent = path.slice(0, -1).join("/");
    for (const one of parent === knownParent ? [] : above(path)) {
      const found = store.find(one);
      if (found?.kind === "directory") continue;
      if (found) throw unsafePayload("is below something that is not a directory", { name });
      count.entry(0);
      making(one, () => store.makeDirectory(one));
    }
    knownParent = parent;
    count.entry(sizeBytes);
    return name;
  };
}

/** The directories above a path, the highest first. */
function above(path: readonly string[]): string[] {
  return path.slice(0, -1).map((_, index) => path.slice(0, index + 1).join("/"));
}

function making<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (systemErrorCode(cause) === "EEXIST")
      throw unsafePayload("appears twice", { name, cause, wayOut: once });
    throw cause instanceof StewardError ? cause : storageError(name, cause);
  }
}
