import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The folder `name` with these packages of Debian, whose `programs` (paths in it) find all that they link to. */
export function unpacked(name: string, programs: string, ...packages: readonly string[]): string {
  const words = ["scripts/unpack-packages.sh", name, programs, ...packages];
  return execFileSync("sh", words, { cwd: root, encoding: "utf8" }).trim();
}
