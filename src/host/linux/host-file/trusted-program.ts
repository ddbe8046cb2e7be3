import { lstat, readlink, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemErrorCode } from "../../../contract/errors.ts";
import { refuseForeign, type TrustCheck } from "./trusted-file.ts";

/** Links followed on the way: as many as Linux follows (path_resolution(7)). */
const mostLinks = 40;

/** Refuses a program that others could replace: every directory and link on its way counts. Throws what `refuse` makes. */
export async function refuseForeignProgram(program: string, check: TrustCheck): Promise<void> {
  try {
    const real = await checkedPath(program, check);
    refuseForeign(real, check);
    const found = await stat(real);
    if (!found.isFile()) throw check.refuse(program, "must be a regular file");
    if ((found.mode & 0o111) === 0) throw check.refuse(program, "is not executable: run chmod a+x on it");
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw check.refuse(program, "does not exist");
    // A user who cannot see it does not run it: root reads the host file again before it does.
    if (code !== "EACCES") throw error;
  }
}

/** The resolved path; the directories of its links have been checked. */
async function checkedPath(path: string, check: TrustCheck): Promise<string> {
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
    refuseForeign(real, check);
    links += 1;
    if (links > mostLinks) throw check.refuse(path, "leads through too many links");
    const target = await readlink(at);
    names.unshift(...target.split("/"));
    if (target.startsWith("/")) real = "/";
  }
  return real;
}
