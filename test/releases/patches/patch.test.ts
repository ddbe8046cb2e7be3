import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { formerId, isPatch, mostUnpackedBytes, readPatch } from "../../../src/releases/patches/patch.ts";
import { createPayloadGzip } from "../../../src/releases/patches/payload-gzip.ts";
import { zstandard } from "../../../src/releases/patches/zstandard.ts";
import { compareVersions } from "../../../src/releases/semver.ts";

const [from, to] = ["1a".repeat(64), "2b".repeat(64)];
const entry = { steward_patch: 1, from, to, from_tar_bytes: 10_240, to_tar_bytes: 20_480 };
const targetOf = (custom: unknown) => ({
  path: "stable/rules/base-1.1.0.from.1.0.0.zst",
  file: { length: 99, hashes: { sha512: "3c".repeat(64) }, custom },
  role: "rules",
});

describe("a patch", () => {
  it("is read with both hashes and both sizes", () => {
    const target = targetOf(entry);
    assert.deepEqual(readPatch(target), { from, to, fromBytes: 10_240, toBytes: 20_480, target });
    assert.equal(formerId({ from }), "1a".repeat(16));
  });

  for (const [name, change] of Object.entries({
    "another form": { steward_patch: 2 },
    "no former hash": { from: undefined },
    "a former hash that leads out": { from: `../${"1".repeat(61)}` },
    "capitals in a hash": { to: "2B".repeat(64) },
    "a hash of another length": { to: "2b".repeat(63) },
    "a number for a hash": { to: 7 },
    "more than fits into memory": { from_tar_bytes: mostUnpackedBytes + 1 },
    "nothing to make": { to_tar_bytes: 0 },
    "half a byte": { to_tar_bytes: 1.5 },
    "a size in words": { from_tar_bytes: "10240" },
  }))
    it(`is no patch that can be applied, and no release either, with ${name}`, () => {
      const target = targetOf({ ...entry, ...change });
      assert.deepEqual([readPatch(target), isPatch(target.file)], [null, true]);
    });

  it("is not seen in what only looks like one", () => {
    for (const custom of [undefined, null, "steward_patch", [], Object.create({ steward_patch: 1 })])
      assert.deepEqual([readPatch(targetOf(custom)), isPatch(targetOf(custom).file)], [null, false]);
  });
});

/** zlib as python3 has it, which is the one of the system. */
const zlib = `import sys, zlib
packer = zlib.compressobj(6, zlib.DEFLATED, 31)
sys.stdout.buffer.write(packer.compress(sys.stdin.buffer.read()) + packer.flush())`;

describe("the packing of a payload", () => {
  const words = Buffer.from("the same words again and again, and then others ".repeat(9_000));
  for (const [name, content] of Object.entries({
    nothing: Buffer.alloc(0),
    "a byte": Buffer.from("x"),
    words,
    noise: randomBytes(300_001),
    zeros: Buffer.alloc(1_000_000),
  }))
    it(`is that of zlib, to the byte, however the pieces are cut: ${name}`, () => {
      const packed: Uint8Array[] = [];
      const gzip = createPayloadGzip((piece) => void packed.push(piece));
      for (let at = 0; at < content.length; at += 10_007) gzip.push(content.subarray(at, at + 10_007));
      gzip.end();
      const expected = execFileSync("python3", ["-c", zlib], { input: content, maxBuffer: 1e8 });
      assert.ok(Buffer.concat(packed).equals(expected), "the bytes of zlib");
    });
});

describe("Zstandard with a dictionary", () => {
  it("is there from Node 22.19 and 24.6 on, and is not taken from those before", async () => {
    const version = process.versions.node;
    const isLate = compareVersions(version, version.startsWith("22.") ? "22.19.0" : "24.6.0") >= 0;
    assert.equal((await zstandard()) !== null, isLate);
  });
});
