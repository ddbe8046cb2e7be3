/**
 * Large scripts, by V8's code cache: the 7 MB of playwright-core and the 3 MB of happy-dom take each of the many files
 * that show a page half a second of processor time to parse. The first file of a checkout to end leaves the cache for
 * all that come.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script, type ScriptOptions } from "node:vm";

// As for Chromium's pages: what compiles for a long run takes a sixth of such a file's processor time, and gives nothing.
// V8 refuses what was compiled under other flags, so that all files that share the cache have this one.
setFlagsFromString("--no-opt");

const caches = join(import.meta.dirname, "../../.cache");

/** The script as V8 has compiled it, with the functions that earlier runs needed; the cache's file has the `name`. */
export function compiled(text: string, name: string, options: ScriptOptions): Script {
  // V8 itself compares no more than the length.
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const cache = join(caches, `compiled-${name}-${hash}-${process.versions.v8}-${process.arch}`);
  const cachedData = readIfThere(cache);
  const script = new Script(text, { ...options, ...(cachedData && { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected)
    process.once("exit", () => keep(cache, script.createCachedData()));
  return script;
}

/** The text of this name; the first file that needs it makes it for all that come. */
export async function keptText(name: string, make: () => Promise<string>): Promise<string> {
  const path = join(caches, name);
  const kept = readIfThere(path);
  if (kept !== undefined) return kept.toString();
  const text = await make();
  keep(path, text);
  return text;
}

/** Several files may end at the same moment: each puts a whole one in place. */
function keep(path: string, content: string | Buffer): void {
  mkdirSync(caches, { recursive: true });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, content);
  renameSync(part, path);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
