import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { hostileTars } from "../../../lab/archives/hostile-tars.ts";
import { type PublishedTars, publishTars } from "../../../lab/archives/published-tars.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { unpack } from "../../../src/installer/unpack/unpack.ts";

const files = { freeBytes: async () => 1024 ** 4, sync: async () => undefined };

describe("a validly signed payload that is not safe to unpack", () => {
  const scratch = scratchDirectory();
  let published: PublishedTars | undefined;
  before(async () => {
    published = await publishTars(scratch, hostileTars);
  });

  for (const { name, refusal } of hostileTars) {
    it(`is refused and leaves nothing behind: ${name}`, async () => {
      const place = join(scratch, name);
      mkdirSync(place);
      writeFileSync(join(place, "outside"), "untouched");
      const payload = published?.payload(name) ?? "";
      const failure = await unpack(payload, join(place, "release"), files).then(
        () => null,
        (error: unknown) => error,
      );
      assert.ok(failure instanceof StewardError, `it was not refused: ${String(failure)}`);
      assert.equal(failure.code, "update_payload_unsafe");
      assert.match(failure.message, refusal);
      assert.doesNotMatch(failure.message, /[\p{Cc}\p{Cf}]/u);
      assert.deepEqual(readdirSync(place), ["outside"]);
      assert.equal(readFileSync(join(place, "outside"), "utf8"), "untouched");
    });
  }
});
