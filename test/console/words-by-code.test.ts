import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleClock } from "../../lab/command-line/example-clock.ts";
import {
  notSetWithDetail,
  reasonWithDetail,
  summaryWithDetail,
  troubleWithDetail,
} from "../../src/clock/status/details.ts";
import { shortDuration } from "../../src/console/catalogue/formats.ts";
import * as deBase from "../../src/console/catalogue/languages/de/base.ts";
import * as deDevice from "../../src/console/catalogue/languages/de/device.ts";
import * as deRecords from "../../src/console/catalogue/languages/de/events.ts";
import * as deSettings from "../../src/console/catalogue/languages/de/settings.ts";
import * as deUpdates from "../../src/console/catalogue/languages/de/updates.ts";
import * as enBase from "../../src/console/catalogue/languages/en/base.ts";
import * as enDevice from "../../src/console/catalogue/languages/en/device.ts";
import * as enRecords from "../../src/console/catalogue/languages/en/events.ts";
import * as enSettings from "../../src/console/catalogue/languages/en/settings.ts";
import * as enUpdates from "../../src/console/catalogue/languages/en/updates.ts";
import { putTexts, t } from "../../src/console/catalogue/words.ts";
import { eventLines, eventSentence } from "../../src/console/home/event-words.ts";
import { needInWords } from "../../src/console/needs/need-words.ts";
import { headOf, reasonOf, supplementarySentences } from "../../src/console/system/clock/clock-sentences.ts";
import { boundInWords } from "../../src/console/system/clock/clock-words.ts";
import { labelOf, schemaRead } from "../../src/console/system/settings/setting-words.ts";
import { entrySentence, problemName, type Sentence } from "../../src/console/ui/by-code.ts";
import { foundZones, zoneMeant, zoneOptions } from "../../src/console/ui/form/zones.ts";
import { healthSentence } from "../../src/console/ui/words/health-words.ts";
import { reasonSentence } from "../../src/console/ui/words/update-format.ts";
import { holdSentence, summarySentence } from "../../src/console/updates/update-sentences.ts";
import { sourceReasonCodes } from "../../src/contract/clock-states.ts";
import { errorCodes } from "../../src/contract/error-codes.ts";
import { eventTypes } from "../../src/contract/event-types.ts";
import { finding, needFinding, needOf } from "../../src/contract/finding.ts";
import { healthCodes, type OwnNeedCode } from "../../src/contract/findings.ts";
import { needCodes } from "../../src/contract/need-areas.ts";
import {
  clockSummaryCodes,
  conflictCodes,
  daemonTroubleCodes,
  notSetCodes,
} from "../../src/contract/schemas/clock.ts";
import { outcomeCodes, summaryCodes, updateProblemCodes } from "../../src/contract/schemas/update-reasons.ts";
import type { AuditEvent, ClockSummary, Need, TimeSource, TimeSync } from "../../src/contract/types.ts";
import { holdCodes } from "../../src/contract/updates/update-holds.ts";
import { type Format, terminalFormat } from "../../src/contract/words/format.ts";

/** The agent's English sentence for each code; no page in another language may show it. */
const detail = "The sentence of the agent.";

const at = "2026-11-20T14:00:00Z";

const reason = { code: "restarts", detail, count: 2, last_answer: null } as const;

const everyFact = {
  ...{ path: "/var", free_bytes: 1, least_bytes: 2, free_inodes: 3, least_inodes: 4, has_reserve: false },
  ...{
    document: "settings",
    error: "storage_unwritable",
    damage: "missing",
    replacement: "defaults",
    found_at: at,
  },
  ...{ waiting: 1, lost: 2, lines: 3, record: "users", complete_since: at, users: 4, keys: ["a", "b"] },
  ...{ daemon: "ntpd", step_seconds: 1, frequency_ppm: 2, agreeing: 1, configured: 8, needed: 5 },
  ...{ server: "ntp1.example", offset_seconds: -3, measured_at: at, address: "[::1]:80", parts: ["rights"] },
  ...{ certificate: "own", ends_at: at, begins_at: at, faults: ["/names must be a list"], members: ["/x"] },
  problem: { code: "check_failed", detail, release: null },
} as const;

