import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { longEntry, paxHeader, tarEnd, tarEntry } from "../../../lab/archives/tar-writer.ts";
import { counted } from "../../../lab/basics/counts.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { type ArchiveCaps, readArchive } from "../../../src/device/backup/read-archive.ts";
import { type ArchivedFile, archiveOf } from "../../../src/store/archives/write-tar.ts";

const scratch = scratchDirectory();
const at = new Date("2026-11-28T01:30:00Z");

function file(path: string, text: string): ArchivedFile {
  const content = Buffer.from(text);
  return { path, bytes: content.length, content: [content] };
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

/** The paths and texts that are read; of a path in `skipped` nothing is. */
async function read(
  bytes: Buffer,
  { length = 777, caps, skipped = [] }: { length?: number; caps?: ArchiveCaps; skipped?: string[] } = {},
): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { path, content } of readArchive(inPieces(bytes, length), caps))
    found.push([path, skipped.includes(path) ? "" : String(await bytesOf(content))]);
  return found;
}

const unusable = { code: "backup_unusable" } as const;
const deep = `state/${"a".repeat(90)}/${"b".repeat(99)}`;

describe("the archive of a backup", () => {
  it("is unpacked by tar as it was written, long paths, empty files and modes among it", async () => {
    const files = [
      file("backup.json", "{}"),
      file("state/empty", ""),
      file(deep, "deep"),
      file("a".repeat(101), "without a place to divide it"),
      file(`${"a".repeat(160)}/${"b".repeat(99)}`, "of 260 bytes"),
      file("x", "x".repeat(1_024)),
    ];
    const place = join(scratch, "foreign");
    mkdirSync(place);
    writeFileSync(join(scratch, "a.tar"), await bytesOf(archiveOf(files, at)));
    const listed = execFileSync("tar", ["-tvf", "a.tar", "--full-time", "--utc"], { cwd: scratch });
    assert.match(String(listed), /^-rw------- 0\/0 +2 2026-11-28 01:30:00 backup\.json$/m);
    execFileSync("tar", ["-xf", "../a.tar"], { cwd: place });
    assert.deepEqual(
      files.map(({ path }) => readFileSync(join(place, path), "utf8")),
      ["{}", "", "deep", "without a place to divide it", "of 260 bytes", "x".repeat(1_024)],
    );
  });

  for (const [name, given, expected] of [
    ["too few bytes", { path: "a", bytes: 3, content: [Buffer.from("ab")] }, /3 bytes that were announced/],
    ["too many bytes", { path: "a", bytes: 1, content: [Buffer.from("ab")] }, /1 bytes that were announced/],
    ["a path that is not ASCII", file("stäte", ""), /ASCII/],
  ] as const)
    it(`is not finished with ${name}`, async () => {
      await assert.rejects(bytesOf(archiveOf([given], at)), expected);
    });

  it("is read as it was written, whatever its pieces", async () => {
    const contents = fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(contents, fc.integer({ min: 1, max: 3_000 }), async (texts, length) => {
        const files = texts.map((text, index) => file(`state/${index}`, text));
        const bytes = await bytesOf(archiveOf(files, at));
        assert.deepEqual(
          await read(bytes, { length }),
          texts.map((text, index) => [`state/${index}`, text]),
        );
      }),
      { numRuns: counted({ usual: 40, all: 400 }) },
    );
  });

  it("is read where GNU tar has packed it again, and files that nobody reads are skipped", async () => {
    const place = join(scratch, "again");
    mkdirSync(join(place, "state"), { recursive: true });
    writeFileSync(join(place, "state/a"), "a".repeat(100_000));
    writeFileSync(join(place, "state/b"), "b");
    const pack = (...words: string[]) =>
      execFileSync("tar", ["-cf", "-", ...words], { cwd: place, maxBuffer: 1e6 });
    const twice = pack("--hard-dereference", "./state/a", "state");
    await assert.rejects(read(twice), { ...unusable, message: /twice/ });
    assert.deepEqual(await read(pack("--sort=name", "state"), { skipped: ["state/a"] }), [
      ["state/a", ""],
      ["state/b", "b"],
    ]);
  });

  for (const [name, entry, message] of [
    ["a path above", tarEntry({ name: "state/../../etc/passwd" }), /outside of a directory/],
    ["an absolute path", tarEntry({ name: "/etc/passwd" }), /outside of a directory/],
    ["a path by GNU's long name", longEntry({ name: `${"a/".repeat(60)}../b` }), /outside of a directory/],
    [
      "a path by POSIX's extended header",
      Buffer.concat([paxHeader({ path: "../x" }), tarEntry({ name: "x" })]),
      /outside/,
    ],
    ["an empty component", tarEntry({ name: "state//a" }), /outside of a directory/],
    ["a line feed in a path", tarEntry({ name: "state/a\nb" }), /"state\/a\?b", which could lead outside/],
    ["a symbolic link", tarEntry({ name: "state", type: "2", linkname: "/etc" }), /no regular file/],
    ["a hard link", tarEntry({ name: "state/a", type: "1", linkname: "/etc/shadow" }), /no regular file/],
    ["a device", tarEntry({ name: "state/a", type: "3" }), /no regular file/],
    ["a file that is said to have 300 TiB", tarEntry({ name: "a", size: 3e14 }), /holds more than/],
  ] as [string, Buffer, RegExp][])
    it(`is refused with ${name}`, async () => {
      await assert.rejects(read(Buffer.concat([entry, tarEnd])), { ...unusable, message });
    });

  it("is refused with more files or bytes than the caps", async () => {
    const bytes = await bytesOf(archiveOf([file("a", "12345"), file("b", "12345")], at));
    for (const [caps, message] of [
      [{ bytes: 10, files: 1 }, /than 1 files/],
      [{ bytes: 9, files: 2 }, /than 9 bytes/],
    ] as const)
      await assert.rejects(read(bytes, { caps }), { ...unusable, message });
    assert.equal((await read(bytes, { caps: { bytes: 10, files: 2 } })).length, 2);
  });

  it("is refused where it ends early, is altered, is something else or has zeros without an end", async () => {
    const whole = await bytesOf(archiveOf([file("a", "x".repeat(5_000))], at));
    for (const length of [1, 511, 700, 4_000])
      await assert.rejects(read(whole.subarray(0, length)), unusable, String(length));
    const altered = Buffer.from(whole);
    altered.write("b", 0);
    for (const other of [altered, Buffer.from("not a tar ".repeat(100))])
      await assert.rejects(read(other), unusable);
    let pieces = 0;
    const zeros = async function* () {
      for (; ; pieces += 1) yield Buffer.alloc(65_536);
    };
    await assert.rejects(readArchive(zeros()).next(), { ...unusable, message: /1 MiB besides its files/ });
    assert.ok(pieces < 20, `${pieces} pieces were read`);
  });

  it("passes on the failure of its source, and ends its source when its reader gives up", async () => {
    const whole = await bytesOf(archiveOf([file("a", "x".repeat(50_000)), file("b", "")], at));
    const source = async function* () {
      yield* inPieces(whole.subarray(0, 4_096), 512);
      throw new RangeError("the disk is gone");
    };
    await assert.rejects(async () => {
      for await (const { content } of readArchive(source())) await bytesOf(content);
    }, /the disk is gone/);
    let isEnded = false;
    const endless = async function* () {
      try {
        for (;;) yield whole.subarray(0, 512);
      } finally {
        isEnded = true;
      }
    };
    for await (const { path } of readArchive(endless())) {
      assert.equal(path, "a");
      break;
    }
    assert.ok(isEnded);
  });
});
