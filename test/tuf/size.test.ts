import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";

/** The files that judge metadata: an auditor reads these. Ed25519 itself is in a file of its own. */
const metadataCode =
  "canonical-json metadata metadata-files path-pattern read-metadata refresh root-of-trust session signatures strict-json target-search update-root";

it("the code that judges metadata is small enough to be read in one sitting: 1000 lines without comments", () => {
  const code = metadataCode.split(" ").flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, `../../src/tuf/${name}.ts`), "utf8");
    return text.split("\n").filter((line) => !/^\s*(\/\/.*|\/?\*.*)?$/.test(line));
  });
  assert.ok(code.length > 500 && code.length <= 1_000, `${code.length} lines`);
});
