import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as deBase from "../../src/console/catalogue/languages/de/base.ts";
import * as deEvent from "../../src/console/catalogue/languages/de/event.ts";
import * as dePeople from "../../src/console/catalogue/languages/de/people.ts";
import * as deSettings from "../../src/console/catalogue/languages/de/settings.ts";
import * as enBase from "../../src/console/catalogue/languages/en/base.ts";
import * as enEvent from "../../src/console/catalogue/languages/en/event.ts";
import * as enPeople from "../../src/console/catalogue/languages/en/people.ts";
import * as enSettings from "../../src/console/catalogue/languages/en/settings.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { barsOf, edgesOf, type Step, stepOfSpan, steps } from "../../src/console/plot/bars.ts";
import { factsOf } from "../../src/console/system/events/event-facts.ts";
import { type Entry, timelineOf } from "../../src/console/system/events/runs.ts";
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
  const changed = { changed: ["device.name", "time.servers"] };
  const inEnglish = ["Kind: Rules", "Name: base", "Version: 1.2.0", "Version before: 1.1.0"];
  const ended = ["Reason: it crashed", "In full: It ended 3 times.", "How often: 3"];
  for (const [name, language, type, details, expected] of [
    [
      ...(["in the language of the page", "en", "update.undone", undone] as const),
      [
        ...[`Release: ${undone.release_id}`, ...inEnglish, ...ended],
        ...["Result: failed and undone", "Earlier release healthy: yes"],
      ],
    ],
    [
      "settings as the console has them",
      "en",
      "settings.changed",
      changed,
      ["Changed: Device name, Time servers"],
    ],
    [
      ...(["roles and answers", "de", "user.created", { role: "readonly", enabled: false }] as const),
      ["Rolle: Leser", "Darf sich anmelden: nein"],
    ],
    [
      ...(["why an API token was refused", "de", "request.refused", { reason: "source" }] as const),
      ["Grund: von einer Adresse, an der er nicht gilt"],
    ],
    [
      ...(["not the code of a need's finding", "de", "need.began", { reason: "disk_space_low" }] as const),
      [],
    ],
    [
      ...(["a length of time in a unit, and nothing for what is empty or not known here", "en"] as const),
      ...(["clock.stepped", { seconds: -0.25, newer: "x", from: null, to: "" }] as const),
      ["How long: -250\u00a0ms"],
    ],
    [
      ...(["a name with all that is in it, and not as a word of ours", "en", "update.staged"] as const),
      ...([{ name: "all\u202e", version: "good" }, ["Name: all\\x{202e}", "Version: good"]] as const),
    ],
  ] as const)
    it(`are ${name}`, () => assert.deepEqual(shown(language, type, details), expected));

  it("leave the agent's English sentence out of a German page", () => {
    const german = shown("de", "update.undone", undone);
    assert.ok(german.includes("Ergebnis: fehlgeschlagen und zurückgenommen"));
    assert.doesNotMatch(german.join(), /It ended/);
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

/** An event at a time of 20 November, or of another day, by the clock of this machine: by Ana, signed in or refused. */
function event(
  seq: number,
  at: string,
  more: { who?: string; code?: string; count?: number } = {},
): AuditEvent {
  const { who = "ana", code = null, count = 1 } = more;
  const time = new Date(at.includes("T") ? at : `2026-11-20T${at}`).toISOString();
  const type = code === null ? "sign_in.succeeded" : "sign_in.refused";
  const actor = { kind: "user", id: null, name: who };
  return { seq, time, type, code, count, actor, subject: null, details: {} } as unknown as AuditEvent;
}

/** An entry in short: `2026-11-20`, `back 60`, or the sentence with its count and the numbers of its events. */
function inShort(entry: Entry): string {
  if ("day" in entry) return entry.day.toLocaleDateString("sv");
  if ("backSeconds" in entry) return `back ${entry.backSeconds}`;
  return `${entry.text} ${entry.count}: ${entry.events.map(({ seq }) => seq).join()}`;
}

describe("the timeline of events", () => {
  before(() => putTexts("en", enBase));
  const refused = { code: "invalid_credentials" };

  for (const [name, events, expected] of [
    ["nothing without events", [], []],
    [
      "days as heads, and repeats as one with their number",
      [
        ...[event(9, "11:00"), event(8, "10:59", { count: 4 }), event(7, "10:00", { who: "berta" })],
        ...[event(6, "09:00"), event(5, "2026-11-19T23:59:59")],
      ],
      [
        ...["2026-11-20", "ana signed in 5: 9,8", "berta signed in 1: 7", "ana signed in 1: 6"],
        ...["2026-11-19", "ana signed in 1: 5"],
      ],
    ],
    [
      "refusals for different reasons apart, though they read the same",
      [event(3, "10:02", refused), event(2, "10:01", refused), event(1, "10:00", { code: "code_reused" })],
      ["2026-11-20", "A sign-in was refused 2: 3,2", "A sign-in was refused 1: 1"],
    ],
    [
      "a mark where the clock was set back, by how much at least, and nothing folded over it",
      [event(4, "10:01"), event(3, "10:00"), event(2, "10:30"), event(1, "2026-11-21T09:00")],
      [
        ...["2026-11-20", "ana signed in 2: 4,3", "back 1800", "ana signed in 1: 2", "back 81000"],
        ...["2026-11-21", "ana signed in 1: 1"],
      ],
    ],
    [
      "no mark for less than a second",
      [event(2, "10:00:00"), event(1, "10:00:00.9")],
      ["2026-11-20", "ana signed in 2: 2,1"],
    ],
  ] as const)
    it(`has ${name}`, () => assert.deepEqual(timelineOf(events).map(inShort), expected));

  it("has keys that stay when newer repeats come, and are all different", () => {
    const older = [event(2, "10:01"), event(1, "09:00", { who: "berta" })];
    const before = timelineOf(older).flatMap((entry) => ("events" in entry ? [entry.key] : []));
    const after = timelineOf([event(3, "10:02"), ...older]).map(({ key }) => key);
    assert.deepEqual(
      before.filter((key) => !after.includes(key)),
      [],
    );
    assert.equal(new Set(after).size, after.length);
  });
});

describe("the bars of events", () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const local = (text: string) => new Date(text).getTime();
  const stepOf = (milliseconds: number) => steps.find((step) => step.milliseconds === milliseconds) as Step;
  const zone = process.env.TZ;
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  before(() => {
    // A zone that puts its clocks forward at night: on 28 March 2027 the day has 23 hours.
    process.env.TZ = "Europe/Berlin";
  });

  for (const [name, milliseconds, from, to, expected] of [
    ["days, of 23 hours too", day, "27T12:00", "29T01:00", ["27 00", "28 00", "29 00", "30 00"]],
    ["weeks, from Monday on", 7 * day, "27T12:00", "31T01:00", ["22 00", "29 00", "05 00"]],
    ["a week up to its Sunday", 7 * day, "22T00:00", "28T23:00", ["22 00", "29 00"]],
    // Each of them four hours long, so that what follows the lost hour begins an hour later.
    ["four hours each", 4 * hour, "28T00:30", "28T10:00", ["28 00", "28 05", "28 09", "28 13"]],
  ] as const)
    it(`begin where they should: ${name}`, () => {
      const edges = edgesOf(stepOf(milliseconds), local(`2027-03-${from}`), local(`2027-03-${to}`));
      const texts = edges.map((at) => new Date(at).toLocaleString("sv"));
      assert.deepEqual(
        texts.map((text) => text.slice(8, 13)),
        expected,
      );
      assert.ok(texts.every((text) => text.endsWith(":00:00")));
    });

  it("are never more than the agent counts, none is before 1970, and they are as short as the width allows", () => {
    const at = local("2026-11-27T12:00");
    const weeks = edgesOf(stepOf(7 * day), 0, at);
    assert.equal(weeks.length, 64);
    assert.ok(weeks.every((one, index) => one > (weeks[index - 1] ?? 0)));
    assert.deepEqual(edgesOf(stepOf(day), -5 * day, hour)[0], 0);
    const spans = [hour, 6 * hour, day, 7 * day, 30 * day, 400 * day];
    for (const [most, expected] of [
      [30, [5, 15, 60, 1_440, 1_440, 10_080]],
      [11, [15, 60, 240, 1_440, 10_080, 10_080]],
    ] as const) {
      const found = spans.map((span) => stepOfSpan(at - span, at, most).milliseconds / minute);
      assert.deepEqual(found, expected);
    }
  });

  it("have their counts, those of open ends where there are any, and are none without events", () => {
    const edges = [day, 2 * day, 3 * day];
    for (const [counts, expected] of [
      [
        [0, 0, 4, 0],
        ["1 to 2: 0", "2 to 3: 4"],
      ],
      [
        [1, 0, 0, 2],
        ["- to 1: 1", "1 to 2: 0", "2 to 3: 0", "3 to -: 2"],
      ],
      [[0, 0, 0, 0], []],
    ] as const) {
      const total = counts.reduce<number>((sum, count) => sum + count, 0);
      const spans = counts.map((count) => ({ count, refused: 0 }));
      const days = (at: number | null) => (at === null ? "-" : at / day);
      const bars = barsOf(edges, { total, refused: 0, groups: {}, spans });
      assert.deepEqual(
        bars.map(({ from, to, count }) => `${days(from)} to ${days(to)}: ${count}`),
        expected,
      );
    }
  });
});
