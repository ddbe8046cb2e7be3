import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearMisses, suggestion } from "../../../src/terminal/commands/near-miss.ts";

describe("nearMisses", () => {
  it("finds a word with two neighbours swapped", () =>
    assert.deepEqual(nearMisses("lsit", ["list", "show"]), ["list"]));
  it("finds a word that begins like it", () => {
    assert.deepEqual(nearMisses("compl", ["completion", "state"]), ["completion"]);
  });
  it("puts the nearest first", () =>
    assert.deepEqual(nearMisses("anna", ["hanna", "anna2x", "anna"])[0], "anna"));
  it("finds nothing when nothing is near", () => assert.deepEqual(nearMisses("zzz", ["list", "show"]), []));
});

describe("suggestion", () => {
  it("asks whether the near words were meant", () => {
    assert.equal(suggestion("usr", ["user", "system"]), '; did you mean "user"?');
  });
  it("ends the sentence when nothing is near", () => assert.equal(suggestion("zzz", ["user"]), "."));
});
