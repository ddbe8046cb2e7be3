import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedAmong } from "../../src/console/catalogue/wanted-language.ts";

/** What a browser would say. */
function wantedWith(choice: string | null, languages: readonly string[], ofDevice: string | null) {
  Object.defineProperty(globalThis, "localStorage", { value: { getItem: () => choice }, configurable: true });
  Object.defineProperty(globalThis, "navigator", { value: { languages }, configurable: true });
  return wantedAmong(["de", "en", "pt-BR"], ofDevice);
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
