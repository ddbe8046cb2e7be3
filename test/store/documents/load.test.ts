import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import Conf from "conf";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import {
  compareFormats,
  type DocumentKind,
  documentText,
  formOf,
  isSameMajor,
} from "../../../src/store/documents/document-kind.ts";
import { formVersions, markOf, versionsIn } from "../../../src/store/documents/kept-files.ts";
import { loadDocument } from "../../../src/store/documents/load.ts";
import { createMemoryDocument, readDocument } from "../../../src/store/documents/memory-document.ts";
import { readForm } from "../../../src/store/documents/read-form.ts";
import { inFormat as formatted, kindOf } from "../fixture.ts";

interface Lamp {
  brightness: number;
}

const kind = kindOf<Lamp>(
  "lamp",
  "1.1.0",
  { brightness: { type: "integer", maximum: 100 } },
  {
    migrations: {
      "1.1.0": (lamp) => {
        if (lamp.get("brightness") === "high") throw new Error("it is no number");
        lamp.set("brightness", Number(lamp.get("brightness")) * 2);
      },
    },
    defaults: { brightness: 50 },
    onLoss: "defaults",
  },
);
const rescued = { ...kind, onLoss: "rescue" as const };

const inFormat = (version: string, brightness: unknown, internal: object = {}) =>
  formatted(version, { brightness }, internal);

const own = inFormat("1.1.0", 1);
const good = inFormat("1.1.0", 2);
const former = inFormat("1.0.0", 3);
const newer = inFormat("2.0.0", 4);

async function placed(test: TestContext, files: Record<string, string>): Promise<string> {
  const directory = await temporaryDirectory(test);
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, `${name}.json`), text);
  return directory;
}

const present = { version: "1.1.0", newest: "1.1.0" };
const unfound = { finding: null, isFileInTheWay: false, form: present, former: null };

