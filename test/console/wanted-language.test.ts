import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { preferredLanguage, preferredLocale } from "../../src/console/catalogue/wanted-language.ts";

/** Gives the module a browser with this stored choice and these languages. */
function wantedWith(choice: string | null, languages: readonly string[], ofDevice: string | null) {
  Object.defineProperty(globalThis, "localStorage", { value: { getItem: () => choice }, configurable: true });
  Object.defineProperty(globalThis, "navigator", { value: { languages }, configurable: true });
  return preferredLanguage(["de", "en", "pt-BR"], ofDevice);
}

describe("the language of the console", () => {
  it("is the person's choice, else the first of the browser's that is spoken, else the device's", () => {
    assert.equal(wantedWith("en", ["de"], "de"), "en");
    assert.equal(wantedWith(null, ["fr-FR", "de-CH", "en"], "en"), "de");
    assert.equal(wantedWith(null, ["fr", "pt-BR"], "en"), "pt-BR");
    assert.equal(wantedWith(null, ["fr"], "de"), "de");
    assert.equal(wantedWith("tlh", ["fr"], "de"), "de", "a choice that is no longer spoken");
  });

  it("waits for the device only where nothing else decides, and is English at last", () => {
    assert.equal(wantedWith(null, ["en-GB"], null), "en");
    assert.equal(wantedWith(null, ["fr"], null), null);
    assert.equal(wantedWith(null, [], "fr"), "en");
  });
});

describe("how dates, times and numbers are written", () => {
  const at = new Date(2026, 10, 27, 14, 5);
  const written = (languages: readonly string[], spoken: string): string =>
    at.toLocaleString(preferredLocale(languages, spoken), { dateStyle: "short", timeStyle: "short" });

  // By the Unicode CLDR, but for the hours.
  for (const [languages, spoken, expected] of [
    [["en-GB", "en"], "en", "27/11/2026, 14:05"],
    [["fr-FR", "en-GB", "en-US"], "en", "27/11/2026, 14:05"],
    [["en-US", "en"], "en", "11/27/26, 2:05 PM"],
    [["en-AU"], "en", "27/11/26, 14:05"],
    [["fr"], "en", "11/27/26, 14:05"],
    [["de-AT"], "de", "27.11.26, 14:05"],
    [["en-US"], "de", "27.11.26, 14:05"],
  ] as const)
    it(`is ${expected} for a browser of ${languages} that is spoken to in ${spoken}`, () => {
      assert.equal(written(languages, spoken).replaceAll(/\s/g, " "), expected);
    });

  it("is the region's for numbers, such as in Switzerland", () => {
    assert.match((12_345.5).toLocaleString(preferredLocale(["de-CH", "de"], "de")), /^12['’]345\.5$/);
    assert.equal((12_345.5).toLocaleString(preferredLocale(["de-DE"], "de")), "12.345,5");
  });
});