const health = (code: string, facts: object = everyFact, format?: Format): Sentence =>
  healthSentence({ name: "time", status: "degraded", code, detail, facts } as never, format);

const hold = (code: string): Sentence =>
  holdSentence({ code, detail, until: at, setting: null, reason } as never);

const summary = (code: string): Sentence =>
  summarySentence({ code, detail, releases: [], at, reason, hold: null, problem: null } as never);

const clock = (change: object, conflict: object | null = null, format?: Format): Sentence[] => {
  const { summary, discipliner, ...others } = exampleClock();
  const changed = { summary: { ...summary, detail, ...change }, discipliner: { ...discipliner, conflict } };
  return supplementarySentences({ ...others, ...changed } as TimeSync, null, format);
};

const source = (code: string): Sentence | null =>
  reasonOf({ state: "unreachable", reason: { code, detail, cause: null } } as TimeSource);

const happened = (type: string): string => {
  const unknown = { actor: { kind: "agent", name: null }, subject: null, details: {}, count: 1 };
  const said = eventSentence({ ...unknown, type } as unknown as AuditEvent);
  return said === type ? "" : said;
};

const isOwn = (code: string): code is OwnNeedCode => "text" in t.home.needs[code as OwnNeedCode];

const need = (code: string): (Sentence | null)[] => {
  const facts = isOwn(code) ? {} : { check: "disk", reason: "disk_read_only" };
  const said = needInWords({ code, level: "attention", facts, detail, remedy: null } as Need);
  return said === null ? [null] : [said.text, { text: said.title, isAgents: false }];
};

/** Each list of codes that the contract has, and what a page says of one of them. */
const lists: readonly (readonly [
  name: string,
  codes: readonly string[],
  say: (code: string) => (Sentence | null)[],
])[] = [
  ["health checks", healthCodes, (code) => [health(code)]],
  [
    "problems with updates",
    updateProblemCodes,
    (code) => [health("updates_degraded", { problem: { code, detail, release: null } })],
  ],
  ["the clock", clockSummaryCodes, (code) => clock({ code })],
  [
    "conflicts of the clock",
    conflictCodes,
    (code) =>
      clock({ code: "conflict" }, { code, detail, daemon: "ntpd", step_seconds: 3, frequency_ppm: 1 }),
  ],
  [
    "clocks that are not set",
    notSetCodes,
    (code) => clock({ code: "synchronised", not_set: { code, detail, offset_seconds: 2 } }),
  ],
  [
    "time daemons",
    daemonTroubleCodes,
    (code) => clock({ code: "synchronised", daemon_trouble: { code, detail, cause: null } }),
  ],
  ["time sources", sourceReasonCodes, (code) => [source(code)]],
  ["held releases", holdCodes, (code) => [hold(code)]],
  ["updates", summaryCodes, (code) => [summary(code)]],
  ["ended attempts", outcomeCodes, (code) => [reasonSentence({ ...reason, code } as never)]],
  ["refused releases", Object.keys(errorCodes), (code) => [reasonSentence({ ...reason, code } as never)]],
  ["errors", Object.keys(errorCodes), (code) => [{ text: problemName(code) ?? "", isAgents: false }]],
  [
    "events",
    Object.keys(eventTypes),
    (code) => [{ text: (t.events.titles as Record<string, string>)[code] ?? "", isAgents: false }],
  ],
  ["events in a sentence", Object.keys(eventTypes), (code) => [{ text: happened(code), isAgents: false }]],
  ["needs", needCodes, (code) => need(code)],
];

/** The English page shows an error by the agent's sentence, which says more than the error's name. */
const inAgentsEnglish = ["refused releases"];

