/** Rules of the console that need no page: languages, names, what is found, what is stale. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { isFoundIn } from "../../src/console/catalogue/formats.ts";
import * as deSettings from "../../src/console/catalogue/languages/de/settings.ts";
import * as people from "../../src/console/catalogue/languages/en/people.ts";
import { preferredLanguage, preferredLocale } from "../../src/console/catalogue/wanted-language.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { nextPiece } from "../../src/console/client/event-stream.ts";
import {
  freshSeconds,
  staleAfterClock,
  staleAfterEvent,
  staleAfterLatest,
} from "../../src/console/client/staleness.ts";
import { suggestedUsername } from "../../src/console/setup/suggested-username.ts";
import { namedServers } from "../../src/console/setup/use-probe.ts";
import { textOf } from "../../src/console/system/settings/setting-words.ts";
import { agentInWords } from "../../src/console/ui/words/access.ts";
import { username } from "../../src/contract/shapes.ts";
import type { History, Status, TimeSync } from "../../src/contract/types.ts";

describe("the language of the console", () => {
  for (const [choice, languages, ofDevice, expected] of [
    ["en", ["de"], "de", "en"],
    [null, ["fr-FR", "de-CH", "en"], "en", "de"],
    [null, ["fr", "pt-BR"], "en", "pt-BR"],
    [null, ["fr"], "de", "de"],
    // A choice that is no longer spoken.
    ["tlh", ["fr"], "de", "de"],
    // The device is waited for only where nothing else decides.
    [null, ["en-GB"], null, "en"],
    [null, ["fr"], null, null],
    [null, [], "fr", "en"],
  ] as const)
    it(`is ${expected} for the choice ${choice}, a browser of ${languages} and a device of ${ofDevice}`, () => {
      Object.defineProperty(globalThis, "localStorage", {
        value: { getItem: () => choice },
        configurable: true,
      });
      Object.defineProperty(globalThis, "navigator", { value: { languages }, configurable: true });
      assert.equal(preferredLanguage(["de", "en", "pt-BR"], ofDevice), expected);
    });

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
    it(`writes ${expected} for a browser of ${languages} that is spoken to in ${spoken}`, () => {
      const locale = preferredLocale(languages, spoken);
      const text = new Date(2026, 10, 27, 14, 5).toLocaleString(locale, {
        dateStyle: "short",
        timeStyle: "short",
      });
      assert.equal(text.replaceAll(/\s/g, " "), expected);
    });

  it("writes numbers as the region does, such as Switzerland", () => {
    assert.match((12_345.5).toLocaleString(preferredLocale(["de-CH", "de"], "de")), /^12['’]345\.5$/);
    assert.equal((12_345.5).toLocaleString(preferredLocale(["de-DE"], "de")), "12.345,5");
  });
});

describe("the user name suggested for a person", () => {
  // Letters as ICAO Doc 9303-3 §6 transliterates them; the rule for user names ends at 32.
  for (const [name, expected] of [
    ["Ana Miller", "ana.miller"],
    [" Ana  Müller ", "ana.mueller"],
    ["Jean-Luc Picard", "jean-luc.picard"],
    ["Seán O’Brien", "sean.obrien"],
    ["Jörg Groß", "joerg.gross"],
    ["Łukasz Dąbrowski", "lukasz.dabrowski"],
    ["Þóra Æsa", "thora.aesa"],
    ["Nguyễn Văn Đức", "nguyen.van.duc"],
    ["Dr. Eva Ström", "dr.eva.stroem"],
    ["3 Musketeers", "musketeers"],
    [`${"a".repeat(31)} Miller`, "a".repeat(31)],
    ...["Bo", "🦉🦉🦉🦉", "أحمد علي", "李 Wang Fang", ""].map((none) => [none, ""] as const),
  ] as const)
    it(`is "${expected}" for "${name}"`, () => assert.equal(suggestedUsername(name), expected));

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

describe("a browser in words", () => {
  before(() => putTexts("en", people));
  const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0";
  const safari = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1";
  // As browsers send them.
  for (const [userAgent, words] of [
    ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox, Linux"],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/131.0.0.0`, "Edge, Windows"],
    [`Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`, "Chrome, Android"],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${safari} Mobile/15E148 Safari/604.1`,
      "Safari, iOS",
    ],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${safari} Safari/605.1.15`, "Safari, macOS"],
    ["curl/8.5.0", "curl/8.5.0"],
    ["", "a program without a name"],
  ] as const)
    it(`is "${words}"`, () => assert.equal(agentInWords(userAgent), words));
});

describe("what is found", () => {
  it("has each word anywhere, whatever its capitals and accents", () => {
    for (const sought of ["", "  ", "größte", "GRÖßTE", "korrektur gro"])
      assert.ok(isFoundIn("Größte Korrektur", sought), sought);
    assert.ok(isFoundIn("Zeitüberschreitung", "zeituber"));
    assert.ok(!isFoundIn("Größte Korrektur", "größte uhr"));
  });

  it("of a setting is its name, its hint, its value and its choices, in the language of the page", () => {
    putTexts("de", deSettings);
    const properties = { mode: { enum: ["auto", "manual"] }, servers: { type: "array" } };
    const schema = { properties: { time: { properties } } };
    const mode = textOf(schema, "/time/mode", "auto");
    for (const word of ["Uhr gestellt durch", "Host-Datei", "Automatisch", "Von Hand", "Kein Zeitserver"])
      assert.ok(isFoundIn(mode, word), word);
    assert.ok(isFoundIn(textOf(schema, "/time/servers", ["ntp.example.org"]), "example.org zeitserver"));
  });
});

it("the servers that the first run asks are those with a name, each once, with NTS where one row has it", () => {
  const withNts = { host: " a.example", nts: true };
  for (const [rows, expected] of [
    [
      [" a.example", "", "  ", "b.example", "a.example "],
      ["a.example", "b.example"],
    ],
    [["a.example", withNts], [{ host: "a.example", nts: true }]],
    [[withNts, "a.example"], [{ host: "a.example", nts: true }]],
  ] as const)
    assert.deepEqual(namedServers(rows), expected);
});

describe("what has to be read anew", () => {
  it("is the status where the clock's page knows better", () => {
    const known = { state: "synchronised", trust: "trusted", authenticated: false };
    const status = { clock: known } as Status;
    for (const change of [{ state: "faulty" }, { trust: "none" }, { authenticated: true }])
      assert.deepEqual(staleAfterClock(status, { ...known, ...change } as TimeSync), ["getStatus"]);
    assert.deepEqual(staleAfterClock(status, known as TimeSync), []);
    assert.deepEqual(staleAfterClock(null, { ...known, state: "faulty" } as TimeSync), []);
  });

  it("is what events have changed while the page was read for the first time; all after one of a newer agent", () => {
    const at = (second: number) => ({ type: "user.created", time: `2026-11-01T00:00:${10 + second}.000Z` });
    const told = (...latest: readonly unknown[]) =>
      ({ server_time: "2026-11-01T00:00:20.000Z", latest }) as unknown as Status;
    assert.deepEqual(staleAfterLatest(told(at(9), at(2)), 5), staleAfterEvent("user.created"));
    assert.deepEqual(staleAfterLatest(told(at(2)), 5), []);
    assert.deepEqual(staleAfterLatest({ ...told(), latest: null }, 5), []);
    assert.equal(staleAfterLatest(told(at(9), at(8)), 5), "all", "there may be more of them");
    assert.equal(staleAfterEvent("newer.event"), "all");
  });

  it("is a history once its next step is over", () => {
    const found = [300, 1_800].map((step_seconds) => freshSeconds("getHistory", { step_seconds } as History));
    assert.deepEqual([...found, freshSeconds("getHistory", null)], [300, 1_800, null]);
  });
});

it("a stream that falls silent without an end is given up, and its connection closed", async (test) => {
  const server = createServer((_, response) => void response.write("retry: 2000\n\n"));
  test.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const isClosed = once(server, "request").then(([, response]) => once(response, "close"));
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await nextPiece(reader, 60_000)).value, "retry: 2000\n\n");
  await assert.rejects(nextPiece(reader, 20), { name: "TimeoutError" });
  await isClosed;
});
