import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { bigTar, bomb, writeHostileTar } from "../../../lab/archives/hostile-tars.ts";
import { longEntry, tarEnd, tarEntry, writeGzip } from "../../../lab/archives/tar-writer.ts";
import { makeScratch } from "../../../lab/publisher/site.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { freeSpace } from "../../../src/host/linux/free-space.ts";
import { createReleaseFiles } from "../../../src/installer/files/release-files.ts";
import { unpack } from "../../../src/installer/unpack/unpack.ts";
import { payloadCaps } from "../../../src/releases/payload/payload-caps.ts";

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

/** As ls would show it: path, type, mode, link; and the contents of the files. */
function picture(tree: string): Map<string, string> {
  const shown = new Map<string, string>();
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(tree.length);
    const mode = entry.isSymbolicLink() ? "" : (statSync(path).mode & 0o7777).toString(8);
    if (entry.isSymbolicLink()) shown.set(name, `link to ${readlinkSync(path)}`);
    else if (entry.isDirectory()) shown.set(name, `directory ${mode}`);
    else shown.set(name, `file ${mode} ${readFileSync(path).toString("base64")}`);
  }
  return shown;
}

describe("unpacking", () => {
  for (const format of ["gnu", "pax"]) {
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
      assert.ok(picture(tree).size > 10, "the tree was empty");
      assert.equal(statSync(join(scratch, "release")).mode & 0o7777, 0o755);
    });
  }

  it("reads what Python's tarfile writes", async (test) => {
    const scratch = makeScratch(test);
    const tree = makeTree(scratch);
    chmodSync(join(tree, "program"), 0o755);
    const script = `import shutil, sys; shutil.make_archive(sys.argv[1], "gztar", sys.argv[2])`;
    const payload = join(scratch, "payload.tar.gz");
    execFileSync("python3", ["-c", script, payload.slice(0, -".tar.gz".length), tree]);
    await unpack(payload, join(scratch, "release"), files);
    assert.deepEqual(picture(join(scratch, "release")), picture(tree));
  });

  it("reads an archive whose compressed pieces hold any number of bytes", async (test) => {
    const scratch = makeScratch(test);
    const payload = join(scratch, "payload.tar.gz");
    const archive = Buffer.concat([tarEntry({ name: "a", content: Buffer.from("x".repeat(600)) }), tarEnd]);
    // As much as is read at a time without a byte in it: what came before is handed on by itself.
    const nothing = Buffer.concat(Array(4_096).fill(gzipSync("")));
    const ends = [100, 200, 900, archive.length];
    const parts = ends.flatMap((end, index) => [
      gzipSync(archive.subarray(ends[index - 1] ?? 0, end)),
      nothing,
    ]);
    writeFileSync(payload, Buffer.concat(parts));
    await unpack(payload, join(scratch, "release"), files);
    assert.equal(readFileSync(join(scratch, "release/a"), "utf8"), "x".repeat(600));
  });

  it("makes the directories that an archive does not name", async (test) => {
    const scratch = makeScratch(test);
    const payload = join(scratch, "payload.tar.gz");
    const pieces = [tarEntry({ name: "a/b/c", content: Buffer.from("x") }), tarEntry({ name: "a/b/d" })];
    await writeGzip(payload, [...pieces, tarEnd]);
    await unpack(payload, join(scratch, "release"), files);
    assert.equal(statSync(join(scratch, "release/a/b")).mode & 0o7777, 0o755);
    assert.deepEqual(readdirSync(join(scratch, "release/a/b")), ["c", "d"]);
  });

  it("takes content of zeros, and names as long as a block, for no end", async (test) => {
    const scratch = makeScratch(test);
    const payload = join(scratch, "payload.tar.gz");
    const zeros = Buffer.alloc(100_000);
    // GNU's record of this name is one block, and another one of which the last zero is the first byte.
    const name = `${"a/".repeat(30)}${"b".repeat(200)}/${"c".repeat(250)}/`.slice(0, 511).padEnd(512, "d");
    const all = [
      tarEntry({ name: "zeros", content: zeros }),
      longEntry({ name }),
      tarEntry({ name: "last" }),
    ];
    await writeGzip(payload, [...all, tarEnd, Buffer.alloc(20_480)]);
    await unpack(payload, join(scratch, "release"), files);
    assert.deepEqual(readFileSync(join(scratch, "release/zeros")), zeros);
    assert.ok(existsSync(join(scratch, "release", name)), "the long name is missing");
    assert.ok(existsSync(join(scratch, "release/last")), "the last entry is missing");
  });

  it("is on the disk when it has ended", async (test) => {
    const scratch = makeScratch(test);
    const payload = simplePayload(scratch);
    const synced: string[] = [];
    const sync = async (directory: string): Promise<void> => {
      synced.push(...readdirSync(directory), directory);
    };
    await unpack(payload, join(scratch, "release"), { ...files, sync });
    assert.deepEqual(synced, ["program", join(scratch, "release")]);
  });

  it("leaves nothing where the disk would not confirm it", async (test) => {
    const scratch = makeScratch(test);
    const payload = simplePayload(scratch);
    const sync = () => Promise.reject(new Error("I/O error"));
    await assert.rejects(unpack(payload, join(scratch, "release"), { ...files, sync }), /I\/O error/);
    assert.equal(existsSync(join(scratch, "release")), false);
  });

  it("never adds to a directory that is there, nor follows a link in its place", async (test) => {
    const scratch = makeScratch(test);
    const payload = simplePayload(scratch);
    mkdirSync(join(scratch, "there"));
    symlinkSync("there", join(scratch, "link"));
    for (const name of ["there", "link"])
      await assert.rejects(unpack(payload, join(scratch, name), files), { code: "storage_unwritable" });
    assert.deepEqual(readdirSync(join(scratch, "there")), []);
  });

  it("reads no payload through a link, and none that is no file", async (test) => {
    const scratch = makeScratch(test);
    symlinkSync(simplePayload(scratch), join(scratch, "link"));
    execFileSync("mkfifo", [join(scratch, "fifo")]);
    for (const name of ["link", "fifo", "tree", "none"])
      await assert.rejects(unpack(join(scratch, name), join(scratch, "release"), files), /cannot be read/);
    assert.equal(existsSync(join(scratch, "release")), false);
  });

  it("counts the directories that an archive does not name among its entries", async (test) => {
    const scratch = makeScratch(test);
    const payload = join(scratch, "payload.tar.gz");
    const entries = Array.from({ length: 4 }, (_, i) => tarEntry({ name: `d${i}/${"a/".repeat(40)}file` }));
    await writeGzip(payload, [...entries, tarEnd]);
    const caps = { ...payloadCaps, entries: 100 };
    await assert.rejects(unpack(payload, join(scratch, "release"), files, caps), /more than 100 entries/);
    assert.equal(existsSync(join(scratch, "release")), false);
  });

  it("refuses what holds more bytes than a release may", async (test) => {
    const scratch = makeScratch(test);
    const payload = join(scratch, "payload.tar.gz");
    await writeHostileTar(payload, bigTar("big", 200_000));
    const caps = { ...payloadCaps, bytes: 100_000 };
    await assert.rejects(unpack(payload, join(scratch, "release"), files, caps), {
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

function simplePayload(scratch: string): string {
  mkdirSync(join(scratch, "tree"));
  writeFileSync(join(scratch, "tree", "program"), "x");
  const payload = join(scratch, "payload.tar.gz");
  execFileSync("tar", ["-czf", payload, "-C", join(scratch, "tree"), "."]);
  return payload;
}
