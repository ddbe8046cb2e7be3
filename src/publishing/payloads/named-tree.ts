import type { TreeStore } from "../../releases/payload/release-tree.ts";

type Found = NonNullable<ReturnType<TreeStore["find"]>>;

/**
 * A tree of names without content, which refuses as a file system does. `onContent` gets the first bytes of each file, and
 * whether it is executable.
 */
export function createNamedTree(
  onContent: (path: string, first: Uint8Array, isExecutable: boolean) => void,
): TreeStore {
  const names = new Map<string, Found>();
  const make = (path: string, found: Found): void => {
    if (names.has(path)) throw Object.assign(new Error(`${path} is there`), { code: "EEXIST" });
    names.set(path, found);
  };
  return {
    find: (path) => names.get(path) ?? null,
    makeDirectory: (path) => make(path, { kind: "directory", sizeBytes: 0 }),
    makeLink: (path) => make(path, { kind: "other", sizeBytes: 0 }),
    makeHardLink: (path, _, sizeBytes) => make(path, { kind: "file", sizeBytes }),
    makeFile: (path, isExecutable, sizeBytes) => {
      make(path, { kind: "file", sizeBytes });
      return {
        write: (piece, at) => {
          if (at === 0) onContent(path, piece, isExecutable);
        },
        close: () => undefined,
      };
    },
  };
}