for (const [tag, texts] of [
  ["en", { ...enBase, ...enDevice, ...enRecords, ...enSettings, ...enUpdates }],
  ["de", { ...deBase, ...deDevice, ...deRecords, ...deSettings, ...deUpdates }],
] as const)
  describe(`what a page says of the agent's codes, in the language ${tag}`, () => {
    for (const [name, codes, say] of lists)
      it(`is its own sentence for every code of ${name}`, () => {
        putTexts(tag, texts);
        const missing = codes.filter((code) =>
          say(code).some(
            (said) =>
              said === null ||
              (said.text === "" && code !== "ok") ||
              (said.text.includes(detail) && !(tag === "en" && inAgentsEnglish.includes(name))),
          ),
        );
        assert.ok(codes.length > 1);
        assert.deepEqual(missing, []);
      });

    it("is the agent's sentence for a code of a newer agent", () => {
      putTexts(tag, texts);
      for (const said of [
        health("newer"),
        hold("newer"),
        summary("newer"),
        source("newer"),
        ...clock({ code: "newer" }),
      ])
        assert.deepEqual(said, { text: detail, isAgents: true });
    });
  });

describe("the agent's English", () => {
  it("is the sentence of the English page, but for figures and what a reader can do, for every code of the clock", () => {
    putTexts("en", { ...enBase, ...enDevice });
    const facts = { offset_seconds: -3, measured_at: at, agreeing: 1, needed: 2, server: "ntp1.example" };
    const none = { configured: null, daemon: "chronyd", daemon_trouble: null, runs_on: false, not_set: null };
    const stepped = { daemon: "ntpd", step_seconds: 3, frequency_ppm: 1, detail: "" };
    const besides = [
      { runs_on: true, configured: 3 },
      ...daemonTroubleCodes.map((code) => ({
        daemon_trouble: troubleWithDetail({ code, cause: "said" }, "chronyd"),
      })),
      ...notSetCodes.map((code) => ({ not_set: notSetWithDetail({ code, offset_seconds: 2 }, true) })),
    ];
    const cases = [
      ...clockSummaryCodes.map((code) => [{ code }, conflictCodes[0]] as const),
      ...conflictCodes.map((code) => [{ code: "conflict" }, code] as const),
      ...besides.map((change) => [{ code: "acquiring", ...change }, conflictCodes[0]] as const),
    ] as const;
    for (const [change, code] of cases) {
      const conflict = { ...stepped, code };
      const summary = summaryWithDetail({ ...facts, ...none, ...change } as ClockSummary, conflict);
      const said = clock({ ...summary }, conflict, terminalFormat).map(({ text }) => text);
      const head = change.code === "synchronised" ? ["The clock is right."] : [];
      assert.equal([...head, ...said].join(" "), summary.detail);
    }
    for (const code of sourceReasonCodes) {
      const reason = reasonWithDetail({ code, cause: "said" }, "candidate");
      const one = { ...exampleClock().sources[0], state: "candidate", reason } as TimeSource;
      assert.deepEqual(reasonOf(one), { text: reason.detail, isAgents: false });
    }
  });
});

describe("a need", () => {
  it("is said by agent and English page in the same words, for every code", () => {
    putTexts("en", enBase);
    const facts = {
      ...{ name: "base", version: "1.3.0", users: ["ana", "ben"], count: 2, hostname: "edge" },
      ...{ first_ends_at: at, support_until: "2031-12-31", missing: "root", word: "unknown", trust: "none" },
    };
    const own = needCodes.filter(isOwn).map((code) => {
      const need = needOf(needFinding(code, facts));
      const said = needInWords(need, terminalFormat);
      assert.equal(`${said?.title}. ${said?.text.text}`, need.detail);
      return need.code;
    });
    const found = healthCodes.flatMap((code) => {
      if (code === "ok") return [];
      const need = needOf(finding(code, everyFact as never), "time");
      const said = needInWords(need, terminalFormat);
      // The words of updates say the needs of updates, and have tests of their own.
      if (code !== "updates_degraded")
        assert.deepEqual(said?.text, { text: need.detail, isAgents: false }, code);
      return need.code;
    });
    assert.deepEqual(new Set([...own, ...found]), new Set(needCodes));
  });
});

