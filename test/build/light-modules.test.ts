import assert from "node:assert/strict";
import * as ofNode from "node:fs/promises";
import * as pathsOfNode from "node:path";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import * as files from "../../scripts/build/light/files.ts";
import * as paths from "../../scripts/build/light/paths.ts";

type Files = Pick<typeof ofNode, keyof typeof files>;
const light = files as unknown as Files;

/** A value, or the code of the system's error. */
const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: NodeJS.ErrnoException) => error.code);

/** In turn in a directory of their own; each with the error that comes of it. */
const steps: Readonly<Record<string, (of: Files, directory: string) => Promise<unknown>>> = {
  "writes a file": (of, at) => of.writeFile(join(at, "a"), "one", { flag: "wx", mode: 0o600 }),
  "writes no file twice": (of, at) => of.writeFile(join(at, "a"), "two", { flag: "wx" }),
  "reads text": (of, at) => of.readFile(join(at, "a"), "utf8"),
  "reads bytes": (of, at) => of.readFile(join(at, "a")),
  "reads no directory": (of, at) => of.readFile(at),
  "makes directories": async (of, at) =>
    (await of.mkdir(join(at, "b/c"), { recursive: true })) === join(at, "b"),
  "makes no directory twice": (of, at) => of.mkdir(join(at, "b")),
  "makes a directory with a new name": async (of, at) => (await of.mkdtemp(join(at, "new-"))).startsWith(at),
  "lists names": async (of, at) => (await of.readdir(join(at, "b"))).length,
  "lists entries": async (of, at) =>
    (await of.readdir(join(at, "b"), { withFileTypes: true })).map((entry) => [
      entry.name,
      entry.isDirectory(),
    ]),
  "changes a mode": (of, at) => of.chmod(join(at, "a"), 0o640),
  "says what a file is": async (of, at) => (await of.stat(join(at, "a"))).mode,
  "says what a link is": async (of, at) => (await of.lstat("/proc/self")).isSymbolicLink() && at.length > 0,
  "reads no link": (of, at) => of.readlink(join(at, "a")),
  "says how full a disk is": async (of, at) => (await of.statfs(at)).type,
  "gives a file a second name": (of, at) => of.link(join(at, "a"), join(at, "d")),
  "copies a file": (of, at) => of.copyFile(join(at, "a"), join(at, "e")),
  "cuts a file": async (of, at) => [
    await of.truncate(join(at, "e"), 1),
    await of.readFile(join(at, "e"), "utf8"),
  ],
  "renames a file": (of, at) => of.rename(join(at, "d"), join(at, "f")),
  "removes a name": (of, at) => of.unlink(join(at, "f")),
  "removes no absent name": (of, at) => of.unlink(join(at, "f")),
  "removes no full directory": (of, at) => of.rmdir(join(at, "b")),
  "removes what is absent": (of, at) => of.rm(join(at, "f"), { force: true }),
  "removes all of a directory": (of, at) => of.rm(join(at, "b"), { recursive: true }),
  "opens no absent file": (of, at) => of.open(join(at, "f")),
};

/** The same of an open file, which has the text "0123456789". */
const uses: Readonly<Record<string, (file: ofNode.FileHandle) => Promise<unknown>>> = {
  reads: async (file) => {
    const piece = Buffer.alloc(4);
    const { bytesRead } = await file.read(piece, 1, 3, 8);
    return [bytesRead, piece.toString("latin1")];
  },
  "reads where it has come to": async (file) => (await file.read(Buffer.alloc(4), 0, 4, null)).bytesRead,
  writes: async (file) => (await file.write(Buffer.from("abc"), 1, 2, 9)).bytesWritten,
  "writes the rest of a piece": async (file) => (await file.write(Buffer.from("abc"), 2)).bytesWritten,
  "writes a text": (file) => file.writeFile("text"),
  "changes its mode": (file) => file.chmod(0o640),
  "changes its owner": (file) => file.chown(process.getuid?.() ?? 0, process.getgid?.() ?? 0),
  "says what it is": async (file) => [(await file.stat()).size, (await file.stat()).mode],
  "is on the disk": async (file) => [await file.datasync(), await file.sync()],
  "is cut": (file) => file.truncate(12),
  "is read as a stream": async (file) =>
    (await buffer(file.createReadStream({ autoClose: false, start: 2 }))).toString("latin1"),
  "is closed, and then closed": async (file) => [
    file.fd > 0,
    await file.close(),
    await file.close(),
    file.fd,
  ],
  "is read no more": (file) => file.read(Buffer.alloc(1), 0, 1, 0),
};

