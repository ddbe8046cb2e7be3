import { lstat, readlink, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import { type Judge, refuseForeign } from "./trusted-file.ts";

/** Links that lead on to links: as many as Linux follows (path_resolution(7)). */
const mostLinks = 40;

/**
 * Refuses a program that anybody but root, or who else is trusted, could replace: it is run later, by its name, so every
 * directory and link on the way to it counts, and not only where it lies now. Throws what `refuse` makes.
 */
export async function refuseForeignProgram(program: string, judge: Judge): Promise<void> {
  try {
    const real = await judgedWay(program, judge);
    await refuseForeign(real, judge);
    const found = await stat(real);
    if (!found.isFile()) throw judge.refuse(program, "must be a regular file");
    if ((found.mode & 0o111) === 0) throw judge.refuse(program, "may not be run: chmod a+x it");
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw judge.refuse(program, "does not exist");
    // Whoever cannot see it will not run it: root reads the host file again before it does.
    if (code !== "EACCES") throw error;
  }
}

/** Where the path leads; the directories that its links lie in have been judged. */
async function judgedWay(path: string, judge: Judge): Promise<string> {
  let real = "/";
  let links = 0;
  const names = path.split("/");
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === "" || name === ".") continue;
    const at = name === ".." ? dirname(real) : join(real, name);
    const found = await lstat(at);
    if (!found.isSymbolicLink()) {
      real = at;
      continue;
    }
    await refuseForeign(real, judge);
    links += 1;
    if (links > mostLinks) throw judge.refuse(path, "leads through too many links");
    const target = await readlink(at);
    names.unshift(...target.split("/"));
    if (target.startsWith("/")) real = "/";
  }
  return real;
}
