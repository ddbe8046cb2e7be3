import { readFile } from "node:fs/promises";

/**
 * The 49,233 common passwords and words of @zxcvbn-ts/language-common, one a line, as the build lays them beside
 * the program. Read at each change of a password, which is rare, and not kept: the set holds 3 MiB.
 */
export async function readCommonPasswords(path: string): Promise<ReadonlySet<string>> {
  return new Set((await readFile(path, "utf8")).split("\n"));
}
