import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { bigTar, bomb, writeHostileTar } from "../../../lab/archives/hostile-tars.ts";
import { longEntry, tarEnd, tarEntry, writeGzip } from "../../../lab/archives/tar-writer.ts";
import { makeScratch } from "../../../lab/publisher/site.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { freeSpace } from "../../../src/host/linux/free-space.ts";
import { createReleaseFiles } from "../../../src/installer/files/release-files.ts";
import { createTreeWriter } from "../../../src/installer/unpack/tree-writer.ts";
import { unpack } from "../../../src/installer/unpack/unpack.ts";
import { payloadCaps } from "../../../src/releases/payload/payload-caps.ts";
import { createReleaseTree, type ReleaseTree } from "../../../src/releases/payload/release-tree.ts";

const files = createReleaseFiles(createRunCommand(), freeSpace);

/** A tree with everything that a release may have in it. */
function makeTree(scratch: string): string {
  const tree = join(scratch, "tree");
  const deep = join(tree, "lib", "a".repeat(120), "b".repeat(120), "ü".repeat(60));
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(tree, "empty"));
  writeFileSync(join(deep, "größe – 100 %.json"), randomBytes(300_000));
  writeFileSync(join(tree, "lib", "nothing"), "");
  writeFileSync(join(tree, "program"), "#!/bin/sh\n");
  symlinkSync("../program", join(tree, "lib", "link"));
  symlinkSync("lib/./nothing", join(tree, "inside"));
  symlinkSync("not-yet", join(tree, "dangling"));
  symlinkSync(`${"a".repeat(120)}/${"b".repeat(120)}`, join(tree, "lib", "far"));
  // As the modes would be under the usual umask: that of the shell does not count.
  execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
  chmodSync(join(tree, "program"), 0o750);
  return tree;
}

/** As ls would show it: path, type, mode, link; and the hashes of the files. */
function picture(tree: string): string {
  const script = String.raw`find . -printf '%P %y %m %l\n' | sort; find . -type f -exec sha256sum {} + | sort`;
  return execFileSync("sh", ["-c", script], { cwd: tree, encoding: "utf8" });
}

/** A place for a release, and a payload with these pieces of an archive, or with one program. */
async function payloadOf(test: TestContext, pieces?: readonly Buffer[]) {
  const scratch = makeScratch(test);
  const at = (name: string) => join(scratch, name);
  const payload = at("payload.tar.gz");
  await writeGzip(payload, [
    ...(pieces ?? [tarEntry({ name: "program", content: Buffer.from("x") })]),
    tarEnd,
  ]);
  return { at, payload, release: at("release") };
}

