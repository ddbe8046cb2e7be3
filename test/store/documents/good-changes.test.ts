import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { changesBetween, withChanges } from "../../../src/store/documents/good-changes.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `record ${index} é of the list`);
const textOf = (all: readonly string[]) => Buffer.from(all.map((line) => `${line}\n`).join(""));
const all = lines(400);

describe("the changes between a copy and a document", () => {
  const some = all.filter((_, index) => index % 37 !== 5);
  for (const [what, present] of [
    ["none", all],
    ["a record replaced", all.with(200, "another, longer record")],
    ["the first and the last replaced", all.with(0, "first").with(399, "last")],
    ["one added at the end", [...all, "one more"]],
    ["one added at the beginning", ["one more", ...all]],
    ["many removed, one here and one there", some],
    ["sixty in a row removed", all.toSpliced(100, 60)],
    ["the last twenty removed", all.slice(0, 380)],
    ["some replaced, added and removed", [...some.with(9, "x").with(10, "y").toSpliced(70, 3, "z"), "w"]],
  ] as const) {
    it(`lead to the document: ${what}`, () => {
      const [base, document] = [textOf(all), textOf(present)];
      const changes = changesBetween(base, document);
      assert.ok(changes !== null && changes.length < document.length / 4, "they are few");
      assert.deepEqual(withChanges(base, changes), document);
      assert.ok(JSON.parse(changes).changes.length <= 20);
    });
  }

  it("are as small as what was changed", () => {
    const changes = changesBetween(textOf(all), textOf(all.with(200, "another record")));
    const { changes: found } = JSON.parse(changes ?? "");
    const at = textOf(all.slice(0, 200)).length;
    assert.deepEqual(found, [{ at, removed: textOf(all.slice(200, 201)).length, text: "another record\n" }]);
  });

  it("are none worth a file where most of it has changed", () => {
    const others = all.map((line, index) => (index % 2 === 0 ? `${line} now` : line));
    assert.equal(changesBetween(textOf(all), textOf(others)), null);
    assert.equal(changesBetween(textOf(all), textOf(all.map((line) => `${line}!`))), null);
    assert.equal(changesBetween(textOf(all), textOf(all.toSpliced(50, 200))), null, "further than is looked");
    assert.equal(changesBetween(textOf(all), Buffer.alloc(0)), null);
    assert.equal(changesBetween(Buffer.alloc(0), textOf(all)), null);
  });

  it("lead to the document whatever was done to it", () => {
    const chance = createChance(30);
    const draw = (below: number) => Math.floor(chance.uniform() * below);
    for (let turn = 0; turn < 200; turn += 1) {
      const present = [...all];
      for (let edits = draw(12); edits > 0; edits -= 1)
        present.splice(draw(present.length), draw(4), ...lines(draw(3)));
      const [base, document] = [textOf(all), textOf(present)];
      const changes = changesBetween(base, document);
      assert.ok(changes !== null);
      assert.deepEqual(withChanges(base, changes), document);
    }
  });
});

describe("changes that do not fit", () => {
  const [base, document] = [textOf(all), textOf(all.with(7, "seven"))];
  const changes = changesBetween(base, document) ?? "";

  it("are those of another copy", () => {
    assert.equal(withChanges(document, changes), null);
  });

  it("are damaged ones, wherever the damage is", () => {
    for (let at = 0; at < changes.length; at += 7) {
      const damaged = `${changes.slice(0, at)}#${changes.slice(at + 1)}`;
      const found = withChanges(base, damaged);
      assert.ok(found === null || found.equals(document), `at ${at}`);
    }
    for (const text of ["", "null", "[]", "{}", '{"changes":5}', changes.slice(0, -3)])
      assert.equal(withChanges(base, text), null);
  });
});
