import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Compiles a C file of this folder with `cc` into the directory and gives back the path of what came out. */
export function compiled(name: string, directory: string, flags: readonly string[] = []): string {
  const target = join(directory, name.replace(/\.c$/, ""));
  execFileSync("cc", ["-O1", "-Wall", "-Werror", ...flags, "-o", target, join(import.meta.dirname, name)]);
  return target;
}
