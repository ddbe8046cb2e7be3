import { readFile } from "node:fs/promises";

/** Lower-case common passwords and words. */
export type CommonPasswords = Awaited<ReturnType<typeof readCommonPasswords>>;

/**
 * The 49,000 common passwords and words of @zxcvbn-ts/language-common, and some phrases, one a line in the order of their
 * UTF-16 units, from the file that the build puts beside the program. It is read at each change of a password, which is rare, and not
 * kept. The search works on the text: a set of the words would take 25 ms to make, and 3 MiB.
 */
export async function readCommonPasswords(path: string) {
  const lines = await readFile(path, "utf8");
  return { has: (word: string): boolean => hasLine(lines, word) };
}

function hasLine(lines: string, word: string): boolean {
  // Both are at the beginning of a line, or at the end of the text.
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const begin = middle === 0 ? 0 : lines.lastIndexOf("\n", middle - 1) + 1;
    const found = lines.indexOf("\n", begin);
    const end = found < 0 ? lines.length : found;
    const line = lines.slice(begin, end);
    if (line === word) return true;
    if (line < word) low = end + 1;
    else high = begin;
  }
  return false;
}
