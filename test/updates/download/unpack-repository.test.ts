import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { paxHeader, type TarEntry, tarEntry } from "../../../lab/archives/tar-writer.ts";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import type { Upload } from "../../../src/contract/types.ts";
import { unpackRepository } from "../../../src/updates/download/unpack-repository.ts";

const mebibyte = 1024 ** 2;
const hash = "0".repeat(128);
const files: Readonly<Record<string, string>> = {
  "metadata/timestamp.json": "{}",
  [`targets/demo/x64/${hash}.demo-1.0.0.tar.gz`]: "payload".repeat(20_000),
};

function uploadOf(bytes: Uint8Array, lengthBytes: number | null = bytes.length): Upload {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  };
  return { lengthBytes, [Symbol.asyncIterator]: pieces };
}

/** Debian's tar of these files, below `top`. */
async function packed(test: TestContext, top = "", ...options: string[]): Promise<Buffer> {
  const place = await temporaryDirectory(test);
  for (const [name, text] of Object.entries(files)) {
    const path = join(place, top, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return execFileSync("tar", ["-cf", "-", ...options, "."], { cwd: place, maxBuffer: 8 * mebibyte });
}

describe("the archive of a repository", () => {
  type Limits = { freeSpace?: () => Promise<number>; rules?: { bytes: number; files: number } };
  const unpacked = async (test: TestContext, upload: Upload, { freeSpace, rules }: Limits = {}) => {
    const directory = await temporaryDirectory(test);
    await unpackRepository(upload, directory, freeSpace ?? (async () => 100 * mebibyte), rules);
    return directory;
  };
  const refused = (test: TestContext, bytes: Uint8Array, message: RegExp, options?: Limits) =>
    assert.rejects(unpacked(test, uploadOf(bytes), options), { code: "update_archive_unusable", message });

  for (const top of ["", "demo-repository"])
    for (const format of ["gnu", "pax"])
      it(`is unpacked from ${format} tar, ${top === "" ? "at its top" : "in one folder"}`, async (test) => {
        const directory = await unpacked(test, uploadOf(await packed(test, top, `--format=${format}`)));
        for (const [name, text] of Object.entries(files))
          assert.equal(readFileSync(join(directory, name), "utf8"), text, name);
      });

  const small = (name: string, content = "x"): TarEntry => ({ name, content: Buffer.from(content) });
  const tar = (...entries: TarEntry[]) => Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1_024)]);

  it("may hold other files, which are passed over, as those of a second repository are", async (test) => {
    const bytes = tar(
      small("._metadata", "of a Mac"),
      small("a/metadata/timestamp.json", "first"),
      small("b/metadata/timestamp.json", "second"),
      small("a/b/metadata/timestamp.json", "too deep"),
    );
    const directory = await unpacked(test, uploadOf(bytes));
    assert.equal(readFileSync(join(directory, "metadata/timestamp.json"), "utf8"), "first");
    const found = ["a", "b", "._metadata"].filter((name) => existsSync(join(directory, name)));
    assert.deepEqual(found, []);
  });

  const outside = /outside of a directory/;
  const byHeader = Buffer.concat([paxHeader({ path: "../metadata/x" }), tar(small("x"))]);
  const hostile: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    "no tar": [Buffer.from("once upon a time ".repeat(600)), /damaged or ends early/],
    "a page of a server": [Buffer.from("<!doctype html><p>Sign in"), /damaged or ends early/],
    "an empty file": [Buffer.alloc(0), /has no tar in it/],
    "a tar of other things": [tar(small("photos/1.jpg")), /has no folder `metadata`/],
    "a compressed tar": [gzipSync(tar(small("metadata/a"))), /is compressed\. Unpack it first/],
    "a path above": [tar(small("metadata/../../passwd")), outside],
    "a path above by an extended header": [byHeader, outside],
    "an absolute path": [tar(small("/etc/metadata/x")), outside],
    "a symbolic link": [tar({ name: "metadata", type: "2", linkname: "/etc" }), /no regular file/],
    "a hard link": [tar({ name: "metadata/a", type: "1", linkname: "/etc/passwd" }), /no regular file/],
    "a device": [tar({ name: "metadata/a", type: "3" }), /no regular file/],
    "a file as a folder": [tar(small("metadata/a"), small("metadata/a/b")), /both as a file and as a folder/],
    zeros: [Buffer.alloc(3 * mebibyte), /1 MiB besides its files/],
  };
  for (const [name, [bytes, message]] of Object.entries(hostile))
    it(`is refused where it is, or has, ${name}: and the sentence says what to do`, async (test) => {
      await refused(test, bytes, message);
      await refused(test, bytes, /Send a tar of the publisher's repository/);
    });

  it("is refused where it ends early, at any place, and with too many files", async (test) => {
    const whole = await packed(test);
    for (const length of [600, 5_000, 100_000])
      await refused(test, whole.subarray(0, length), /ends early|has no folder/);
    await refused(test, whole, /more than 1 files and folders/, { rules: { bytes: 1e9, files: 1 } });
  });

  it("is refused before its first byte where the disk has too little for it, with the amounts", async (test) => {
    const unread: Upload = {
      lengthBytes: 80 * mebibyte,
      [Symbol.asyncIterator]: () => assert.fail("it is read"),
    };
    await assert.rejects(unpacked(test, unread), {
      code: "storage_full",
      message: /needs 144 MiB .* \(archive 80, reserve 64\), and 100 MiB are free\. Free 44 MiB there/,
    });
  });

  it("ends where the disk fills up meanwhile", async (test) => {
    const bytes = tar({ name: "metadata/a", content: Buffer.alloc(20 * mebibyte) });
    let looks = 0;
    const freeSpace = async () => {
      looks += 1;
      return looks === 1 ? 100 * mebibyte : 65 * mebibyte;
    };
    await assert.rejects(unpacked(test, uploadOf(bytes, null), { freeSpace }), { code: "storage_full" });
    assert.equal(looks, 2);
  });
});
