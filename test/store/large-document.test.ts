import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { comes, comesToRest, fingerprints, open } from "../../lab/state/state-directory.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";
import { createStateTools } from "../../src/store/documents/inspection.ts";
import type { Found } from "../../src/store/documents/load.ts";
import { kindOf } from "./fixture.ts";

interface Shelf {
  readonly books: readonly { readonly id: string; readonly title: string }[];
}

const text = { type: "string" };
const books = { type: "array", items: { type: "object", properties: { id: text, title: text } } };
const kind = kindOf<Shelf>(
  "shelf",
  "1.0.0",
  { books },
  {
    defaults: { books: [] },
    isNewVersion: (before, after) => JSON.stringify(before) !== JSON.stringify(after),
  },
);

/** 100 KB of it. */
const full: Shelf = {
  books: Array.from({ length: 500 }, (_, index) => ({ id: `b${index}`, title: `${index} `.repeat(40) })),
};

const retitled =
  (id: string, title: string) =>
  ({ books }: Shelf): Shelf => ({ books: books.map((book) => (book.id === id ? { id, title } : book)) });

/** A document of many records that is open and whose copies are made, and its files. */
async function openShelf(test: TestContext, changed: Partial<DocumentKind<Shelf>> = {}) {
  const shelf = { ...kind, ...changed };
  const directory = await temporaryDirectory(test);
  const first = await open(directory, shelf);
  await first.update(() => full);
  await first.close();
  const time = standingTime();
  const document = await open(directory, shelf, { time });
  const path = (name: string) => join(directory, name);
  const isCopied = async (title: string) =>
    (await readFile(path("shelf.good.json"), "utf8").catch(() => "")).includes(title);
  const change = async (id: string, title: string) => {
    await document.update(retitled(id, title));
    time.pass(2);
    await comes("the copies are made", () => isCopied(title));
    await comesToRest();
  };
  const versions = async () => (await readdir(directory)).filter((name) => name.includes(".version-")).sort();
  return { directory, document, path, pass: time.pass, change, isCopied, versions };
}

async function reopen(directory: string): Promise<{ value: Shelf; found: Found[] }> {
  const found: Found[] = [];
  const document = await open(directory, kind, {
    isFirstStart: false,
    found: async (finding) => void found.push(finding),
  });
  const value = document.read();
  await document.close();
  return { value, found };
}

describe("the good copy of a document of many records", () => {
  it("is made at most every ten minutes, and at the end", async (test) => {
    const { directory, document, change, pass, isCopied } = await openShelf(test);
    await change("b0", "the first");
    const copied = (await fingerprints(directory))["shelf.good.json"];
    for (let turn = 0; turn < 3; turn += 1) {
      await document.update(retitled("b9", `use ${turn}`));
      pass(2);
      await comesToRest();
    }
    assert.equal((await fingerprints(directory))["shelf.good.json"], copied);
    pass(600);
    await comes("it is made", () => isCopied("use 2"));
    await document.update(retitled("b9", "the last use"));
    await document.close();
    assert.equal(await isCopied("the last use"), true);
  });

  it("takes the place of a damaged document, from which it takes no damage over, and says from when it is", async (test) => {
    const { directory, document, change, path } = await openShelf(test);
    const text = await readFile(path("shelf.json"), "utf8");
    const line = text.split("\n").filter((one) => one.includes('"b77"'));
    const [book = ""] = line;
    // A line for each record, which another program reads and a person finds.
    assert.deepEqual([JSON.parse(book.trim().replace(/,$/, "")), line.length], [full.books[77], 1]);
    await change("b3", "a new title");
    await writeFile(path("shelf.json"), "{");
    await document.close();
    await writeFile(path("shelf.json"), "{");
    const since = (await stat(path("shelf.good.json"))).mtime.toISOString();
    const { value, found } = await reopen(directory);
    assert.deepEqual(value, retitled("b3", "a new title")(full));
    assert.ok(found[0]?.detail.includes(`changes made since ${since} may be missing`), found[0]?.detail);
    assert.equal(found[0]?.isLoss, true);
  });
});

describe("the versions of a document of many records", () => {
  it("cost no write: each is another name of the document, then of its good copy, and keeps its content", async (test) => {
    const { directory, document, change, path, pass, versions } = await openShelf(test);
    const isOneFile = async (one: string, other: string) =>
      (await stat(path(one))).ino === (await stat(path(other))).ino;
    await change("b3", "a new title");
    const newest = async () => (await versions()).at(-1) ?? "";
    await comes("a version is made", async () => (await versions()).length === 2);
    const first = await newest();
    assert.equal(await isOneFile(first, "shelf.good.json"), true);
    await document.update(retitled("b3", "yet another"));
    pass(2);
    await comes("a version is made", async () => (await versions()).length === 3);
    const second = await newest();
    assert.equal(await isOneFile(second, "shelf.json"), true);
    pass(600);
    await comes("it is one of the good copy", () => isOneFile(second, "shelf.good.json"));
    await document.update(retitled("b3", "the last"));
    await document.close();
    assert.equal(await isOneFile(await newest(), "shelf.good.json"), true);
    const tools = createStateTools(directory, [kind]);
    const shown = await Promise.all((await versions()).map((from) => tools.show("shelf", { from })));
    const titles = shown.map((found) => (found as Shelf).books[3]?.title);
    assert.deepEqual(titles, [full.books[3]?.title, "a new title", "yet another", "the last"]);
  });

  it("still have what was there before a person edited the file in its place", async (test) => {
    const { directory, document, change, path, versions } = await openShelf(test);
    await change("b3", "a new title");
    await document.close();
    const text = await readFile(path("shelf.json"), "utf8");
    await writeFile(path("shelf.json"), text.replace("a new title", "an edited title"));
    const { value } = await reopen(directory);
    assert.deepEqual(value, retitled("b3", "an edited title")(full));
    const tools = createStateTools(directory, [kind]);
    const shown = await Promise.all((await versions()).map((from) => tools.show("shelf", { from })));
    assert.deepEqual(shown.at(-2), retitled("b3", "a new title")(full));
    assert.deepEqual(shown.at(-1), value);
  });

  it("are offered for repair only where they can be read", async (test) => {
    const { directory, document, change, path, versions } = await openShelf(test);
    await change("b3", "a new title");
    await document.close();
    const [former, newest] = (await versions()).slice(-2);
    assert.ok(former && newest);
    for (const name of ["shelf.json", "shelf.good.json"]) await writeFile(path(name), "{");
    const message = /steward state restore shelf --at 1`/;
    await assert.rejects(open(directory, kind, { isFirstStart: false }), { code: "state_damaged", message });
  });
});
