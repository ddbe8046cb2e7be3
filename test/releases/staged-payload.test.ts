import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { readSignedPayload } from "../../src/releases/signed-payload.ts";
import { openStaged } from "../../src/releases/staged-payload.ts";

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
const directory = mkdtempSync(join(tmpdir(), "steward-staged-"));
const at = (name: string): string => join(directory, name);
after(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(at("good"), "abc");
writeFileSync(at("other"), "abd");
writeFileSync(at("short"), "ab");
writeFileSync(at("long"), "abcd");
symlinkSync("good", at("link"));
execFileSync("mkfifo", [at("fifo")]);

describe("openStaged", () => {
  for (const name of ["other", "short", "long", "link", "fifo", "."]) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(openStaged(at(name), payload), {
        name: "StewardError",
        code: "update_payload_mismatch",
      });
    });
  }

  it("says that there is none", async () => assert.equal(await openStaged(at("absent"), payload), null));

  it("gives what it has hashed, whatever is put in its place (payload swapped after verification)", async () => {
    const handle = await openStaged(at("good"), payload);
    assert.ok(handle !== null, "it is there");
    renameSync(at("other"), at("good"));
    assert.equal(await handle.readFile("utf8"), "abc");
    await handle.close();
  });
});
