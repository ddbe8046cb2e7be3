import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { watchDisk } from "../../lab/state/watched-disk.ts";
import { documentNames } from "../../src/contract/document-names.ts";
import { receiverSecretsKind } from "../../src/outbox/receiver-secrets.ts";
import { readInitialSettings } from "../../src/programs/agent/config.ts";
import { openDocuments } from "../../src/programs/agent/documents.ts";

const start = (stateDirectory: string) => openDocuments({ stateDirectory, initialSettings: {} });

async function endOf(documents: object): Promise<void> {
  for (const document of Object.values(documents)) await document.close();
}

it("the documents of a state are opened with one listing, and what killed writers left in it goes", async (test) => {
  const directory = await temporaryDirectory(test);
  await endOf((await start(directory)).documents);
  const whole = readdirSync(directory).sort();
  for (const name of ["users", "users.good", ".register", "updates.good"])
    writeFileSync(join(directory, `.${name}.json.0123456789ab.tmp`), "cut short");
  const calls = watchDisk(test);
  const { documents } = await start(directory);
  const opening = [...calls];
  await endOf(documents);
  const namesOf = (what: string) =>
    opening.filter((call) => call.what === what).map(({ path }) => basename(path));
  assert.deepEqual(namesOf("list"), [basename(directory)]);
  const opened = namesOf("open");
  assert.deepEqual(opened, [...new Set(opened)], "a file is read once");
  for (const name of [".register", ...documentNames]) assert.ok(opened.includes(`${name}.json`), name);
  assert.deepEqual(namesOf("sync"), []);
  assert.deepEqual(readdirSync(directory).sort(), whole);
});

it("a document that most devices never have is opened when it is needed, and missed from then on", async (test) => {
  const directory = await temporaryDirectory(test);
  const first = await start(directory);
  assert.ok(!readdirSync(directory).includes("receiver-secrets.json"), "it costs nothing before");
  const late = await first.openLater(receiverSecretsKind);
  await late.update(() => ({ secrets: [{ name: "duty", sealed: "v1" }] }));
  await endOf({ ...first.documents, late });
  const second = await start(directory);
  const again = await second.openLater(receiverSecretsKind);
  assert.deepEqual(again.read(), { secrets: [{ name: "duty", sealed: "v1" }] });
  assert.deepEqual(second.register.findings(), []);
  await endOf({ ...second.documents, again });
  for (const name of ["receiver-secrets.json", "receiver-secrets.good.json"]) rmSync(join(directory, name));
  const third = await start(directory);
  assert.deepEqual(third.register.findings(), [], "nobody has looked");
  const lost = await third.openLater(receiverSecretsKind);
  const found = third.register.findings().map(({ document, damage, isLoss }) => [document, damage, isLoss]);
  assert.deepEqual(found, [["receiver-secrets", "missing", true]]);
  await endOf({ ...third.documents, lost });
});

describe("the initial settings of a product", () => {
  const directory = scratchDirectory();
  const at = (name: string) => join(directory, name);
  mkdirSync(at("directory"));
  symlinkSync(at("gone"), at("link"));
  writeFileSync(at("no-json"), "{ device: pump }");
  const unusable: Record<string, RegExp> = {
    absent: /absent, which does not exist\.$/,
    link: /link, which leads nowhere: .*link is a link to a place that is absent\.$/,
    directory: /directory, which cannot be read \(EISDIR\)\.$/,
    "no-json": /no-json, which is not JSON at line 1, column 3: a text or name is not in quotation marks/,
  };
  for (const [name, message] of Object.entries(unusable))
    it(`name the file that cannot be used, and why: ${name}`, () =>
      assert.rejects(readInitialSettings(at(name)), { code: "validation_failed", message }));

  it("are none where the variable is not set", async () =>
    assert.deepEqual([await readInitialSettings(undefined), await readInitialSettings("")], [{}, {}]));
});
