/** In the built agent in the place of node:path. */
import { join as joinAny, resolve as resolveAny } from "node:path";

export { basename, dirname, extname, isAbsolute, normalize, relative, sep } from "node:path";

/** A path that is empty, or begins with a dot, and segments that are empty or lead to a directory itself or above it. */
const irregular = /^\.{0,2}$|^\.{1,2}\/|\/\.{0,2}(\/|$)/;

/**
 * As that of node:path, which looks at each character of a path. From Node 24 on, V8 optimises that code after some fifteen
 * paths, of which a start joins 68, and what it needs of its compiler for that stays in memory: 0.3 to 0.6 MiB.
 */
export function join(...segments: string[]): string {
  const path = segments.join("/");
  return segments[0] === "" || irregular.test(path) ? joinAny(...segments) : path;
}

/** As that of node:path. */
export function resolve(...segments: string[]): string {
  const last = segments.at(-1) ?? "";
  return last.startsWith("/") && !irregular.test(last) ? last : resolveAny(...segments);
}