describe("unpacking", () => {
  for (const format of ["gnu", "pax"])
    it(`gives the tree that tar --format=${format} has packed, for everybody to read`, async (test) => {
      const scratch = makeScratch(test);
      const tree = makeTree(scratch);
      const payload = join(scratch, "payload.tar.gz");
      execFileSync("tar", [`--format=${format}`, "-czf", payload, "-C", tree, "."]);
      const umask = process.umask(0o077);
      test.after(() => process.umask(umask));
      await unpack(payload, join(scratch, "release"), files);
      process.umask(umask);
      // The mode that a release has: x for all or for none.
      chmodSync(join(tree, "program"), 0o755);
      assert.deepEqual(picture(join(scratch, "release")), picture(tree));
      assert.match(picture(tree), /^program f 755 $/m);
    });

  it("reads an archive whose compressed pieces hold any number of bytes", async (test) => {
    const { payload, release } = await payloadOf(test);
    const archive = Buffer.concat([tarEntry({ name: "a", content: Buffer.from("x".repeat(600)) }), tarEnd]);
    // As much as is read at a time without a byte in it: what came before is handed on by itself.
    const nothing = Buffer.concat(Array(4_096).fill(gzipSync("")));
    const ends = [0, 100, 200, 900, archive.length];
    const parts = ends.slice(1).map((end, at) => gzipSync(archive.subarray(ends[at], end)));
    writeFileSync(payload, Buffer.concat(parts.flatMap((part) => [part, nothing])));
    await unpack(payload, release, files);
    assert.equal(readFileSync(join(release, "a"), "utf8"), "x".repeat(600));
  });

  it("makes the directories that an archive does not name, and counts them among its entries", async (test) => {
    const all = Array.from({ length: 4 }, (_, i) => tarEntry({ name: `d${i}/${"a/".repeat(40)}file` }));
    const { at, payload, release } = await payloadOf(test, all);
    // 4 × (1 + 40 + 1)
    await unpack(payload, release, files, { ...payloadCaps, entries: 168 });
    assert.equal(statSync(join(release, "d0/a/a")).mode & 0o7777, 0o755);
    assert.deepEqual(readdirSync(join(release, `d3/${"a/".repeat(40)}`)), ["file"]);
    const refused = unpack(payload, at("other"), files, { ...payloadCaps, entries: 167 });
    await assert.rejects(refused, /more than 167 entries/);
    assert.equal(existsSync(at("other")), false);
  });

  it("takes content of zeros, and names as long as a block, for no end", async (test) => {
    const zeros = Buffer.alloc(100_000);
    // GNU's record of this name is one block, and another one of which the last zero is the first byte.
    const name = `${"a/".repeat(30)}${"b".repeat(200)}/${"c".repeat(250)}/`.slice(0, 511).padEnd(512, "d");
    const entries = [
      tarEntry({ name: "zeros", content: zeros }),
      longEntry({ name }),
      tarEntry({ name: "last" }),
    ];
    const { payload, release } = await payloadOf(test, [...entries, tarEnd, Buffer.alloc(20_480)]);
    await unpack(payload, release, files);
    assert.deepEqual(readFileSync(join(release, "zeros")), zeros);
    for (const one of [name, "last"]) assert.ok(existsSync(join(release, one)), `${one} is missing`);
  });

  it("is on the disk when it has ended, and leaves nothing where the disk would not confirm it", async (test) => {
    const { at, payload, release } = await payloadOf(test);
    const synced: string[] = [];
    const sync = async (directory: string) => void synced.push(...readdirSync(directory), directory);
    await unpack(payload, release, { ...files, sync });
    assert.deepEqual(synced, ["program", release]);
    const failing = { ...files, sync: () => Promise.reject(new Error("I/O error")) };
    await assert.rejects(unpack(payload, at("other"), failing), /I\/O error/);
    assert.equal(existsSync(at("other")), false);
  });

  it("never adds to a directory that is there, nor follows a link in its place or in that of the payload", async (test) => {
    const { at, payload, release } = await payloadOf(test);
    mkdirSync(at("there"));
    symlinkSync("there", at("link"));
    for (const name of ["there", "link"])
      await assert.rejects(unpack(payload, at(name), files), { code: "storage_unwritable" });
    assert.deepEqual(readdirSync(at("there")), []);
    symlinkSync(payload, at("linked"));
    execFileSync("mkfifo", [at("fifo")]);
    for (const name of ["linked", "fifo", "there", "none"])
      await assert.rejects(unpack(at(name), release, files), /cannot be read/);
    assert.equal(existsSync(release), false);
  });

  it("refuses what holds more bytes than a release may", async (test) => {
    const { payload, release } = await payloadOf(test, [...bigTar("big", 200_000).pieces()]);
    await assert.rejects(unpack(payload, release, files, { ...payloadCaps, bytes: 100_000 }), {
      code: "update_payload_unsafe",
      message: /holds more than/,
    });
  });
});

