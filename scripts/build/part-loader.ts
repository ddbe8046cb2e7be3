/**
 * Runs in the built program: loads its parts. A part is a function expression, as Node wraps a CommonJS module, in a file
 * of its own. A file of several parts is an object of them by their names: a program's first one has all that its start
 * loads. Beside a file is V8's cache of its compiled code, which saves a third of the start.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { constants, Script } from "node:vm";

type Require = (name: string) => unknown;

type Part = (
  exports: unknown,
  require: Require,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

/**
 * Gives the function that loads a part of the program in `home` by its name, or what was loaded before. A part finds
 * others by `./NAME`, all else through `requireOther`, and `home` as its own directory.
 */
export function createPartLoader(
  home: string,
  requireOther: Require,
  onCompiled: (name: string, script: Script) => void = () => undefined,
): Require {
  const loaded = new Map<string, { exports: unknown }>();
  const compiled = new Map<string, Part>();
  const compile = (name: string): Part | undefined => {
    const script = compilePart(home, name);
    onCompiled(name, script);
    const found: Part | Readonly<Record<string, Part>> = script.runInThisContext();
    if (typeof found === "function") return found;
    for (const [other, part] of Object.entries(found)) compiled.set(other, part);
    return found[name];
  };
  const load: Require = (name) => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const run = compiled.get(name) ?? compile(name);
    const requirePart: Require = (other) =>
      other.startsWith("./") ? load(other.slice(2)) : requireOther(other);
    run?.(module.exports, requirePart, module, partPath(home, name), home);
    return module.exports;
  };
  return load;
}

/** Not by join(): V8 would see so many paths normalised at the start that it optimised that, for 3 MiB of its compiler's pages. */
const partPath = (home: string, name: string): string => `${home}/parts/${name}`;

/**
 * This Node, by its release and the seconds of its file: V8 refuses the cache of another version of its own, but releases of
 * Node share a version that each of them patches, and so may two packages of one release. Node 20.19 ends by SIGSEGV with a
 * cache of 20.20. Read at the start, since an upgrade replaces the file of a Node that runs.
 */
const runtime = `${process.version}-${Math.floor(statSync(process.execPath).mtimeMs / 1_000)}`;

/** The code cache of a part has this path. Its name has the hash of the part, so it is never that of another build. */
export function codeCachePath(home: string, name: string): string {
  return partPath(home, `${name.slice(0, -".js".length)}.${runtime}.cache`);
}

/** V8 refuses a cache that another version of it has made, and compiles the part instead. */
function compilePart(home: string, name: string): Script {
  const filename = partPath(home, name);
  // The build writes ASCII, and UTF-8 takes twice as long to read. As a member's name the text goes where V8 keeps lasting
  // objects; as a text that may go soon it would be half of the new at the start, for which V8 doubles the room that it
  // gives to new objects.
  const bytes = read(filename);
  const [source = ""] = Object.keys({ [Buffer.from(bytes.buffer).toString("latin1", 0, bytes.length)]: 0 });
  release(bytes);
  const cachedData = readIfThere(codeCachePath(home, name));
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename, importModuleDynamically, ...(cachedData && { cachedData }) });
  if (cachedData) release(cachedData);
  return script;
}

function readIfThere(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

/** In memory of its own, not in a part of the pool that Node's own readers share. */
function read(path: string): Uint8Array<ArrayBuffer> {
  const file = openSync(path, "r");
  try {
    const bytes = new Uint8Array(fstatSync(file).size);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

/** A megabyte that is not used again, and that a program at rest would keep until it next collects its garbage. */
function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  structuredClone(buffer, { transfer: [buffer] });
}
