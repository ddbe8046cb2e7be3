import { open } from "node:fs/promises";
import { rethrown, StewardError } from "../../contract/errors.ts";
import { readPayload } from "../../releases/payload/read-payload.ts";
import type { TreeStore } from "../../releases/payload/release-tree.ts";
import { UnsafePayload } from "../../releases/payload/unsafe-payload.ts";
import { unreadable } from "../files.ts";
import { createFindings } from "./findings.ts";
import { createRemarks } from "./remarks.ts";

/**
 * Judges a payload as devices do, by the same code, and writes nothing. Gives remarks on what they take and its maker may not
 * mean. Throws `validation_failed` with all that they refuse. `file` is the maker's own name for it.
 */
export async function judgePayload(path: string, file: string): Promise<readonly string[]> {
  const faults = createFindings();
  const remarks = createRemarks();
  const onFault = ({ why, entry, wayOut }: UnsafePayload): void =>
    faults.add(`${why}. ${wayOut}`, entry ?? file);
  const payload = await open(path, "r").catch(rethrown((error) => unreadable(path, error)));
  try {
    const tree = createNamedTree(remarks.onContent);
    await readPayload(payload, tree, { onFault, onEntry: remarks.onEntry });
  } catch (error) {
    if (!(error instanceof UnsafePayload)) throw error;
    onFault(error);
  } finally {
    await payload.close();
  }
  const errors = faults.all().map(({ entries, finding }) => {
    return { pointer: entries, code: "unsafe", detail: finding };
  });
  if (errors.length === 0) return remarks.all();
  const message = `Devices would refuse ${file}. Nothing was changed.`;
  throw new StewardError("validation_failed", message, { details: { errors } });
}

type Found = NonNullable<ReturnType<TreeStore["find"]>>;

/**
 * A tree of names without content, which refuses as a file system does. `onContent` gets the first bytes of each file, and
 * whether it is executable.
 */
function createNamedTree(
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
