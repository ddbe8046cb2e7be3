import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { comes, comesToRest, fingerprints, onDisk, open, stopTime } from "../../lab/state/state-directory.ts";
import { type Counter, counterKind } from "../../lab/state/store-counter.ts";
import { accountsKind } from "../../src/accounts/users/account.ts";
import type { StewardError } from "../../src/contract/errors.ts";
import { type DocumentKind, documentText } from "../../src/store/documents/document-kind.ts";
import { createStateTools } from "../../src/store/documents/inspection.ts";

const at = (counter: number) => documentText(counterKind, { counter });

describe("the good copy", () => {
  it("follows a change after two seconds, equal in content, in a file of its own", async (test) => {
    const directory = await temporaryDirectory(test);
    const pass = stopTime(test);
    const document = await open(directory, counterKind);
    await document.update(() => ({ counter: 7 }));
    const [file, copy] = [join(directory, "counter.json"), join(directory, "counter.good.json")];
    pass(1.999);
    await comesToRest();
    assert.equal(await isSameText(file, copy), false);
    pass(0.001);
    await comes("the copy is made", () => isSameText(file, copy));
    assert.equal((await onDisk(directory, "counter.good.json")).counter, 7);
    assert.notEqual((await stat(file)).ino, (await stat(copy)).ino);
    assert.equal((await stat(copy)).nlink, 1);
    await document.update(() => ({ counter: 8 }));
    pass(2);
    await comes("the next copy is made", () => isSameText(file, copy));
    await document.close();
  });

  it("is written once after a row of changes, not at each of them", async (test) => {
    const directory = await temporaryDirectory(test);
    const pass = stopTime(test);
    const document = await open(directory, counterKind);
    const seen = new Set<string | undefined>();
    const look = async () => seen.add((await fingerprints(directory))["counter.good.json"]);
    for (let change = 1; change <= 20; change += 1) {
      await document.update(() => ({ counter: change }));
      pass(1);
      await comesToRest();
      await look();
    }
    pass(1);
    const copied = async () => {
      await look();
      return isSameText(join(directory, "counter.json"), join(directory, "counter.good.json"));
    };
    await comes("the copy is made", copied);
    // It may have come between the last look and the comparison.
    await look();
    // Before it there is none.
    assert.deepEqual([...seen].length, 2);
    await document.close();
  });

  for (const [what, copy] of [
    ["is behind because the last process was killed", at(4)],
    ["is damaged", "{"],
    ["is missing", null],
  ] as const)
    it(`is made anew after a start that finds that it ${what}`, async (test) => {
      const directory = await temporaryDirectory(test);
      await writeFile(join(directory, "counter.json"), at(5));
      if (copy !== null) await writeFile(join(directory, "counter.good.json"), copy);
      const pass = stopTime(test);
      const document = await open(directory, counterKind);
      pass(2);
      const isMade = () => isSameText(join(directory, "counter.json"), join(directory, "counter.good.json"));
      await comes("the copy is made", isMade);
      await document.close();
    });
});

async function isSameText(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => readFile(path, "utf8").catch(() => null)),
  );
  return first !== null && first === second;
}

/** Odd numbers are worth no version. */
const versioned: DocumentKind<Counter> = {
  ...counterKind,
  isNewVersion: (before, { counter }) => counter % 2 === 0 && before?.counter !== counter,
};

async function withThrottle(directory: string, values: readonly number[]): Promise<void> {
  for (const counter of values) {
    const document = await open(directory, versioned);
    await document.update(() => ({ counter }));
    await document.close();
  }
}

describe("the versions of a document", () => {
  it("are the last ten that people's changes led to, each once, and can be restored", async (test) => {
    const directory = await temporaryDirectory(test);
    await withThrottle(directory, [0, 1, 2, 3, 3, 4, 4, 6, 8, 10, 12, 14, 16, 18, 20, 21]);
    const tools = createStateTools(directory, [versioned]);
    const all = await tools.copies("counter");
    assert.deepEqual([all[0]?.from, all[0]?.number], ["good", null]);
    const copies = all.filter(({ what }) => what === "version");
    const found = copies.map(({ number, condition }) => [number, condition]);
    assert.deepEqual(
      found,
      [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((number) => [number, "ok"]),
    );
    assert.deepEqual(await tools.show("counter", { at: "2" }), { counter: 2 });
    assert.deepEqual(await tools.show("counter", { at: copies[0]?.at ?? "" }), { counter: 20 });
    const { condition } = await tools.restore("counter", { at: "10" });
    assert.equal(condition, "ok");
    assert.deepEqual(await tools.show("counter"), { counter: 18 });
    for (const [at, code] of [
      ["1", "not_found"],
      ["2001-01-01T00:00:00Z", "not_found"],
      ["yesterday", "validation_failed"],
    ] as const)
      await assert.rejects(tools.restore("counter", { at }), (error: StewardError) => error.code === code);
  });

  it("are made by a start that finds none, and its good copy is left alone", async (test) => {
    const directory = await temporaryDirectory(test);
    await withThrottle(directory, [2]);
    for (const file of await readdir(directory))
      if (file.includes(".version-")) {
        // The good copy has the same content under another name.
        await rm(join(directory, file));
        await writeFile(join(directory, file), "{");
      }
    const before = (await fingerprints(directory))["counter.good.json"];
    const pass = stopTime(test);
    const document = await open(directory, versioned);
    const count = async () => (await readdir(directory)).filter((file) => file.includes(".version-")).length;
    assert.equal(await count(), 1, "a damaged one, which is none");
    pass(2);
    await comes("a version is made", async () => (await count()) === 2);
    assert.equal((await fingerprints(directory))["counter.good.json"], before);
    await document.close();
    assert.equal(await count(), 2);
  });

  it("are one of what two ask for at once, and need no good copy", async (test) => {
    const directory = await temporaryDirectory(test);
    const pass = stopTime(test);
    const document = await open(directory, versioned);
    for (const name of ["counter.good.json/held", "counter.good.json.bad/held"])
      await mkdir(join(directory, name), { recursive: true });
    await document.update(() => ({ counter: 2 }));
    pass(2);
    await document.close();
    const versions = (await readdir(directory)).filter((file) => file.includes(".version-"));
    assert.equal(versions.length, 1);
    assert.deepEqual(await readdir(join(directory, "counter.good.json")), ["held"]);
  });
});

describe("the versions of the users", () => {
  const account = { username: "ana", last_login_at: null, role: "admin", two_factor: null };
  const state = (changes: object) => ({ accounts: [{ ...account, ...changes }] }) as never;

  it("are not made by a sign-in, and are by what people change", () => {
    const isNew = (changes: object) => accountsKind.isNewVersion?.(state({}), state(changes));
    assert.equal(isNew({ last_login_at: "2026-11-22T08:00:00.000Z" }), false);
    assert.equal(isNew({ role: "operator" }), true);
    const used = (sign_count: number, name = "Phone") => ({
      accounts: [{ ...account, two_factor: { passkeys: [{ name, sign_count, last_used_at: null }] } }],
    });
    const isNewFrom = (before: object, after: object) =>
      accountsKind.isNewVersion?.(before as never, after as never);
    assert.equal(isNewFrom(used(1), used(2)), false);
    assert.equal(isNewFrom(used(1), used(1, "Key")), true);
    assert.equal(accountsKind.isNewVersion?.(null, { accounts: [] }), false);
  });
});
