import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { sampled } from "../basics/counts.ts";

/** Compiles the library for LD_PRELOAD that counts, asks, kills and keeps; see its sources. Gives back its path. */
export function compileKillAt(directory: string): string {
  const library = join(directory, "kill-at.so");
  const sources = ["kill-at.c", "kept-disk.c"].map((name) => join(import.meta.dirname, name));
  const options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library];
  execFileSync("cc", [...options, ...sources, "-ldl"], { stdio: "pipe" });
  return library;
}

/**
 * The files that remain. `killed`: all of it, since a kill leaves the page cache. `cut`: a power cut, so nothing that was
 * not synchronised. `cut late`: all names and none of the contents that were not, as a journal of metadata leaves it.
 */
export type Loss = "killed" | "cut" | "cut late";

/** Each way to leave the directory that a run can be ended in, once. */
export interface State {
  /** The run was first ended like this at this place: it names the next call and the kind of loss. */
  readonly where: string;
  /** The run had ended without a signal, with success, and had said so. */
  readonly isEnd: boolean;
  /** The directory that was watched, which texts in it may name. */
  readonly from: string;
  /** The caller noted this about the run at that moment. */
  readonly note: unknown;
  /** Puts it into an absent or empty directory. */
  put(directory: string): void;
}

/** Takes every end that a run reported, and one in so many of all other states. */
export function sampledStates(states: readonly State[], oneIn: number): readonly State[] {
  const [ends, others] = [true, false].map((isEnd) => states.filter((state) => state.isEnd === isEnd));
  return [...sampled(others ?? [], { oneIn }), ...(ends ?? [])];
}

export interface Watched<E> {
  /** The calls that were asked about, halves of writes left out, in order. */
  readonly calls: readonly string[];
  /** Moments at which it might have been ended, times three ways. */
  readonly points: number;
  readonly states: readonly State[];
  readonly ended: E;
}

export interface WatchOptions<E> {
  readonly library: string;
  /** The directory that is examined and restored. */
  readonly directory: string;
  /** Only these paths in it are counted and may be lost; absent: all of it. They must exist. */
  readonly below?: readonly string[];
  /** Runs the program with this in its environment. */
  readonly start: (environment: Record<string, string>) => Promise<E>;
  /** The calls that matter; absent: all. */
  readonly concerns?: RegExp;
  /** A text of a file or a link without what differs from run to run and means nothing. */
  readonly readable?: (text: string) => string;
  /** Looked at beside the files: two states of another note are two. */
  readonly note?: () => unknown;
}

/**
 * Runs a program once, holds it at each call that changes a file and in the middle of each write, and gathers what the
 * directory would hold had it ended there: killed, or by a power cut.
 */
export async function watchRun<E>(options: WatchOptions<E>): Promise<Watched<E>> {
  const { directory, below = [directory], concerns = /./, note = () => null } = options;
  const place = mkdtempSync(`${directory}-watched-`);
  const disk = join(place, "disk");
  mkdirSync(disk);
  const fifos = ["asked", "answer"].map((name) => join(place, name));
  execFileSync("mkfifo", fifos);
  const [asked, answer] = (await Promise.all(fifos.map((path) => open(path, "r+")))) as [
    FileHandle,
    FileHandle,
  ];
  const states = new Map<string, State>();
  const calls: string[] = [];
  let points = 0;
  const gather = (where: string, isEnd: boolean): void => {
    const present = note();
    for (const [loss, tree] of Object.entries(left(directory, { below, disk }))) {
      points += 1;
      const key = `${isEnd} ${JSON.stringify(present)} ${digestOf(tree, options.readable)}`;
      if (states.has(key)) continue;
      const state = { where: `${loss}: ${where}`, isEnd, from: directory, note: present };
      states.set(key, { ...state, put: (into) => putTree(tree, into) });
    }
  };
  try {
    const running = options.start({
      LD_PRELOAD: options.library,
      UV_USE_IO_URING: "0",
      KILL_AT_DIRECTORY: below.join(":"),
      KILL_AT_GATE: place,
      KEPT_DISK: disk,
    });
    const ended = running.finally(() => asked.write("\n"));
    for await (const line of linesOf(asked)) {
      const call = line.replace(/^\d+ /, "").replaceAll(`${directory}/`, "");
      if (!call.startsWith("half-write ")) calls.push(call);
      if (concerns.test(call)) gather(`${calls.length} ${call}`, false);
      await answer.write(".");
    }
    const result = await ended;
    gather("its end", true);
    return { calls, points, states: [...states.values()], ended: result };
  } finally {
    await Promise.all([asked.close(), answer.close()]);
    rmSync(place, { recursive: true });
  }
}

/** Until an empty one comes. */
async function* linesOf(fifo: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(65_536);
  for (let text = ""; ; ) {
    const { bytesRead } = await fifo.read(buffer, 0, buffer.length, null);
    text += buffer.subarray(0, bytesRead).toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") return;
      yield line;
    }
  }
}

type Entry =
  | { readonly kind: "directory"; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly mode: number; readonly content: Buffer; readonly key: string };

/** By path from the directory; those above come first. */
type Tree = Map<string, Entry>;

