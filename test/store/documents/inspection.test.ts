import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { documentNames } from "../../../src/contract/document-names.ts";
import { createStateTools } from "../../../src/store/documents/inspection.ts";
import { runSteward } from "../../agent-in-process.ts";
import { counterKind } from "../../fixtures/store-counter.ts";
import { type LivedInState, makeLivedInState } from "../damaged-state.ts";
import { endOfSuite, temporaryDirectory } from "../state-directory.ts";

/** The secrets of documents, which an inspection must not show: hashes, sealed secrets, keys. */
const secretForms =
  /\$argon2id\$[^"]+|v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+|(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

const file = endOfSuite();
let state: LivedInState;
before(async () => {
  state = await makeLivedInState(file);
});

describe("steward state show", () => {
  for (const name of documentNames) {
    it(`${name}: shows the document and masks every hash, sealed secret and key in it`, async (test) => {
      const directory = await state.copy(test);
      const text = await readFile(join(directory, `${name}.json`), "utf8");
      const secrets = text.match(secretForms) ?? [];
      if (["users", "tokens", "sessions", "attempts"].includes(name)) assert.ok(secrets.length > 0, name);
      const { code, stdout } = await runSteward(["state", "show", name, "--state", directory]);
      assert.equal(code, 0);
      for (const secret of secrets) assert.ok(!stdout.includes(secret), `${name} shows a secret`);
      assert.doesNotMatch(stdout, secretForms);
    });
  }
});

describe("the list of the documents", () => {
  const inFormat = (version: string) =>
    JSON.stringify({ counter: 7, __internal__: { migrations: { version } } });
  for (const [name, content, ...expected] of [
    ["present", inFormat("1.0.0"), "ok", false, "1.0.0", /^$/],
    ["absent", null, "absent", false, null, /^$/],
    ["empty", "", "damaged", false, null, /^counter\.json: .*JSON/],
    ["newer", inFormat("9.0.0"), "damaged", true, null, /^counter\.json was written by a newer release/],
  ] as const)
    it(`says of one that is ${name} what it is, from when, and how large`, async (test) => {
      const directory = await temporaryDirectory(test);
      const path = join(directory, "counter.json");
      if (content !== null) await writeFile(path, content);
      const [entry] = await createStateTools(directory, [counterKind]).list();
      const [condition, isNewer, format, detail] = expected;
      assert.ok(entry && detail.test(entry.detail), entry?.detail);
      const stats = content === null ? null : await stat(path);
      assert.deepEqual(
        { ...entry, detail },
        {
          ...{
            name: "counter",
            condition,
            is_newer: isNewer,
            format,
            detail,
            findings: [],
            kept: [],
            versions: 0,
          },
          size_bytes: stats?.size ?? null,
          modified_at: stats?.mtime.toISOString() ?? null,
          good_copy_at: null,
        },
      );
    });
});
