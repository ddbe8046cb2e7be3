import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
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

interface Lamp {
  brightness: number;
}

const kind: DocumentKind<Lamp> = {
  name: "lamp",
  formatVersion: "1.1.0",
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["brightness"],
    properties: { brightness: { type: "integer" } },
  },
  migrations: { "1.1.0": (lamp) => lamp.set("brightness", Number(lamp.get("brightness")) * 2) },
  defaults: { brightness: 50 },
  onLoss: "defaults",
};
const rescued = { ...kind, onLoss: "rescue" as const };

const inFormat = (version: string, brightness: unknown, internal: object = {}) =>
  JSON.stringify({ brightness, __internal__: { migrations: { version }, ...internal } });

const own = inFormat("1.1.0", 1);
const good = inFormat("1.1.0", 2);
const former = inFormat("1.0.0", 3);
const newer = inFormat("2.0.0", 4);

type Files = Partial<Record<"lamp" | "lamp.good" | "lamp.format-1.0.0" | "lamp.format-2.0.0", string>>;

async function placed(test: TestContext, files: Record<string, string>): Promise<string> {
  const directory = await temporaryDirectory(test);
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, `${name}.json`), text);
  return directory;
}

const present = { version: "1.1.0", newest: "1.1.0" };
const formerText = { version: "1.0.0", text: former };