function left(
  directory: string,
  { below, disk }: { below: readonly string[]; disk: string },
): Record<Loss, Tree> {
  const killed: Tree = new Map();
  readLive(directory, "", killed);
  const watched = below.map((path) => path.slice(directory.length + 1));
  const isWatched = (path: string): boolean =>
    watched.some((one) => one === "" || path === one || path.startsWith(`${one}/`));
  const late: Tree = new Map();
  const cut: Tree = new Map();
  for (const [path, entry] of killed) {
    if (!isWatched(path) || entry.kind !== "file") late.set(path, entry);
    else late.set(path, { ...entry, content: contentOnDisk(disk, entry.key) });
    if (!isWatched(path) || watched.includes(path)) cut.set(path, entry);
  }
  const roots = readFileSync(join(disk, "roots"), "utf8").trimEnd().split("\n");
  for (const [index, key] of roots.entries()) readKept(disk, key, watched[index] ?? "", cut);
  return { killed, cut, "cut late": late };
}

function readLive(directory: string, below: string, into: Tree): void {
  for (const name of readdirSync(join(directory, below)).sort()) {
    const path = below === "" ? name : `${below}/${name}`;
    const absolute = join(directory, path);
    const stats = lstatSync(absolute, { bigint: true });
    const mode = Number(stats.mode & 0o7777n);
    if (stats.isDirectory()) {
      into.set(path, { kind: "directory", mode });
      readLive(directory, path, into);
    } else if (stats.isSymbolicLink()) into.set(path, { kind: "link", target: readlinkSync(absolute) });
    else if (stats.isFile()) {
      const key = `${stats.ino.toString(16)}-${stats.birthtimeNs.toString(16)}`;
      const content = contentOf(absolute, `${key} ${stats.size} ${stats.ctimeNs}`);
      into.set(path, { kind: "file", mode, content, key });
    }
  }
}

function readKept(disk: string, directoryKey: string, below: string, into: Tree): void {
  const list = join(disk, `d${directoryKey}`);
  // The directory was made and never synchronised, so its content cannot be found.
  const lines = existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : [];
  for (const line of lines.sort()) {
    const [, kind, key = "", mode = "", name, target = ""] =
      /^([dlf]) (\S+) (\d+) ([^\t]+)\t(.*)$/.exec(line) ?? [];
    const path = below === "" ? String(name) : `${below}/${name}`;
    const rights = Number.parseInt(mode, 8);
    if (kind === "l") into.set(path, { kind: "link", target });
    else if (kind === "f")
      into.set(path, { kind: "file", mode: rights, content: contentOnDisk(disk, key), key });
    else {
      into.set(path, { kind: "directory", mode: rights });
      readKept(disk, key, path, into);
    }
  }
}

const nothing = Buffer.alloc(0);

function contentOnDisk(disk: string, key: string): Buffer {
  const path = join(disk, `f${key}`);
  if (!existsSync(path)) return nothing;
  const { ino, size, ctimeNs } = statSync(path, { bigint: true });
  return contentOf(path, `${ino} ${size} ${ctimeNs}`);
}

/** Read once as long as nothing has changed, and had once whatever its name: states share what they hold. */
const contents = new Map<string, Buffer>();
const known = new Map<string, Buffer>();

function contentOf(path: string, version: string): Buffer {
  const found = known.get(`${path} ${version}`);
  if (found) return found;
  const read = readFileSync(path);
  const digest = createHash("sha1").update(read).digest("hex");
  const content = contents.get(digest) ?? read;
  contents.set(digest, content);
  known.set(`${path} ${version}`, content);
  return content;
}

/** Longer contents are payloads, which say nothing of times and places. */
const mostReadableBytes = 65_536;

function digestOf(tree: Tree, readable: (text: string) => string = (text) => text): string {
  const lines = [...tree].map(([path, entry]) => {
    // A file with a random name is the same under another.
    const name = path.replaceAll(/\.[0-9a-f]{12}\.tmp/g, ".*.tmp");
    if (entry.kind === "directory") return `${name} ${entry.mode}`;
    if (entry.kind === "link") return `${name} -> ${readable(entry.target)}`;
    const { content } = entry;
    const bytes =
      content.length > mostReadableBytes ? content : Buffer.from(readable(content.toString("latin1")));
    return `${name} ${entry.mode} ${createHash("sha1").update(bytes).digest("hex")}`;
  });
  return createHash("sha1").update(lines.sort().join("\n")).digest("hex");
}

/** One text for all directories that hold the same; what `besides` names is left out. */
export function digestOfDirectory(
  directory: string,
  readable: (text: string) => string,
  besides: RegExp,
): string {
  const tree: Tree = new Map();
  readLive(directory, "", tree);
  return digestOf(new Map([...tree].filter(([path]) => !besides.test(path))), readable);
}

function putTree(tree: Tree, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const [path, entry] of tree) {
    const absolute = join(directory, path);
    if (entry.kind === "directory") mkdirSync(absolute, { mode: entry.mode });
    else if (entry.kind === "link") symlinkSync(entry.target, absolute);
    else writeFileSync(absolute, entry.content, { mode: entry.mode });
    // Whatever the umask takes away.
    if (entry.kind !== "link") chmodSync(absolute, entry.mode);
  }
}
