import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import type { AgentFile } from "../../../src/installer/files/agent-files.ts";
import { copySigned } from "../../../src/installer/verify/copy-payload.ts";
import { readSignedPayload } from "../../../src/releases/signed-payload.ts";

/** A file of the agent with these bytes, which had so many when it was opened. */
const fileOf = (bytes: Buffer, sizeBytes = bytes.length): AgentFile => ({
  ...{ path: "/state/payload", sizeBytes },
  read: (buffer, position) => bytes.copy(buffer, 0, position),
});

const signedOf = (bytes: Buffer) => {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return readSignedPayload({ length: bytes.length, hashes: { sha256 } });
};
const pathIn = (test: TestContext): string => join(makeScratch(test), "copy");

describe("the copy of a payload", () => {
  it("does not stay where it is not what was signed", async (test) => {
    const bytes = Buffer.from("signed");
    for (const [file, saying] of [
      [fileOf(Buffer.from("signeX")), /its sha256 is/],
      [fileOf(Buffer.from("sign"), 6), /it became shorter while it was copied/],
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
});
