import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import type { AgentFile } from "../../../src/installer/files/agent-files.ts";
import { copySigned, emptyCopyDirectory } from "../../../src/installer/verify/copy-payload.ts";
import { readSignedPayload } from "../../../src/releases/signed-payload.ts";

/** A file of the agent that gives at most so many bytes at a time, and after the first reading perhaps others. */
function fileOf(bytes: Buffer, { most = bytes.length, sizeBytes = bytes.length } = {}): AgentFile {
  return {
    ...{ path: "/state/payload", sizeBytes },
    read: (buffer, position) =>
      bytes.copy(buffer, 0, position, Math.min(bytes.length, position + Math.min(most, buffer.length))),
  };
}

const signedOf = (bytes: Buffer) =>
  readSignedPayload({
    length: bytes.length,
    hashes: { sha256: createHash("sha256").update(bytes).digest("hex") },
  });
const pathIn = (test: TestContext): string => join(makeScratch(test), "copy");

describe("the copy of a payload", () => {
  it("is the signed bytes, in however many pieces they come", async (test) => {
    for (const [length, most] of [
      [1, 1],
      [1_000, 7],
      [524_288, 524_288],
      [524_289, 524_289],
    ] as const) {
      const [bytes, path] = [Buffer.alloc(length, "rules"), pathIn(test)];
      copySigned(fileOf(bytes, { most }), path, signedOf(bytes));
      assert.deepEqual(readFileSync(path), bytes);
      assert.equal(statSync(path).mode & 0o7777, 0o600);
    }
  });

  it("has no byte more than is signed, where the file has grown meanwhile", async (test) => {
    const [bytes, path] = [Buffer.from("signed"), pathIn(test)];
    const grown = Buffer.concat([bytes, Buffer.from(" and more")]);
    copySigned(fileOf(grown, { sizeBytes: bytes.length }), path, signedOf(bytes));
    assert.equal(readFileSync(path, "utf8"), "signed");
  });

  it("does not stay where it is not what was signed", async (test) => {
    const bytes = Buffer.from("signed");
    for (const [file, saying] of [
      [fileOf(Buffer.from("signeX")), /its sha256 is/],
      [fileOf(Buffer.from("sign"), { sizeBytes: 6 }), /it became shorter while it was copied/],
      [fileOf(Buffer.from("signed!")), /it has 7 bytes, and 6 are signed/],
      [fileOf(Buffer.from("sign")), /it has 4 bytes, and 6 are signed/],
    ] as const) {
      const path = pathIn(test);
      assert.throws(() => copySigned(file, path, signedOf(bytes)), {
        ...{ code: "update_payload_mismatch", message: saying },
      });
      assert.equal(existsSync(path), false);
    }
  });

  it("takes the place of no other file, and says what the disk does not take", async (test) => {
    const [bytes, path] = [Buffer.from("signed"), pathIn(test)];
    writeFileSync(path, "another");
    for (const place of [path, join(path, "below")])
      assert.throws(() => copySigned(fileOf(bytes), place, signedOf(bytes)), { code: "storage_unwritable" });
    assert.equal(readFileSync(path, "utf8"), "another");
  });

  it("lies in a directory that root alone can enter, where no earlier one is left", async (test) => {
    const intake = join(makeScratch(test), "trust", "intake");
    mkdirSync(join(intake, "earlier"), { recursive: true });
    const own = await emptyCopyDirectory(intake, "0f");
    assert.equal(own, join(intake, "0f"));
    assert.deepEqual(readdirSync(intake), ["0f"]);
    assert.equal(statSync(own).mode & 0o7777, 0o700);
    writeFileSync(join(own, "payload"), "half");
    assert.deepEqual(readdirSync(await emptyCopyDirectory(intake, "0f")), []);
    writeFileSync(join(own, "file"), "");
    await assert.rejects(emptyCopyDirectory(join(own, "file", "intake"), "0f"), {
      code: "storage_unwritable",
    });
  });
});