describe("files as the built agent uses them", () => {
  for (const name of Object.keys(files))
    it(`have ${name}, which is tried here`, () => {
      assert.ok(Object.values(steps).some((step) => step.toString().includes(`of.${name}(`)));
    });

  it("give what node:fs/promises gives, errors as well", async (test) => {
    const [own, other] = [await temporaryDirectory(test), await temporaryDirectory(test)];
    for (const [name, step] of Object.entries(steps))
      assert.deepEqual(await outcomeOf(step(light, own)), await outcomeOf(step(ofNode, other)), name);
  });

  it("are open as Node's are", async (test) => {
    const path = join(await temporaryDirectory(test), "file");
    const outcomes = async (of: Files) => {
      await of.writeFile(path, "0123456789");
      const file = await of.open(path, "r+");
      const found: unknown[] = [];
      for (const use of Object.values(uses)) found.push(await outcomeOf(use(file)));
      return [...found, await of.readFile(path, "latin1")];
    };
    assert.deepEqual(await outcomes(light), await outcomes(ofNode));
  });

  it("are closed behind the uses that are under way", async (test) => {
    const path = join(await temporaryDirectory(test), "file");
    await light.writeFile(path, "0123456789");
    const file = await light.open(path);
    const order: string[] = [];
    const read = file
      .read(Buffer.alloc(10), 0, 10, 0)
      .then(({ bytesRead }) => order.push(`${bytesRead} read`));
    const closed = file.close().then(() => order.push("closed"));
    await assert.rejects(file.stat(), { code: "EBADF" });
    await Promise.all([read, closed]);
    assert.deepEqual(order, ["10 read", "closed"]);
  });

  it("refuse what else Node's open files can do", async (test) => {
    const path = join(await temporaryDirectory(test), "file");
    const [file, nodes] = await Promise.all([light.open(path, "w"), ofNode.open(path, "w")]);
    const members = Object.getOwnPropertyNames(Object.getPrototypeOf(nodes)).filter(
      (name) => name !== "getAsyncId",
    );
    assert.deepEqual(
      members.filter((name) => !(name in file)),
      [],
    );
    assert.throws(() => file.readFile, /scripts\/build\/light\/files\.ts/);
    await Promise.all([file.close(), nodes.close()]);
  });
});

describe("paths as the built agent joins them", () => {
  const segment = fc.oneof(
    fc.constantFrom(
      "",
      ".",
      "..",
      "/",
      "/etc",
      "a",
      ".a",
      "..a",
      "a.",
      "...",
      "a/b",
      "a//b",
      "./a",
      "../a",
      "a/",
      "a/.",
      "a/..",
    ),
    fc.string({ unit: fc.constantFrom("/", ".", "a") }),
  );
  const functions = {
    join: [paths.join, pathsOfNode.join],
    resolve: [paths.resolve, pathsOfNode.resolve],
  } as const;
  for (const [name, [own, ofNodes]] of Object.entries(functions))
    it(`are those of node:path: ${name}`, () => {
      const isSame = (segments: string[]) =>
        assert.equal(own(...segments), ofNodes(...segments), JSON.stringify(segments));
      fc.assert(fc.property(fc.array(segment), isSame), runs({ usual: 2_000, all: 50_000 }));
    });
});
