import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { suggestedUsername } from "../../src/console/setup/suggested-username.ts";
import { username } from "../../src/contract/shapes.ts";

describe("the user name suggested for a person", () => {
  // Letters as ICAO Doc 9303-3 §6 transliterates them.
  const names = {
    "Ana Miller": "ana.miller",
    " Ana  Müller ": "ana.mueller",
    "Jean-Luc Picard": "jean-luc.picard",
    "Seán O’Brien": "sean.obrien",
    "Jörg Groß": "joerg.gross",
    "Łukasz Dąbrowski": "lukasz.dabrowski",
    "Þóra Æsa": "thora.aesa",
    "Nguyễn Văn Đức": "nguyen.van.duc",
    "Dr. Eva Ström": "dr.eva.stroem",
    "3 Musketeers": "musketeers",
    Bo: "",
    "🦉🦉🦉🦉": "",
    "أحمد علي": "",
    "李 Wang Fang": "",
    "": "",
  };
  for (const [name, expected] of Object.entries(names))
    it(`is "${expected}" for "${name}"`, () => assert.equal(suggestedUsername(name), expected));

  it("is cut where the rule for user names ends", () => {
    assert.equal(suggestedUsername(`${"a".repeat(31)} Miller`), "a".repeat(31));
  });

  it("keeps that rule for any name, or there is none", () => {
    const rule = new RegExp(username.pattern);
    const character = fc.oneof(
      fc.constantFrom(..."aZ9 .-'_ßéü"),
      fc.string({ unit: "grapheme", maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(character, { maxLength: 64 }), (characters) => {
        const suggested = suggestedUsername(characters.join(""));
        return suggested === "" || rule.test(suggested);
      }),
    );
  });
});
