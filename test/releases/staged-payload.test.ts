import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { readSignedPayload } from "../../src/releases/signed-payload.ts";
import { hashInto, openStaged, stagedPath } from "../../src/releases/staged-payload.ts";

// FIPS 180-4: the example "abc", as its authors publish it.
const payload = readSignedPayload({
  length: 3,
  hashes: {
    sha512:
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    sha256: "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
  },
});
const directory = scratchDirectory();
const at = (name: string): string => join(directory, name);
writeFileSync(at("good"), "abc");
writeFileSync(at("other"), "abd");
writeFileSync(at("short"), "ab");
writeFileSync(at("long"), "abcd");
symlinkSync("good", at("link"));
execFileSync("mkfifo", [at("fifo")]);

describe("openStaged", () => {
  const server = createServer();
  before(() => once(server.listen(at("socket")), "listening"));
  after(() => server.close());

  for (const [name, message] of [
    ["other", /its sha512 is \w{128}, and \w{128} is signed; its sha256 is/],
    ["short", /it has 2 bytes, and 3 are signed/],
    ["long", /it has 4 bytes, and 3 are signed/],
    ...["link", "fifo", "socket", "."].map((one) => [one, /, and no regular file/] as const),
  ] as const)
    it(`refuses ${name}`, () => {
      const error = { name: "StewardError", code: "update_payload_mismatch", message };
      return assert.rejects(openStaged(at(name), payload), error);
    });

  it("says that there is none, and does not take a path that cannot be opened for another payload", async () => {
    assert.equal(await openStaged(at("absent"), payload), null);
    await assert.rejects(openStaged(at("x".repeat(300)), payload), { code: "ENAMETOOLONG" });
    assert.equal(stagedPath("/state/updates", "0f"), "/state/updates/staged/0f.tar.gz");
  });

  it("hashes as many bytes as are wanted, and all of a file that has fewer", async () => {
    const bytes = Buffer.alloc(524_288 + 10, "abc");
    writeFileSync(at("large"), bytes);
    const handle = await open(at("large"));
    for (const [most, count] of [
      [2, 2],
      [524_288 + 5, 524_288 + 5],
      [bytes.length + 1, bytes.length],
    ] as const) {
      const hash = createHash("sha256");
      const digest = { update: (piece: Uint8Array) => void hash.update(piece), difference: () => null };
      assert.equal(await hashInto(digest, handle, most), count);
      const expected = createHash("sha256").update(bytes.subarray(0, count)).digest("hex");
      assert.equal(hash.digest("hex"), expected);
    }
    await handle.close();
  });
});

describe("what is signed of a payload", () => {
  const sha256 = "ab".repeat(32);
  for (const [what, length, hash] of [
    ["a hash that begins with another sign", 3, `g${sha256.slice(1)}`],
    ["a hash that ends with another sign", 3, `${sha256.slice(1)}g`],
    ["fewer than no bytes", -1, sha256],
    ["half a byte", 1.5, sha256],
  ] as const)
    it(`cannot be used with ${what}`, () => {
      const read = () => readSignedPayload({ length, hashes: { sha256: hash } });
      assert.throws(read, { code: "update_metadata_malformed" });
    });

  it("may be an empty file", () =>
    assert.equal(readSignedPayload({ length: 0, hashes: { sha256 } }).lengthBytes, 0));
});
