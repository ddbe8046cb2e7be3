import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { keptFiles, leftovers, onDisk, open } from "../../lab/state/state-directory.ts";
import type { StewardError } from "../../src/contract/errors.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";
import { createStateTools } from "../../src/store/documents/inspection.ts";
import { inFormat, kindOf } from "./fixture.ts";

interface Lamp {
  brightness: number;
  colour?: string;
}

/** The release before knows this form. */
const integer = { type: "integer" };
const former = kindOf<Lamp>("lamp", "1.0.0", { brightness: integer }, { defaults: { brightness: 50 } });

const coloured = { brightness: integer, colour: { type: "string" } };
const withColour = kindOf<Lamp>("lamp", "1.1.0", coloured, {
  migrations: { "1.1.0": (lamp) => lamp.set("colour", "white") },
  defaults: { brightness: 50 },
});

const inLumen = kindOf<{ lumen: number }>(
  "lamp",
  "2.0.0",
  { lumen: integer },
  {
    migrations: {
      "2.0.0": (lamp) => {
        lamp.set("lumen", Number(lamp.get("brightness")) * 8);
        lamp.delete("brightness");
      },
    },
    defaults: { lumen: 400 },
  },
);

async function stored(test: TestContext): Promise<{ directory: string; path: string; text: string }> {
  const directory = await temporaryDirectory(test);
  const document = await open(directory, former);
  await document.update(() => ({ brightness: 30 }));
  await document.close();
  const path = join(directory, "lamp.json");
  return { directory, path, text: await readFile(path, "utf8") };
}

describe("a migrated document", () => {
  it("is on the disk in the present form, with what it was before, from any form", async (test) => {
    const migrations: DocumentKind<object>["migrations"] = {
      ...inLumen.migrations,
      "2.1.0": (lamp) => lamp.set("colour", "amber"),
    };
    const schema = { type: "object", required: ["lumen", "colour"] };
    const kind: DocumentKind<object> = {
      ...{ name: "lamp", formatVersion: "2.1.0", schema, migrations, defaults: {}, onLoss: "rescue" },
    };
    for (const [from, members, expected] of [
      ["1.0.0", { brightness: 3 }, { lumen: 24, colour: "amber" }],
      ["2.0.0", { lumen: 35 }, { lumen: 35, colour: "amber" }],
      ["2.1.0", { lumen: 35, colour: "red" }, { lumen: 35, colour: "red" }],
    ] as const) {
      const directory = await temporaryDirectory(test);
      const path = join(directory, "lamp.json");
      await writeFile(path, inFormat(from, members), { mode: 0o600 });
      const document = await open(directory, kind);
      assert.deepEqual([document.read(), document.trouble()], [expected, null]);
      const internal = {
        migrations: { version: "2.1.0" },
        ...(from !== "2.1.0" && { unchanged_since: from }),
      };
      assert.deepEqual(await onDisk(directory, "lamp.json"), { ...expected, __internal__: internal });
      assert.deepEqual([(await stat(path)).mode & 0o777, await leftovers(directory)], [0o600, []]);
      await document.close();
    }
  });
});

describe("a migrated document, while a release of Steward is on trial", () => {
  it("leaves the file and its good copy as they are, as long as nothing changes", async (test) => {
    const { directory, path, text } = await stored(test);
    const document = await open(directory, withColour, { isOnTrial: async () => true });
    assert.deepEqual(document.read(), { brightness: 30, colour: "white" });
    await document.save();
    await document.close();
    for (const file of [path, join(directory, "lamp.good.json")])
      assert.equal(await readFile(file, "utf8"), text);
    assert.equal(document.trouble(), null);
  });

  it("writes a change so that the release before and this one have all of it", async (test) => {
    const { directory, text } = await stored(test);
    const document = await open(directory, withColour, { isOnTrial: async () => true });
    await document.update((lamp) => ({ ...lamp, brightness: 31, colour: "red" }));
    await document.close();
    assert.equal(await readFile(join(directory, "lamp.format-1.0.0.json"), "utf8"), text);
    assert.deepEqual((await onDisk(directory, "lamp.json")).__internal__, {
      migrations: { version: "1.0.0" },
      newest: "1.1.0",
    });
    const back = await open(directory, former);
    assert.equal(back.read().brightness, 31);
    await back.update((lamp) => ({ brightness: lamp.brightness + 1 }));
    await back.close();
    const again = await open(directory, withColour);
    assert.deepEqual(again.read(), { brightness: 32, colour: "red" });
    await again.close();
  });

  it("has its new form once the release is kept", async (test) => {
    const { directory } = await stored(test);
    let isOnTrial = true;
    const document = await open(directory, withColour, { isOnTrial: async () => isOnTrial });
    await document.update((lamp) => ({ ...lamp, colour: "red" }));
    isOnTrial = false;
    await document.save();
    assert.deepEqual(await onDisk(directory, "lamp.json"), {
      ...{ brightness: 30, colour: "red" },
      __internal__: { migrations: { version: "1.1.0" } },
    });
    await document.close();
  });

  it("refuses a change that the release before could not read, and loses no note", async (test) => {
    const { directory, path, text } = await stored(test);
    let isOnTrial = true;
    const document = await open(directory, inLumen, { isOnTrial: async () => isOnTrial });
    const refused = document.update(() => ({ lumen: 1 }));
    await assert.rejects(refused, ({ code }: StewardError) => code === "update_busy");
    document.note(({ lumen }) => ({ lumen: lumen + 1 }), 0);
    await document.save();
    assert.equal(await readFile(path, "utf8"), text);
    assert.equal(document.trouble(), null);
    isOnTrial = false;
    await document.save();
    assert.equal((await onDisk(directory, "lamp.json")).lumen, 241);
    await document.close();
  });
});