describe("unpacking a payload that is too big for the disk", () => {
  const sizes = {
    "elsewhere, which is no part of the number":
      /^The release needs 73 MiB .* \(unpacked 9, reserve 64\), and 70 MiB/,
    "on the same disk, which is a part of the number":
      /^The release needs 82 MiB .* \(copy 9, unpacked 9, reserve 64\), and 69 MiB are free\. Free 13 MiB there/,
  };
  for (const [where, words] of Object.entries(sizes))
    it(`ends before it is written, so that the reserve stays; the copy is ${where}`, async (test) => {
      const mount = await mountPrivately(test, 70);
      if (typeof mount === "string") return test.skip(mount);
      const place = where.startsWith("on") ? mount.seen : makeScratch(test);
      const payload = join(place, "payload.tar.gz");
      await writeHostileTar(payload, bigTar("big", 8 * 1024 ** 2));
      const told = { ...files, sync: () => Promise.reject(new Error("it was synced")) };
      await assert.rejects(unpack(payload, join(mount.seen, "release"), told), {
        code: "storage_full",
        message: words,
      });
      assert.deepEqual(readdirSync(mount.seen), place === mount.seen ? ["payload.tar.gz"] : []);
    });

  it("leaves nothing behind where another program has filled the disk meanwhile", async (test) => {
    const mount = await mountPrivately(test, 4);
    if (typeof mount === "string") return test.skip(mount);
    const payload = join(makeScratch(test), "payload.tar.gz");
    await writeHostileTar(payload, bigTar("big", 8 * 1024 ** 2));
    const told = { ...files, freeBytes: async () => 1024 ** 3 };
    await assert.rejects(unpack(payload, join(mount.seen, "release"), told), { code: "storage_full" });
    assert.deepEqual(readdirSync(mount.seen), []);
  });

  it("of a bomb writes no more than the part that it examines: 1 MiB and a piece", async (test) => {
    const mount = await mountPrivately(test, 2);
    if (typeof mount === "string") return test.skip(mount);
    const payload = join(makeScratch(test), "payload.tar.gz");
    await writeHostileTar(payload, bomb);
    const told = { ...files, freeBytes: async () => 1024 ** 4 };
    // A disk of 2 MiB would be full, and is not.
    await assert.rejects(unpack(payload, join(mount.seen, "release"), told), {
      code: "update_payload_unsafe",
      message: bomb.refusal,
    });
    assert.deepEqual(readdirSync(mount.seen), []);
  });
});

function treeIn(test: TestContext, bounds: { entries?: number; roomBytes?: number } = {}) {
  const top = join(makeScratch(test), "release");
  mkdirSync(top);
  const { entries = 100, roomBytes = 1024 ** 2 } = bounds;
  const store = createTreeWriter(top, roomBytes, { blockBytes: 10 });
  const tree = createReleaseTree(store, { entries, links: 10, bytes: 1024 ** 2 });
  const mode = (name: string): string => (statSync(join(top, name)).mode & 0o7777).toString(8);
  return { top, tree, mode, neededBytes: store.neededBytes };
}

function put(tree: ReleaseTree, path: readonly string[], content = "", isExecutable = false): void {
  const file = tree.file(path, isExecutable, content.length);
  file.write(Buffer.from(content), 0);
  file.close();
}

describe("the tree of a release", () => {
  it("takes a block for each entry, and those of its content, to the last byte of the room", (test) => {
    for (const [roomBytes, isEnough] of [
      [60, true],
      [59, false],
    ] as const) {
      const { tree, top, neededBytes } = treeIn(test, { roomBytes });
      put(tree, ["a"], "x".repeat(10));
      tree.directory(["d"]);
      put(tree, ["d", "x"], "x".repeat(11));
      assert.equal(neededBytes(), 60);
      assert.equal(existsSync(join(top, "d", "x")), isEnough);
    }
  });

  it("counts what has no room and writes none of it, so that the whole need is known", (test) => {
    const { tree, top, neededBytes } = treeIn(test, { roomBytes: -(1024 ** 2) });
    tree.directory(["d"]);
    put(tree, ["d", "x"], "x".repeat(11));
    tree.link(["l"], "d");
    assert.equal(neededBytes(), 50);
    assert.deepEqual(readdirSync(top), []);
  });
});
