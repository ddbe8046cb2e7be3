import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { watchDisk } from "../../lab/state/watched-disk.ts";
import { documentNames } from "../../src/contract/document-names.ts";
import { openDocuments } from "../../src/programs/agent/documents.ts";

async function openAndClose(stateDirectory: string): Promise<void> {
  const { documents } = await openDocuments({ stateDirectory, initialSettings: {} });
  for (const document of Object.values(documents)) await document.close();
}

it("the documents of a state are opened with one listing, and what killed writers left in it goes", async (test) => {
  const directory = await temporaryDirectory(test);
  await openAndClose(directory);
  const whole = readdirSync(directory).sort();
  for (const name of ["users", "users.good", ".register", "updates.good"])
    writeFileSync(join(directory, `.${name}.json.0123456789ab.tmp`), "cut short");
  const calls = watchDisk(test);
  const { documents } = await openDocuments({ stateDirectory: directory, initialSettings: {} });
  const opening = [...calls];
  for (const document of Object.values(documents)) await document.close();
  const namesOf = (what: string) =>
    opening.filter((call) => call.what === what).map(({ path }) => basename(path));
  assert.deepEqual(namesOf("list"), [basename(directory)]);
  const opened = namesOf("open");
  assert.deepEqual(opened, [...new Set(opened)], "a file is read once");
  for (const name of [".register", ...documentNames]) assert.ok(opened.includes(`${name}.json`), name);
  assert.deepEqual(namesOf("sync"), []);
  assert.deepEqual(readdirSync(directory).sort(), whole);
});
