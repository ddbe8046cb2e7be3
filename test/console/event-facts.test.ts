import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as deBase from "../../src/console/catalogue/languages/de/base.ts";
import * as deEvent from "../../src/console/catalogue/languages/de/event.ts";
import * as dePeople from "../../src/console/catalogue/languages/de/people.ts";
import * as deSettings from "../../src/console/catalogue/languages/de/settings.ts";
import * as enBase from "../../src/console/catalogue/languages/en/base.ts";
import * as enEvent from "../../src/console/catalogue/languages/en/event.ts";
import * as enPeople from "../../src/console/catalogue/languages/en/people.ts";
import * as enSettings from "../../src/console/catalogue/languages/en/settings.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { factsOf } from "../../src/console/system/events/event-facts.ts";
import { type EventType, eventTypes } from "../../src/contract/event-types.ts";
import type { EventRows } from "../../src/contract/events/row.ts";
import type { AuditEvent } from "../../src/contract/types.ts";

const texts = {
  en: { ...enBase, ...enPeople, ...enEvent, ...enSettings },
  de: { ...deBase, ...dePeople, ...deEvent, ...deSettings },
} as const;

/** The facts of an event as a page shows them, `name: text` each. */
function shown(language: keyof typeof texts, type: EventType, details: object): string[] {
  putTexts(language, texts[language]);
  return factsOf({ type, details } as AuditEvent).map(({ name, text }) => `${name}: ${text}`);
}

describe("the facts of an event", () => {
  const undone = {
    ...{ release_id: "e".repeat(32), kind: "rules", name: "base", version: "1.2.0", from_version: "1.1.0" },
    ...{ code: "unclean_exits", detail: "It ended 3 times.", count: 3, last_answer: null },
    ...{ outcome: "failed", restored_healthy: true },
  };

  it("have names and values in the language of the page", () => {
    assert.deepEqual(shown("en", "update.undone", undone), [
      `Release: ${undone.release_id}`,
      "Kind: Rules",
      "Name: base",
      "Version: 1.2.0",
      "Version before: 1.1.0",
      "Reason: it crashed",
      "In full: It ended 3 times.",
      "How often: 3",
      "Result: failed and undone",
      "Earlier release healthy: yes",
    ]);
    const german = shown("de", "update.undone", undone);
    assert.equal(german.includes("Ergebnis: fehlgeschlagen und zurückgenommen"), true);
    assert.equal(german.join().includes("It ended"), false, "the agent's sentence is English");
  });

  it("name settings, roles and data as the rest of the console does", () => {
    const changed = { changed: ["device.name", "time.servers"] };
    assert.deepEqual(shown("en", "settings.changed", changed), ["Changed: Device name, Time servers"]);
    assert.deepEqual(shown("de", "user.created", { role: "readonly", enabled: false }), [
      "Rolle: Leser",
      "Darf sich anmelden: nein",
    ]);
  });

  it("show lengths of time in a unit, and nothing for what is empty or not known here", () => {
    const details = { seconds: -0.25, newer: "x", from: null, to: "" };
    assert.deepEqual(shown("en", "clock.stepped", details), ["How long: -250\u00a0ms"]);
  });

  it("show what a name has in it, and take it for no word of ours", () => {
    assert.deepEqual(shown("en", "update.staged", { name: "all\u202e", version: "good" }), [
      "Name: all\\x{202e}",
      "Version: good",
    ]);
  });

  for (const language of ["en", "de"] as const)
    it(`have words for each value that the agent chooses among: ${language}`, () => {
      const chosen = Object.entries<EventRows[string]>(eventTypes).flatMap(([type, { details }]) =>
        Object.entries(details).flatMap(([member, { enum: values = [] }]: [string, { enum?: unknown[] }]) =>
          values.filter(Boolean).map((value) => ({ type: type as EventType, member, value })),
        ),
      );
      assert.ok(chosen.length > 30, `only ${chosen.length} values`);
      const unsaid = chosen.filter(({ type, member, value }) =>
        shown(language, type, { [member]: value }).some((fact) => fact.endsWith(`: ${value}`)),
      );
      // These are the words themselves.
      const same = ["password", "missing", "unreadable", "failing", "unknown", "trusted"];
      assert.deepEqual(
        unsaid.filter(({ value }) => !same.includes(String(value))),
        [],
      );
    });
});
