import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { documentNames } from "../../../src/contract/document-names.ts";
import { runSteward } from "../../agent-in-process.ts";
import { type LivedInState, makeLivedInState } from "../damaged-state.ts";
import { endOfSuite } from "../state-directory.ts";

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