describe("the clock's head", () => {
  const head = (change: Partial<TimeSync>, seconds: number | null) =>
    headOf(
      {
        ...exampleClock(),
        ...change,
        summary: { ...exampleClock().summary, offset_seconds: seconds },
      } as TimeSync,
      "not_in_sync",
    );

  it("says by what it is wrong, and nothing by a figure that its sources contradict", () => {
    putTexts("en", enDevice);
    assert.equal(head({ state: "faulty", offset_seconds: 5e-7 }, null), "Not in sync.");
    assert.equal(
      head({ state: "faulty", offset_seconds: 5e-7 }, 3),
      "Not in sync: this device is 3\u00a0s behind.",
    );
    assert.equal(
      head({ state: "synchronised", offset_seconds: -3 }, null),
      "Not in sync: this device is 3\u00a0s ahead.",
    );
  });
});

describe("how exactly a bound is told", () => {
  it("is in milliseconds below a second, rounded up and never to nothing", () => {
    putTexts("en", enDevice);
    assert.deepEqual([2.7e-6, 1e-4, 1.01e-3, 0.0231, 3].map(boundInWords), [
      "0.1\u00a0ms",
      "0.1\u00a0ms",
      "1.1\u00a0ms",
      "24\u00a0ms",
      "3\u00a0s",
    ]);
  });
});

describe("a length of time", () => {
  it("is told in the unit that it is read best in, up to years", () => {
    for (const [tag, years] of [
      ["en", "57 years"],
      ["de", "57 Jahre"],
    ] as const) {
      putTexts(tag, {});
      assert.equal(shortDuration(20_757 * 86_400), years);
      assert.equal(shortDuration(41 * 86_400), "41\u00a0d");
    }
  });
});

describe("what has happened last", () => {
  const event = (
    seq: number,
    code: string | null,
    { count = 1, type = "request.refused", about = "" } = {},
  ) =>
    ({
      ...{ seq, time: at, type, code, count, subject: about === "" ? null : { name: about }, details: {} },
      actor: { kind: "user", name: "ana" },
    }) as unknown as AuditEvent;

  it("says why a request was refused, and repeats once with their number", () => {
    for (const [tag, texts, wrong, other] of [
      [
        "en",
        enBase,
        "A wrong password or code of ana was refused",
        "A request without a valid sign-in was refused",
      ],
      [
        ...(["de", deBase, "Passwort oder Code von ana war falsch"] as const),
        "Eine Anfrage ohne gültige Anmeldung wurde abgelehnt",
      ],
    ] as const) {
      putTexts(tag, texts);
      const events = [
        event(9, "password_wrong"),
        event(8, "passkey_invalid", { count: 2 }),
        event(7, "invalid_token"),
        event(6, "totp_invalid"),
      ];
      assert.deepEqual(
        eventLines(events).map(({ seq, text }) => [seq, text]),
        [
          [9, `${wrong} · 3 ×`],
          [7, other],
          [6, wrong],
        ],
      );
    }
  });

  it("tells a refused sign-in after a right password from others, and names an API token", () => {
    const about = "ben";
    const sentences = [
      event(4, "invalid_credentials", { type: "sign_in.refused" }),
      event(3, "invalid_credentials", { type: "sign_in.refused", about }),
      event(2, "totp_invalid", { type: "sign_in.refused", about }),
      event(1, "invalid_token", { about: "ben/backup" }),
    ];
    for (const [tag, texts, told] of [
      [
        ...(["en", enBase] as const),
        [
          ...["A sign-in was refused", "A sign-in as ben was refused"],
          "A sign-in as ben had the right password and no valid second factor",
          "The API token ben/backup was refused",
        ],
      ],
      [
        ...(["de", deBase] as const),
        [
          ...["Eine Anmeldung wurde abgelehnt", "Eine Anmeldung als ben wurde abgelehnt"],
          "Eine Anmeldung als ben hatte das richtige Passwort, aber keinen gültigen zweiten Faktor",
          "Der API-Token ben/backup wurde abgelehnt",
        ],
      ],
    ] as const) {
      putTexts(tag, texts);
      assert.deepEqual(sentences.map(eventSentence), told);
    }
  });

  it("has words for every refusal", () => {
    putTexts("en", enBase);
    const refusals = Object.entries(errorCodes).filter(([, { status }]) => [401, 403, 429].includes(status));
    const said = new Set(refusals.map(([code]) => eventSentence(event(1, code))));
    assert.ok(refusals.length > 10);
    assert.equal(said.size, 5, [...said].join("\n"));
  });
});