describe("a document that is opened", () => {
  it("is the file where that can be used, whatever else lies there", async (test) => {
    const directory = await placed(test, { lamp: own, "lamp.good": good });
    for (const isFirstStart of [true, false])
      assert.deepEqual(await loadDocument(directory, rescued, isFirstStart), {
        ...{ value: { brightness: 1 }, origin: "file", finding: null, isFileInTheWay: false },
        ...{ form: present, former: null },
      });
  });

  it("is the file in its former form with what that was", async (test) => {
    const directory = await placed(test, { lamp: former });
    const { value, former: was, form } = await loadDocument(directory, kind, false);
    assert.deepEqual([value, was, form], [{ brightness: 6 }, formerText, present]);
  });

  it("begins with its defaults on a first start, which are its own", async (test) => {
    const directory = await placed(test, {});
    for (const of of [kind, rescued]) {
      const loaded = await loadDocument(directory, of, true);
      assert.deepEqual(loaded, {
        ...{ value: kind.defaults, origin: "defaults", finding: null, isFileInTheWay: false },
        ...{ form: present, former: null },
      });
      assert.notEqual(loaded.value, kind.defaults);
    }
  });

  /** The origin and the value, the damage and its replacement, and if a file is in the way of the next write. */
  const cases: [string, Files, found: string, RegExp][] = [
    [
      "its good copy where it is missing",
      { "lamp.good": good },
      "good 2, missing: good_copy, loss",
      /^lamp\.json is missing\. Its last good copy was taken; [^.]*\.$/,
    ],
    [
      "its good copy where it is damaged",
      { lamp: "{", "lamp.good": good, "lamp.format-1.0.0": former },
      "good 2, unreadable: good_copy, loss, in the way",
      /^lamp\.json: .*Its last good copy was taken.*The file is kept: `steward state list lamp`\.$/s,
    ],
    [
      "its good copy where a newer release has written it, and no former form is kept",
      { lamp: newer, "lamp.good": good },
      "good 2, newer: good_copy, loss, in the way",
      /^lamp\.json was written by a newer release \(format 2\.0\.0, known here: 1\.1\.0\)\. .*restore lamp --from`\.$/,
    ],
    [
      "the former form where a newer release has written it and changed it since",
      { lamp: newer, "lamp.good": good, "lamp.format-1.0.0": former },
      "former 6, newer: former_form, loss, in the way",
      /The copy kept in format 1\.0\.0 was taken; changes made since DATE are missing\. The newer file is kept/,
    ],
    [
      "the former form where a newer release has changed nothing",
      { lamp: inFormat("2.0.0", 4, { unchanged_since: "1.0.0" }), "lamp.format-1.0.0": former },
      "former 6, newer: former_form, in the way",
      /was taken; the newer release had changed nothing in it\./,
    ],
    [
      "the former form where what is unchanged is another one",
      { lamp: inFormat("2.0.0", 4, { unchanged_since: "1.1.0" }), "lamp.format-1.0.0": former },
      "former 6, newer: former_form, loss, in the way",
      /changes made since DATE are missing/,
    ],
    [
      "the former form where only the good copy is a newer release's",
      { lamp: "{", "lamp.good": newer, "lamp.format-1.0.0": former },
      "former 6, unreadable: former_form, loss, in the way",
      /was taken; changes made since DATE are missing\. The file is kept/,
    ],
    [
      "the newest form that can be used",
      { lamp: newer, "lamp.format-2.0.0": newer, "lamp.format-1.0.0": former },
      "former 6, newer: former_form, loss, in the way",
      /kept in format 1\.0\.0/,
    ],
    [
      "its defaults where both are missing",
      {},
      "defaults 50, missing: defaults, loss",
      /^lamp\.json is missing\. There is no good copy: it starts over with its defaults/,
    ],
    [
      "its defaults where neither can be used, and no release of another form has a part in it",
      { lamp: "{", "lamp.good": "[]", "lamp.format-1.0.0": former },
      "defaults 50, unreadable: defaults, loss, in the way",
      /Its good copy cannot be used either \(lamp\.good\.json: expected a JSON object\): .*The file is kept/s,
    ],
  ];
  for (const [name, files, expected, words] of cases)
    it(`is ${name}`, async (test) => {
      const directory = await placed(test, files as Record<string, string>);
      const isFirstStart = Object.keys(files).length > 0;
      const { value, origin, finding, isFileInTheWay } = await loadDocument(directory, kind, isFirstStart);
      assert.ok(finding);
      const ends = [...(finding.isLoss ? ["loss"] : []), ...(isFileInTheWay ? ["in the way"] : [])];
      const found = [`${origin} ${value.brightness}`, `${finding.damage}: ${finding.replacement}`, ...ends];
      assert.equal(found.join(", "), expected);
      const kept = await stat(join(directory, "lamp.format-1.0.0.json")).catch(() => null);
      assert.match(finding.detail.replace(kept?.mtime.toISOString() ?? "none", "DATE"), words);
    });

  const losses: [string, Record<string, string>, RegExp][] = [
    ["both are missing", {}, /^lamp\.json is missing; lamp\.good\.json is missing\. .* See what there is /],
    [
      "neither can be used",
      { lamp: "{", "lamp.good": "" },
      /^lamp\.json: .*; lamp\.good\.json: .* See what/s,
    ],
    [
      "a newer release wrote the file",
      { lamp: newer },
      /Install the release that wrote it again, or see what/,
    ],
    [
      "a newer release wrote the copy",
      { "lamp.good": newer },
      /Install the release that wrote it again, or see/,
    ],
    [
      "no version of it is kept",
      { lamp: "{" },
      /then `steward state restore lamp` or, to start over, `steward state reset lamp`\.$/,
    ],
    [
      "versions of it are kept",
      {
        "lamp.version-000007-20261120T080000Z": own,
        "lamp.version-000008-20261121T093015Z": own,
        "lamp.version-9": own,
        "lamps.version-000009-20261121T093015Z": own,
      },
      /restore lamp --at 0` \(its version of null\) or/,
    ],
    [
      "versions of it are kept with their times",
      { "lamp.version-000008-20261121T093015Z": own, "lamp.bad-000009-20261122T093015Z": own },
      /restore lamp --at 8` \(its version of 2026-11-21T09:30:15\.000Z\) or/,
    ],
  ];
  for (const [name, files, words] of losses)
    it(`is not made up where it must not be, and the ways out are named: ${name}`, async (test) => {
      const directory = await placed(test, files);
      await assert.rejects(loadDocument(directory, rescued, false), {
        code: "state_damaged",
        message: words,
      });
    });
});

describe("a file of a document's form", () => {
  const read = async (test: TestContext, text: string, of: DocumentKind<Lamp> = kind) =>
    readForm(await placed(test, { lamp: text }), of, "lamp");

  for (const [name, text, problem] of [
    ["is no JSON", "{", /^lamp\.json: /],
    ["is a list", "[]", /^lamp\.json: expected a JSON object$/],
    ["is nothing", "null", /^lamp\.json: expected a JSON object$/],
    ["is a number", "7", /^lamp\.json: expected a JSON object$/],
    ["lacks a member", inFormat("1.1.0", undefined), /^lamp\.json: \/brightness is missing$/],
    [
      "has a member of another type",
      inFormat("1.1.0", "x"),
      /^lamp\.json: \/brightness must be a whole number$/,
    ],
    [
      "names no form and has a stranger",
      '{"brightness": 1, "mood": 1}',
      /^lamp\.json: \/mood is not a member known/,
    ],
  ] as const)
    it(`is damaged where it ${name}`, async (test) => {
      const found = await read(test, text);
      assert.deepEqual([Object.keys(found), "why" in found && found.why], [["problem", "why"], "damaged"]);
      assert.match("problem" in found ? found.problem : "", problem);
    });

  it("is damaged where it does not fit as a whole", async (test) => {
    const found = await read(test, own, { ...kind, schema: { ...kind.schema, minProperties: 2 } });
    assert.equal("problem" in found && found.problem, "lamp.json: the document is not valid");
  });

  it("may name no form where it has no stranger, and is then older than any", async (test) => {
    const found = await read(test, '{"brightness": 1}');
    assert.deepEqual("value" in found && found.value, { brightness: 2 });
    assert.equal("value" in found && found.former?.version, "0.0.0");
  });

  it("of a newer minor version is used as far as it is known, and has its own form", async (test) => {
    const text = JSON.stringify({ ...JSON.parse(inFormat("1.2.0", 4)), mood: "fine" });
    assert.deepEqual(await read(test, text), {
      ...{
        value: { brightness: 4, mood: "fine" },
        form: { version: "1.2.0", newest: "1.2.0" },
        former: null,
      },
    });
  });

  it("of a newer version that does not fit is a newer one, and no damage", async (test) => {
    assert.deepEqual(await read(test, inFormat("1.2.0", "x", { unchanged_since: "1.1.0" })), {
      problem:
        "lamp.json was written by a newer release (format 1.2.0, known here: 1.1.0, and does not fit: /brightness must be a whole number)",
      ...{ why: "newer", unchangedSince: "1.1.0" },
    });
    const found = await read(test, newer);
    assert.deepEqual(Object.keys(found), ["problem", "why"]);
  });

  it("that has been in a newer form keeps that it has", async (test) => {
    const passedOn = await read(test, inFormat("1.1.0", 4, { newest: "1.3.0" }));
    assert.deepEqual("form" in passedOn && passedOn.form, { version: "1.1.0", newest: "1.3.0" });
    const older = await read(test, inFormat("1.0.0", 4, { newest: "1.3.0" }));
    assert.deepEqual(older, {
      value: { brightness: 4 },
      form: { version: "1.1.0", newest: "1.3.0" },
      former: { version: "1.0.0", text: inFormat("1.0.0", 4, { newest: "1.3.0" }) },
    });
    const known = await read(test, inFormat("1.0.0", 4, { newest: "1.1.0" }));
    assert.deepEqual("form" in known && known.form, present);
  });
});

describe("the form of a document", () => {
  const of = (internal: unknown) => formOf({ __internal__: internal });
  it("is what the file says, or older than any", () => {
    for (const none of [undefined, null, {}, { migrations: {} }, { migrations: { version: "1.0" } }])
      assert.deepEqual(of(none), { version: "0.0.0", newest: "0.0.0" });
    for (const wrong of ["x1.0.0", "1.0.0x", "1.0.x", 1])
      assert.deepEqual(of({ migrations: { version: wrong } }), { version: "0.0.0", newest: "0.0.0" });
    const version = "10.20.30";
    assert.deepEqual(of({ migrations: { version } }), { version, newest: version });
  });

  it("has been in a newer one of the same major version alone", () => {
    const newestOf = (newest: unknown) => of({ migrations: { version: "1.2.0" }, newest }).newest;
    assert.deepEqual(["1.3.0", "1.2.1", "1.1.9", "2.0.0", "0.9.0", "1.3"].map(newestOf), [
      "1.3.0",
      "1.2.1",
      "1.2.0",
      "1.2.0",
      "1.2.0",
      "1.2.0",
    ]);
  });

  it("is ordered by its numbers, of which the first decides first", () => {
    const order = (one: string, other: string) => Math.sign(compareFormats(one, other));
    for (const [one, other] of [
      ["1.2.3", "1.2.4"],
      ["1.9.0", "1.10.0"],
      ["1.9.9", "2.0.0"],
    ] as const) {
      assert.deepEqual([order(one, other), order(other, one), order(one, one)], [-1, 1, 0]);
    }
    assert.deepEqual(
      [isSameMajor("1.0.0", "1.9.0"), isSameMajor("1.0.0", "10.0.0"), isSameMajor("2.1.0", "1.1.0")],
      [true, false, false],
    );
  });

  it("is written behind the members, with what a release may have to know", () => {
    const internalOf = (form?: Parameters<typeof documentText>[2]) => {
      const text = documentText(kind, { brightness: 1 }, form);
      assert.ok(text.endsWith("}\n"));
      const { brightness, __internal__ } = JSON.parse(text);
      assert.equal(brightness, 1);
      return __internal__;
    };
    const migrations = { version: "1.1.0" };
    assert.deepEqual(internalOf(), { migrations });
    assert.deepEqual(internalOf({ ...migrations, newest: "1.0.0" }), { migrations });
    assert.deepEqual(internalOf({ ...migrations, newest: "1.2.0" }), { migrations, newest: "1.2.0" });
    assert.deepEqual(internalOf({ ...migrations, newest: "1.1.0", unchangedSince: "1.0.0" }), {
      ...{ migrations, unchanged_since: "1.0.0" },
    });
  });
});

describe("the files kept of a document", () => {
  it("are told from those of others by their names, the newest last or first", () => {
    const files = [
      "lamp.version-000002-x",
      "lamp.version-000010-x",
      "lamps.version-000011-x",
      "lamp.bad-000012-x",
    ];
    assert.equal(versionsIn(files, "lamp").at(-1), "lamp.version-000010-x");
    assert.equal(versionsIn([...files].reverse(), "lamp").at(-1), "lamp.version-000010-x");
    assert.deepEqual(versionsIn(files, "other"), []);
    const forms = ["1.9.0", "1.10.0", "0.2.0"].map((version) => `lamp.format-${version}.json`);
    const others = [
      "lamp.format-1.json",
      "lamps.format-3.0.0.json",
      "lamp.format-4.0.0.json.bad",
      "lamp.json",
    ];
    assert.deepEqual(formVersions([...forms, ...others, "lamp.x.format-5.0.0.json"], "lamp"), [
      ...["1.10.0", "1.9.0", "0.2.0"],
    ]);
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
    assert.deepEqual((await readDocument(directory, kind, { isFirstStart: false })).read(), {
      brightness: 2,
    });
    const first = await readDocument(await placed(test, {}), kind, { isFirstStart: true, found });
    assert.deepEqual([first.read(), told.length], [kind.defaults, 1]);
  });

  it("takes notes in memory and no update, and has no trouble", async () => {
    const document = createMemoryDocument("lamp", { brightness: 1 });
    document.note(({ brightness }) => ({ brightness: brightness + 1 }), 0);
    assert.deepEqual(document.read(), { brightness: 2 });
    const update = document.update(() => ({ brightness: 9 }));
    await assert.rejects(update, { code: "internal_error", message: /^lamp\.json was opened for reading/ });
    await document.save();
    await document.close();
    assert.deepEqual(
      [document.read(), document.trouble(), document.failure()],
      [{ brightness: 2 }, null, null],
    );
  });
});
