import fs, { readdirSync, readlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { TestContext } from "node:test";
import { atEnd, type Ending } from "../basics/ending.ts";

/** One call of this process to the disk. */
export interface DiskCall {
  readonly what: "open" | "list" | "sync" | "mkdir" | "rename" | "rm" | "unlink";
  readonly path: string;
  /** Only an open has them. */
  readonly flags?: unknown;
}

/** True if the call changes the disk, or makes a change last. */
export function isOfChange({ what }: DiskCall): boolean {
  return what !== "open" && what !== "list";
}

/**
 * Lets a test put other functions in the place of one of `fs` or `fs.promises`, until its end; `own` is Node's. Imports by
 * name get the object's present function.
 */
export function replaced<Module extends object, Name extends keyof Module>(
  test: Ending,
  module: Module,
  name: Name,
) {
  const own = module[name];
  const put = (next: Module[Name]): void => {
    Object.assign(module, { [name]: next });
    syncBuiltinESMExports();
  };
  atEnd(test, () => put(own));
  return { own, put };
}

/** Every call of this process until the end of the test, as it comes to its end. */
export function watchDisk(test: TestContext): DiskCall[] {
  const calls: DiskCall[] = [];
  const { openSync, readdirSync } = fs;
  const { open, readdir, mkdir, rename, rm, unlink } = fs.promises;
  const put = (sync: object, later: object) => {
    Object.assign(fs, sync);
    Object.assign(fs.promises, later);
    // Imports by name get the object's present functions.
    syncBuiltinESMExports();
  };
  atEnd(test, () => put({ openSync, readdirSync }, { open, readdir, mkdir, rename, rm, unlink }));
  const noted =
    <A extends unknown[], R>(what: DiskCall["what"], work: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const result = await work(...given);
      // A rename is noted with its new name.
      calls.push({ what, path: String(given[what === "rename" ? 1 : 0]) });
      return result;
    };
  put(
    {
      openSync: (...given: Parameters<typeof openSync>) => {
        calls.push({ what: "open", path: String(given[0]), flags: given[1] });
        return openSync(...given);
      },
      readdirSync: (...given: Parameters<typeof readdirSync>) => {
        calls.push({ what: "list", path: String(given[0]) });
        return readdirSync(...given);
      },
    },
    {
      open: async (...given: Parameters<typeof open>) => {
        const [path, flags] = [String(given[0]), given[1]];
        const file = await open(...given);
        calls.push({ what: "open", path, flags });
        const [sync, datasync] = [file.sync.bind(file), file.datasync.bind(file)];
        file.sync = () => noted("sync", (_: string) => sync())(path);
        file.datasync = () => noted("sync", (_: string) => datasync())(path);
        return file;
      },
      readdir: noted("list", readdir as (...given: unknown[]) => Promise<unknown>),
      mkdir: noted("mkdir", mkdir as (...given: unknown[]) => Promise<unknown>),
      rename: noted("rename", rename),
      rm: noted("rm", rm),
      unlink: noted("unlink", unlink),
    },
  );
  return calls;
}

/** Lists the paths that this process holds open in a directory, or the directory itself: one for each descriptor. */
export function heldIn(directory: string): string[] {
  const found = readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // The one by which this list was read.
      return [];
    }
  });
  return found.filter((path) => path === directory || path.startsWith(`${directory}/`));
}