describe("the bytes of former forms", () => {
  it("are kept of the newest two, and taken where the present form is newer, with what changed since missing", async (test) => {
    const { directory, path, text } = await stored(test);
    for (const version of ["0.7.0", "0.10.0"])
      await writeFile(join(directory, `lamp.format-${version}.json`), "{}");
    const next = await open(directory, inLumen);
    await next.update(() => ({ lumen: 7 }));
    await next.close();
    const kept = ["lamp.format-0.10.0.json", "lamp.format-1.0.0.json"];
    assert.deepEqual(await keptFiles(directory, "lamp", "format"), kept);
    const found: { detail: string; isLoss: boolean }[] = [];
    const back = await open(directory, former, { found: async (one) => void found.push(one) });
    assert.deepEqual(back.read(), { brightness: 30 });
    await back.close();
    assert.equal(await readFile(path, "utf8"), text);
    assert.equal(found[0]?.isLoss, true);
    assert.match(
      found[0]?.detail ?? "",
      /format 2\.0\.0, known here: 1\.0\.0.*kept in format 1\.0\.0.*missing.*The newer file is kept/,
    );
    const restored = createStateTools(directory, [former]).restore("lamp", { from: kept[1] });
    assert.equal((await restored).format, "1.0.0");
  });

  it("make it possible to have back what the newer release had, with what was changed meanwhile", async (test) => {
    type Room = { lamp: { on: boolean; colour: string }; blinds: string; heating?: string };
    const old: DocumentKind<Room> = {
      name: "room",
      formatVersion: "1.0.0",
      schema: { type: "object", properties: { blinds: { enum: ["up", "down"] } } },
      defaults: { lamp: { on: false, colour: "white" }, blinds: "up", heating: "off" },
      onLoss: "rescue",
      rejoins: true,
    };
    const next: DocumentKind<Room> = {
      ...old,
      formatVersion: "2.0.0",
      schema: { type: "object", properties: { blinds: { enum: ["up", "half", "down"] } } },
    };
    const directory = await temporaryDirectory(test);
    const change = async (kind: DocumentKind<Room>, values: Partial<Room>, options = {}) => {
      const document = await open(directory, kind, options);
      await document.update((room) => ({ ...room, ...values }));
      await document.close();
      return document.read();
    };
    await change(old, { heating: "on" });
    await change(next, { lamp: { on: true, colour: "red" }, blinds: "half" });
    const changed = await change(old, { lamp: { on: false, colour: "blue" } });
    assert.deepEqual([changed.blinds, changed.heating], ["up", "on"]);
    let count = 0;
    const rejoined = { rejoined: async () => (count += 1) };
    const again = await change(next, { heating: "off" }, rejoined);
    assert.deepEqual(again, { lamp: { on: true, colour: "blue" }, blinds: "half", heating: "off" });
    assert.deepEqual([(await change(next, {}, rejoined)).blinds, count], ["half", 1]);
    // A person wants the file that they have put in its place.
    await change(old, {});
    await createStateTools(directory, [old]).reset("room");
    assert.deepEqual((await change(next, {}, rejoined)).lamp, old.defaults.lamp);
  });
});
