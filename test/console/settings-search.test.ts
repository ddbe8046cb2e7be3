import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFoundIn } from "../../src/console/catalogue/formats.ts";
import * as deSettings from "../../src/console/catalogue/languages/de/settings.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { textOf } from "../../src/console/system/settings/setting-words.ts";

describe("what a setting is found by", () => {
  it("is each word anywhere, whatever its capitals and accents", () => {
    for (const sought of ["", "  ", "größte", "GRÖßTE", "korrektur gro"])
      assert.ok(isFoundIn("Größte Korrektur", sought), sought);
    assert.ok(isFoundIn("Zeitüberschreitung", "zeituber"));
    assert.ok(!isFoundIn("Größte Korrektur", "größte uhr"));
  });
  it("is its name, its hint, its value and its choices, in the language of the page", () => {
    putTexts("de", deSettings);
    const schema = {
      properties: {
        time: { properties: { mode: { enum: ["auto", "manual"] }, servers: { type: "array" } } },
      },
    };
    const mode = textOf(schema, "/time/mode", "auto");
    for (const word of ["Uhr gestellt durch", "Host-Datei", "Automatisch", "Von Hand", "Kein Zeitserver"])
      assert.ok(isFoundIn(mode, word), word);
    assert.ok(isFoundIn(textOf(schema, "/time/servers", ["ntp.example.org"]), "example.org zeitserver"));
  });
});
