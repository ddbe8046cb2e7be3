import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import Conf from "conf";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import type { DocumentKind } from "../../../src/store/documents/document-kind.ts";
import { readForm } from "../../../src/store/documents/read-form.ts";

const kind: DocumentKind<{ names: string[] }> = {
  name: "names",
  schema: {
    type: "object",
    required: ["names"],
    properties: { names: { type: "array", items: { type: "string" } } },
  },
  formatVersion: "1.1.0",
  migrations: { "1.1.0": (members) => members.set("names", ["migrated"]) },
  defaults: { names: [] },
  onLoss: "defaults",
};

for (const [form, names, migrations] of [
  ["1.1.0", ["kept"], 0],
  ["1.0.0", ["migrated"], 1],
] as const)
  it(`a document of form ${form} is read without a write, and migrated where it is a former one`, async (test) => {
    const directory = scratchDirectory();
    const stored = { names: ["kept"], __internal__: { migrations: { version: form } } };
    writeFileSync(join(directory, "names.json"), JSON.stringify(stored));
    const conf = Conf.prototype as unknown as { _write: () => void; _migrate: () => void };
    const [write, migrate] = [test.mock.method(conf, "_write"), test.mock.method(conf, "_migrate")];
    const read = await readForm(directory, kind, "names");
    assert.deepEqual("value" in read && read.value, { names });
    assert.deepEqual([write.mock.callCount(), migrate.mock.callCount()], [0, migrations]);
  });

it("a document whose validator cannot be loaded is damaged, and not missing", async () => {
  const directory = scratchDirectory();
  const stored = { names: ["kept"], __internal__: { migrations: { version: "1.1.0" } } };
  writeFileSync(join(directory, "names.json"), JSON.stringify(stored));
  const read = await readForm(directory, kind, "names", () => {
    throw Object.assign(new Error("no such file, validators/names.js"), { code: "ENOENT" });
  });
  assert.equal("why" in read && read.why, "damaged");
  assert.match("problem" in read ? read.problem : "", /^names\.json: no such file/);
  const other = await readForm(directory, kind, "others");
  assert.equal("why" in other && other.why, "absent");
});