describe("a refused password", () => {
  it("is told with both figures, and otherwise by what is wrong with it", () => {
    const short =
      "The password has 9 characters; at least 15 are needed. Three or four words make a good one.";
    for (const [tag, texts, said, other] of [
      [
        ...(["en", enBase, "This password is too short: 9 characters, and at least 15 are needed"] as const),
        "This password is too easy to guess",
      ],
      [
        ...(["de", deBase, "Dieses Passwort ist zu kurz: 9 Zeichen, nötig sind mindestens 15"] as const),
        "Dieses Passwort ist zu leicht zu erraten",
      ],
    ] as const) {
      putTexts(tag, texts);
      const words = (code: string, detail: string) => entrySentence({ pointer: "/password", code, detail });
      assert.equal(words("password_too_short", short), said);
      assert.equal(words("password_blocklisted", detail), other);
      assert.equal(words("password_too_short", detail), t.problem.codes.password_too_short);
    }
  });
});

describe("time zones to choose from", () => {
  it("begin with the browser's own, and each with its city", () => {
    assert.deepEqual(zoneOptions("Etc/UTC", "UTC", ["UTC"]), [{ value: "Etc/UTC", text: "UTC" }]);
    const known = ["Africa/Cairo", "America/Argentina/Buenos_Aires", "Europe/Berlin", "UTC"];
    assert.deepEqual(
      zoneOptions("Etc/UTC", "Europe/Berlin", known).map(({ value, text }) => [value, text]),
      [
        ["Europe/Berlin", "Berlin (Europe)"],
        ["Etc/UTC", "UTC"],
        ["America/Argentina/Buenos_Aires", "Buenos Aires (America/Argentina)"],
        ["Africa/Cairo", "Cairo (Africa)"],
      ],
    );
  });

  it("are found by each word of their names, and what is no zone stays as it is", () => {
    const options = zoneOptions("UTC", "UTC", ["America/Jerome", "Europe/Rome", "America/Buenos_Aires"]);
    const found = (sought: string) => foundZones(options, sought).map(({ value }) => value);
    assert.deepEqual(found("rome"), ["Europe/Rome", "America/Jerome"]);
    assert.deepEqual(found("america aires"), ["America/Buenos_Aires"]);
    assert.deepEqual(found("America/Buenos_Aires"), ["America/Buenos_Aires"]);
    assert.equal(zoneMeant(options, "buenos"), "America/Buenos_Aires");
    assert.equal(zoneMeant(options, "Rome (Europe)"), "Europe/Rome");
    assert.equal(zoneMeant(options, " rome "), "rome");
    assert.equal(zoneMeant(options, ""), "");
  });
});

describe("what a setting is called", () => {
  it("is known before the settings were read, and by the setting that a pointer leads into", () => {
    putTexts("en", enSettings);
    assert.equal(labelOf("/update/windows"), "Update windows");
    schemaRead({ properties: { time: { properties: { servers: {} } } } });
    assert.equal(labelOf("/time/servers/1"), "Time servers");
  });
});