describe("a document that is opened", () => {
  it("is the file where that can be used, whatever else lies there, and in its former form with what that was", async (test) => {
    const directory = await placed(test, { lamp: own, "lamp.good": good });
    const expected = { ...unfound, value: { brightness: 1 }, origin: "file" };
    for (const isFirstStart of [true, false])
      assert.deepEqual(await loadDocument(directory, rescued, isFirstStart), expected);
    const loaded = await loadDocument(await placed(test, { lamp: former }), kind, false);
    const was = { version: "1.0.0", text: former };
    assert.deepEqual(loaded, { ...expected, value: { brightness: 6 }, former: was });
  });

  it("begins with its defaults on a first start, which are its own", async (test) => {
    for (const of of [kind, rescued]) {
      const loaded = await loadDocument(await placed(test, {}), of, true);
      assert.deepEqual(loaded, { ...unfound, value: kind.defaults, origin: "defaults" });
      assert.notEqual(loaded.value, kind.defaults);
    }
  });

  const kept = "lamp.format-1.0.0";
  const texts: Readonly<Record<string, string>> = {
    ...{ good, former, newer, none: "{", list: "[]" },
    unchanged: inFormat("2.0.0", 4, { unchanged_since: "1.0.0" }),
    "unchanged since another": inFormat("2.0.0", 4, { unchanged_since: "1.1.0" }),
  };
  const missing = /^lamp\.json is missing\. Its last good copy was taken; [^.]*\.$/;
  const damaged =
    /^lamp\.json: .*Its last good copy was taken.*The file is kept: `steward state list lamp`\.$/s;
  const byNewer =
    /^lamp\.json was written by a newer release \(format 2\.0\.0, known here: 1\.1\.0\)\. .*restore lamp --from`\.$/;
  const since =
    /The copy kept in format 1\.0\.0 was taken; changes made since DATE are missing\. The newer file is/;
  const nothing =
    /Its good copy cannot be used either \(lamp\.good\.json: expected a JSON object\): .*The file is kept/s;
  /**
   * The file, the good copy and the copies of the formats 1.0.0 and 2.0.0; the outcome: the origin and the value, the
   * damage and its replacement, and if a file is in the way.
   */
  const rows: readonly (readonly [files: string, outcome: string, words: RegExp])[] = [
    ["-, good", "good 2, missing: good_copy, loss", missing],
    ["none, good, former", "good 2, unreadable: good_copy, loss, in the way", damaged],
    ["newer, good", "good 2, newer: good_copy, loss, in the way", byNewer],
    ["newer, good, former", "former 6, newer: former_form, loss, in the way", since],
    [
      "unchanged, -, former",
      "former 6, newer: former_form, in the way",
      /the newer release had changed nothing in/,
    ],
    ["unchanged since another, -, former", "former 6, newer: former_form, loss, in the way", since],
    [
      "none, newer, former",
      "former 6, unreadable: former_form, loss, in the way",
      /since DATE are missing\. The file/,
    ],
    ["newer, -, former, newer", "former 6, newer: former_form, loss, in the way", since],
    [
      "-",
      "defaults 50, missing: defaults, loss",
      /^lamp\.json is missing\. There is no good copy: it starts over/,
    ],
    ["none, list, former", "defaults 50, unreadable: defaults, loss, in the way", nothing],
  ];
  for (const [placing, expected, words] of rows)
    it(`is ${expected} where its files are ${placing}`, async (test) => {
      const names = ["lamp", "lamp.good", kept, "lamp.format-2.0.0"];
      const given = placing.split(", ").map((name, at) => [names[at] ?? "", texts[name]] as const);
      const files = given.filter((one): one is [string, string] => one[1] !== undefined);
      const directory = await placed(test, Object.fromEntries(files));
      const { value, origin, finding, isFileInTheWay } = await loadDocument(
        directory,
        kind,
        files.length > 0,
      );
      assert.ok(finding);
      const ends = [...(finding.isLoss ? ["loss"] : []), ...(isFileInTheWay ? ["in the way"] : [])];
      const found = [`${origin} ${value.brightness}`, `${finding.damage}: ${finding.replacement}`, ...ends];
      assert.equal(found.join(", "), expected);
      const since = await stat(join(directory, `${kept}.json`)).catch(() => null);
      assert.match(finding.detail.replace(since?.mtime.toISOString() ?? "none", "DATE"), words);
    });

  const version = (number: string, at: string) => ({ [`lamp.version-${number}-${at}`]: own });
  const others = { "lamp.bad-000009-20261122T093015Z": own, "lamps.version-000009-20261121T093015Z": own };
  const install = /Install the release that wrote it again, or see what/;
  for (const [name, files, message] of [
    ["both are missing", {}, /^lamp\.json is missing; lamp\.good\.json is missing\. .* See what there is /],
    ["none can be used", { lamp: "{", "lamp.good": "" }, /^lamp\.json: .*; lamp\.good\.json: .* See what/s],
    ["a newer release wrote the file", { lamp: newer }, install],
    ["a newer release wrote the copy", { "lamp.good": newer }, install],
    [
      "no version of it is kept",
      { lamp: "{" },
      /then `steward state restore lamp` or, .*`steward state reset lamp`\.$/,
    ],
    ["one of no form is", { "lamp.version-9": own }, /restore lamp --at 0` \(its version of null\) or/],
    [
      "versions of it are kept",
      { ...version("000007", "20261120T080000Z"), ...version("000008", "20261121T093015Z"), ...others },
      /restore lamp --at 8` \(its version of 2026-11-21T09:30:15\.000Z\) or/,
    ],
  ] as [string, Record<string, string>, RegExp][])
    it(`is not made up where it must not be, and the ways out are named: ${name}`, async (test) => {
      const loading = loadDocument(await placed(test, files), rescued, false);
      await assert.rejects(loading, { code: "state_damaged", message });
    });
});

describe("a file of a document's form", () => {
  const read = async (test: TestContext, text: string, of: DocumentKind<Lamp> = kind) =>
    readForm(await placed(test, { lamp: text }), of, "lamp");

  for (const [name, text, problem] of [
    ["is no JSON", "{", /^lamp\.json: /],
    ["is a list", "[]", /^lamp\.json: expected a JSON object$/],
    ["is nothing", "null", /^lamp\.json: expected a JSON object$/],
    ["lacks a member", inFormat("1.1.0", undefined), /^lamp\.json: \/brightness is missing$/],
    ["has another type", inFormat("1.1.0", "x"), /^lamp\.json: \/brightness must be a whole number$/],
    ["has a stranger", '{"brightness": 1, "mood": 1}', /^lamp\.json: \/mood is not a member kno/],
    ["cannot be migrated", inFormat("1.0.0", "high"), /^lamp\.json: .*it is no number/],
    ["does not fit when migrated", inFormat("1.0.0", 51), /^lamp\.json: \/brightness must be at most 100$/],
  ] as const)
    it(`is damaged where it ${name}`, async (test) => {
      const found = await read(test, text);
      assert.deepEqual([Object.keys(found), "why" in found && found.why], [["problem", "why"], "damaged"]);
      assert.match("problem" in found ? found.problem : "", problem);
    });

  it("is damaged where it does not fit as a whole, or where its validator cannot be loaded", async (test) => {
    const found = await read(test, own, { ...kind, schema: { ...kind.schema, minProperties: 2 } });
    assert.equal("problem" in found && found.problem, "lamp.json: the document is not valid");
    const unloaded = await readForm(await placed(test, { lamp: own }), kind, "lamp", () => {
      throw Object.assign(new Error("no such file, validators/lamp.js"), { code: "ENOENT" });
    });
    assert.deepEqual(unloaded, { problem: "lamp.json: no such file, validators/lamp.js", why: "damaged" });
  });

  it("may name no form where it has no stranger, and is then older than any; one that is absent is so", async (test) => {
    const found = await read(test, '{"brightness": 1}');
    assert.deepEqual("value" in found && [found.value, found.former?.version], [{ brightness: 2 }, "0.0.0"]);
    const absent = await readForm(await placed(test, {}), kind, "lamp");
    assert.equal("why" in absent && absent.why, "absent");
  });

  it("is read by Conf without a write, and migrated where it is a former one", async (test) => {
    const conf = Conf.prototype as unknown as { _write: () => void; _migrate: () => void };
    const [write, migrate] = [test.mock.method(conf, "_write"), test.mock.method(conf, "_migrate")];
    for (const [text, migrations] of [
      [own, 0],
      [former, 1],
    ] as const) {
      await read(test, text);
      assert.deepEqual([write.mock.callCount(), migrate.mock.callCount()], [0, migrations]);
    }
  });

  it("of a newer minor version is used as far as it is known, and has its own form", async (test) => {
    const value = { brightness: 4, mood: "fine" };
    const form = { version: "1.2.0", newest: "1.2.0" };
    assert.deepEqual(await read(test, formatted("1.2.0", value)), { value, form, former: null });
  });

  it("of a newer version that does not fit is a newer one, and no damage", async (test) => {
    assert.deepEqual(await read(test, inFormat("1.2.0", "x", { unchanged_since: "1.1.0" })), {
      problem:
        "lamp.json was written by a newer release (format 1.2.0, known here: 1.1.0, and does not fit: /brightness must be a whole number)",
      why: "newer",
      unchangedSince: "1.1.0",
    });
    assert.deepEqual(Object.keys(await read(test, newer)), ["problem", "why"]);
  });

  it("that has been in a newer form keeps that it has", async (test) => {
    const passedOn = await read(test, inFormat("1.1.0", 4, { newest: "1.3.0" }));
    assert.deepEqual("form" in passedOn && passedOn.form, { version: "1.1.0", newest: "1.3.0" });
    const text = inFormat("1.0.0", 4, { newest: "1.3.0" });
    assert.deepEqual(await read(test, text), {
      value: { brightness: 4 },
      form: { version: "1.1.0", newest: "1.3.0" },
      former: { version: "1.0.0", text },
    });
    const known = await read(test, inFormat("1.0.0", 4, { newest: "1.1.0" }));
    assert.deepEqual("form" in known && known.form, present);
  });
});

describe("the form of a document", () => {
  const of = (version: unknown, newest?: unknown) =>
    formOf({ __internal__: { migrations: { version }, newest } });

  it("is what the file says, or older than any", () => {
    const none = { version: "0.0.0", newest: "0.0.0" };
    for (const internal of [undefined, null, {}, { migrations: {} }])
      assert.deepEqual(formOf({ __internal__: internal }), none);
    for (const wrong of ["1.0", "x1.0.0", "1.0.0x", "1.0.x", 1]) assert.deepEqual(of(wrong), none);
    assert.deepEqual(of("10.20.30"), { version: "10.20.30", newest: "10.20.30" });
  });

  it("has been in a newer one of the same major version alone", () => {
    const newest = ["1.3.0", "1.2.1", "1.1.9", "2.0.0", "0.9.0", "1.3"].map((one) => of("1.2.0", one).newest);
    assert.equal(newest.join(" "), "1.3.0 1.2.1 1.2.0 1.2.0 1.2.0 1.2.0");
  });

  it("is ordered by its numbers, of which the first decides first", () => {
    const order = (one: string, other: string) => Math.sign(compareFormats(one, other));
    for (const line of ["1.2.3 1.2.4", "1.9.0 1.10.0", "1.9.9 2.0.0"]) {
      const [one = "", other = ""] = line.split(" ");
      assert.deepEqual([order(one, other), order(other, one), order(one, one)], [-1, 1, 0]);
    }
    const same = ["1.0.0 1.9.0", "1.0.0 10.0.0", "2.1.0 1.1.0"].map((line) => line.split(" "));
    const found = same.map(([one = "", other = ""]) => isSameMajor(one, other));
    assert.deepEqual(found, [true, false, false]);
  });

  it("is written behind the members, with what a release may have to know", () => {
    const migrations = { version: "1.1.0" };
    for (const [form, more] of [
      [undefined, {}],
      [{ newest: "1.0.0" }, {}],
      [{ newest: "1.2.0" }, { newest: "1.2.0" }],
      [{ newest: "1.1.0", unchangedSince: "1.0.0" }, { unchanged_since: "1.0.0" }],
    ] as const) {
      const text = documentText(kind, { brightness: 1 }, form && { ...migrations, ...form });
      assert.ok(text.endsWith("}\n"));
      assert.deepEqual(JSON.parse(text), { brightness: 1, __internal__: { migrations, ...more } });
    }
  });
});

describe("the files kept of a document", () => {
  it("are told from those of others by their names, the newest last or first", () => {
    const files = ["lamp.version-02-x", "lamp.version-10-x", "lamps.version-11-x", "lamp.bad-12-x"];
    for (const order of [files, [...files].reverse()])
      assert.equal(versionsIn(order, "lamp").at(-1), "lamp.version-10-x");
    assert.deepEqual(versionsIn(files, "other"), []);
    const forms = ["1.9.0", "1.10.0", "0.2.0"].map((version) => `lamp.format-${version}.json`);
    const others = ["lamp.format-1.json", "lamps.format-3.0.0.json", "lamp.format-4.0.0.json.bad"];
    const all = [...forms, ...others, "lamp.json", "lamp.x.format-5.0.0.json"];
    assert.deepEqual(formVersions(all, "lamp"), ["1.10.0", "1.9.0", "0.2.0"]);
  });

  it("have a number and a time, or neither", () => {
    const at = "2026-11-21T09:30:15.000Z";
    assert.deepEqual(markOf("lamp.version-000012-20261121T093015Z.json"), { number: 12, at });
    assert.deepEqual(markOf("lamp.bad-1-20269921T093015Z.json"), { number: 1, at: null });
    for (const none of ["", "lamp.json", "lamp.good.json", "lamp.bad-1-20261121T093015Z.json.part"])
      assert.deepEqual(markOf(none), { number: 0, at: null });
  });
});

describe("a document that is only read", () => {
  it("is what lies on the disk, and what was found is told", async (test) => {
    const directory = await placed(test, { "lamp.good": good });
    const told: string[] = [];
    const found = async ({ damage }: { damage: string }) => void told.push(damage);
    const document = await readDocument(directory, kind, { isFirstStart: false, found });
    assert.deepEqual([document.name, document.read(), told], ["lamp", { brightness: 2 }, ["missing"]]);
    const first = await readDocument(await placed(test, {}), kind, { isFirstStart: true, found });
    assert.deepEqual([first.read(), told.length], [kind.defaults, 1]);
  });

  it("takes notes in memory and no update, and has no trouble", async () => {
    const document = createMemoryDocument("lamp", { brightness: 1 });
    document.note(({ brightness }) => ({ brightness: brightness + 1 }), 0);
    const update = document.update(() => ({ brightness: 9 }));
    await assert.rejects(update, { code: "internal_error", message: /^lamp\.json was opened for reading/ });
    await document.save();
    await document.close();
    const { trouble, failure } = document;
    assert.deepEqual([document.read(), trouble(), failure()], [{ brightness: 2 }, null, null]);
  });
});
