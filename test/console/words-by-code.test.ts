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
import { remedyOf, remedyQuery } from "../../src/console/needs/remedies.ts";
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
  ...{ document: "settings", error: "storage_unwritable", damage: "missing", replacement: "defaults" },
  ...{ found_at: at, waiting: 1, lost: 2, lines: 3, record: "users", complete_since: at, users: 4 },
  ...{ keys: ["a", "b"], daemon: "ntpd", step_seconds: 1, frequency_ppm: 2, agreeing: 1, configured: 8 },
  ...{ needed: 5, server: "ntp1.example", offset_seconds: -3, measured_at: at, address: "[::1]:80" },
  ...{ parts: ["rights"], certificate: "own", ends_at: at, begins_at: at, members: ["/x"] },
  ...{ faults: ["/names must be a list"], problem: { code: "check_failed", detail, release: null } },
} as const;

const own = (text: string | undefined): Sentence => ({ text: text ?? "", isAgents: false });

const health = (code: string, facts: object = everyFact): Sentence =>
  healthSentence({ name: "time", status: "degraded", code, detail, facts } as never);

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
  return said === null ? [null] : [said.text, own(said.title)];
};

const conflicting = { detail, daemon: "ntpd", step_seconds: 3, frequency_ppm: 1 };
const inSync = (more: object) => clock({ code: "synchronised", ...more });
const problem = (code: string) => ({ problem: { code, detail, release: null } });
const errors = Object.keys(errorCodes);
const types = Object.keys(eventTypes);

/** Each list of codes that the contract has, and what a page says of one of them. */
const lists: readonly (readonly [string, readonly string[], (code: string) => (Sentence | null)[]])[] = [
  ["health checks", healthCodes, (code) => [health(code)]],
  ["problems with updates", updateProblemCodes, (code) => [health("updates_degraded", problem(code))]],
  ["the clock", clockSummaryCodes, (code) => clock({ code })],
  ["conflicts", conflictCodes, (code) => clock({ code: "conflict" }, { ...conflicting, code })],
  [
    "clocks that are not set",
    notSetCodes,
    (code) => inSync({ not_set: { code, detail, offset_seconds: 2 } }),
  ],
  ["time daemons", daemonTroubleCodes, (code) => inSync({ daemon_trouble: { code, detail, cause: null } })],
  ["time sources", sourceReasonCodes, (code) => [source(code)]],
  ["held releases", holdCodes, (code) => [hold(code)]],
  ["updates", summaryCodes, (code) => [summary(code)]],
  ["ended attempts", outcomeCodes, (code) => [reasonSentence({ ...reason, code } as never)]],
  ["refused releases", errors, (code) => [reasonSentence({ ...reason, code } as never)]],
  ["errors", errors, (code) => [own(problemName(code) ?? "")]],
  ["events", types, (code) => [own((t.events.titles as Record<string, string>)[code])]],
  ["events in a sentence", types, (code) => [own(happened(code))]],
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
        const isAgents = tag === "en" && inAgentsEnglish.includes(name);
        const isMissing = (code: string, said: Sentence | null) =>
          said === null || (said.text === "" && code !== "ok") || (said.text.includes(detail) && !isAgents);
        assert.ok(codes.length > 1);
        assert.deepEqual(
          codes.filter((code) => say(code).some((said) => isMissing(code, said))),
          [],
        );
      });

    it("is the agent's sentence for a code of a newer agent", () => {
      putTexts(tag, texts);
      for (const say of [health, hold, summary, source])
        assert.deepEqual(say("newer"), { text: detail, isAgents: true });
      assert.deepEqual(clock({ code: "newer" }), [{ text: detail, isAgents: true }]);
    });
  });

it("the agent's English is that of the page, but for figures and what a reader can do, for every code of the clock", () => {
  putTexts("en", { ...enBase, ...enDevice });
  const facts = { offset_seconds: -3, measured_at: at, agreeing: 1, needed: 2, server: "ntp1.example" };
  const none = { configured: null, daemon: "chronyd", daemon_trouble: null, runs_on: false, not_set: null };
  const besides = [
    { runs_on: true, configured: 3 },
    ...daemonTroubleCodes.map((code) => ({
      daemon_trouble: troubleWithDetail({ code, cause: "said" }, "chronyd"),
    })),
    ...notSetCodes.map((code) => ({ not_set: notSetWithDetail({ code, offset_seconds: 2 }, true) })),
  ];
  for (const [change, code] of [
    ...clockSummaryCodes.map((code) => [{ code }, conflictCodes[0]] as const),
    ...conflictCodes.map((code) => [{ code: "conflict" }, code] as const),
    ...besides.map((change) => [{ code: "acquiring", ...change }, conflictCodes[0]] as const),
  ]) {
    const conflict = { ...conflicting, detail: "", code };
    const summary = summaryWithDetail({ ...facts, ...none, ...change } as ClockSummary, conflict);
    const said = clock({ ...summary }, conflict, terminalFormat).map(({ text }) => text);
    const head = change.code === "synchronised" ? ["The clock is right."] : [];
    assert.equal([...head, ...said].join(" "), summary.detail);
  }
  for (const code of sourceReasonCodes) {
    const reason = reasonWithDetail({ code, cause: "said" }, "candidate");
    const one = { ...exampleClock().sources[0], state: "candidate", reason } as TimeSource;
    assert.deepEqual(reasonOf(one), own(reason.detail));
  }
});

it("a need is said by agent and English page in the same words, for every code", () => {
  putTexts("en", enBase);
  const facts = {
    ...{ name: "base", version: "1.3.0", users: ["ana", "ben"], count: 2, hostname: "edge" },
    ...{ first_ends_at: at, support_until: "2031-12-31", missing: "root", word: "unknown", trust: "none" },
  };
  const known = needCodes.filter(isOwn).map((code) => {
    const need = needOf(needFinding(code, facts));
    const said = needInWords(need, terminalFormat);
    assert.equal(`${said?.title}. ${said?.text.text}`, need.detail);
    return need.code;
  });
  const found = healthCodes.flatMap((code) => {
    if (code === "ok") return [];
    const need = needOf(finding(code, everyFact as never), "time");
    // The words of updates say the needs of updates, and have tests of their own.
    if (code !== "updates_degraded")
      assert.deepEqual(needInWords(need, terminalFormat)?.text, own(need.detail), code);
    return need.code;
  });
  assert.deepEqual(new Set([...known, ...found]), new Set(needCodes));
});

describe("what the product reports", () => {
  const facts = {
    name: "low",
    unit: "pump.service",
    en: "The pressure is 1.2 bar",
    de: "Der Druck ist 1,2 bar",
  };
  const ofProduct = (code: Need["code"], more: object = {}): Need => {
    return { ...{ code, level: "failing", detail, remedy: null }, facts: { ...facts, ...more } };
  };
  const event = (type: string, details: object) =>
    eventSentence({
      ...{ type, details, code: null, subject: null },
      actor: { name: "pump.service" },
    } as AuditEvent);
  const onPage = { page: "pump", path: "/pressure?unit=bar&of=3" };

  for (const [tag, texts, said, silent, toDo, buttons] of [
    ["en", enBase, facts.en, "No news of: ", "To do: ", ["Open the page", "Show the parts"]],
    ["de", deBase, facts.de, "Keine Nachricht mehr: ", "Zu tun: ", ["Seite öffnen", "Teile zeigen"]],
  ] as const)
    it(`is its own sentence, as a need and as an event, with the way to its page: ${tag}`, () => {
      putTexts(tag, texts);
      assert.equal(event("product.reported", { ...facts, code: "low" }), said);
      const began = { need: "product_silent", level: "failing", ...facts };
      assert.equal(event("need.began", began), `${toDo}${silent}${said}`);
      const [shown, without] = [ofProduct("product", onPage), ofProduct("product")];
      assert.deepEqual([needInWords(shown)?.title, needInWords(without)?.title], [said, said]);
      assert.deepEqual([needInWords(shown)?.button, needInWords(without)?.button], buttons);
      // Behind `to=` the path is as it is, with its own query: the page of the console takes all that follows.
      assert.equal(remedyOf(shown).to, "/product/pump?to=/pressure?unit=bar&of=3");
      assert.deepEqual([remedyOf(without).to, remedyQuery(shown)], ["/system", {}]);
    });

  it("is in English where it has no other sentence", () => {
    putTexts("de", deBase);
    assert.equal(event("product.reported", { en: facts.en }), facts.en);
  });
});

describe("figures in words", () => {
  it("of the clock's head say by what it is wrong, and nothing that its sources contradict", () => {
    putTexts("en", { ...enBase, ...enDevice });
    const { summary } = exampleClock();
    for (const [state, offset_seconds, seconds, expected] of [
      ["faulty", 5e-7, null, "Not in sync."],
      ["faulty", 5e-7, 3, "Not in sync: this device is 3\u00a0s behind."],
      ["synchronised", -3, null, "Not in sync: this device is 3\u00a0s ahead."],
    ] as const) {
      const status = { ...exampleClock(), state, offset_seconds };
      const told = { ...status, summary: { ...summary, offset_seconds: seconds } } as TimeSync;
      assert.equal(headOf(told, "not_in_sync"), expected);
    }
  });

  it("of a bound are milliseconds below a second, rounded up and never to nothing; of a length the unit that is read best", () => {
    putTexts("en", enDevice);
    const bounds = [2.7e-6, 1e-4, 1.01e-3, 0.0231, 3].map(boundInWords);
    assert.deepEqual(
      bounds.map((one) => one.replace("\u00a0", " ")),
      ["0.1 ms", "0.1 ms", "1.1 ms", "24 ms", "3 s"],
    );
    for (const [tag, years] of [
      ["en", "57 years"],
      ["de", "57 Jahre"],
    ] as const) {
      putTexts(tag, {});
      assert.deepEqual(
        [20_757, 41].map((days) => shortDuration(days * 86_400)),
        [years, "41\u00a0d"],
      );
    }
  });
});

describe("what has happened last", () => {
  const event = (
    seq: number,
    code: string | null,
    more: { count?: number; type?: string; about?: string } = {},
  ) => {
    const { count = 1, type = "request.refused", about } = more;
    const subject = about === undefined ? null : { name: about };
    const actor = { kind: "user", name: "ana" };
    return { seq, time: at, type, code, count, subject, details: {}, actor } as unknown as AuditEvent;
  };
  const signIn = (code: string, about?: string) =>
    event(1, code, { type: "sign_in.refused", ...(about && { about }) });

  it("repeats once with their number, and has words for every refusal", () => {
    putTexts("en", enBase);
    const wrong = "A wrong password or code of ana was refused";
    const events = [
      ...[event(9, "password_wrong"), event(8, "passkey_invalid", { count: 2 })],
      ...[event(7, "invalid_token"), event(6, "totp_invalid")],
    ];
    const lines = eventLines(events).map(({ seq, text }) => `${seq} ${text}`);
    const other = "A request without a valid sign-in was refused";
    assert.deepEqual(lines, [`9 ${wrong} · 3 ×`, `7 ${other}`, `6 ${wrong}`]);
    const refusals = Object.entries(errorCodes).filter(([, { status }]) => [401, 403, 429].includes(status));
    const said = new Set(refusals.map(([code]) => eventSentence(event(1, code))));
    assert.ok(refusals.length > 10);
    assert.equal(said.size, 5, [...said].join("\n"));
  });

  for (const [tag, texts, expected] of [
    [
      ...(["en", enBase] as const),
      [
        ...[
          "A wrong password or code of ana was refused",
          "A sign-in was refused",
          "A sign-in as ben was refused",
        ],
        "A sign-in as ben had the right password and no valid second factor",
        "The API token ben/backup was refused",
      ],
    ],
    [
      ...(["de", deBase] as const),
      [
        ...["Passwort oder Code von ana war falsch", "Eine Anmeldung wurde abgelehnt"],
        "Eine Anmeldung als ben wurde abgelehnt",
        "Eine Anmeldung als ben hatte das richtige Passwort, aber keinen gültigen zweiten Faktor",
        "Der API-Token ben/backup wurde abgelehnt",
      ],
    ],
  ] as const)
    it(`tells why a request was refused, a sign-in after a right password from others, and an API token (${tag})`, () => {
      putTexts(tag, texts);
      const events = [
        ...[event(1, "password_wrong"), signIn("invalid_credentials"), signIn("invalid_credentials", "ben")],
        ...[signIn("totp_invalid", "ben"), event(1, "invalid_token", { about: "ben/backup" })],
      ];
      assert.deepEqual(events.map(eventSentence), expected);
    });
});

for (const [tag, texts, short, other] of [
  [
    ...(["en", enBase, "This password is too short: 9 characters, and at least 15 are needed"] as const),
    "This password is too easy to guess",
  ],
  [
    ...(["de", deBase, "Dieses Passwort ist zu kurz: 9 Zeichen, nötig sind mindestens 15"] as const),
    "Dieses Passwort ist zu leicht zu erraten",
  ],
] as const)
  it(`a refused password is told with both figures, and otherwise by what is wrong with it (${tag})`, () => {
    putTexts(tag, texts);
    const words = (code: string, said: string) => entrySentence({ pointer: "/password", code, detail: said });
    const said =
      "The password has 9 characters; at least 15 are needed. Three or four words make a good one.";
    assert.equal(words("password_too_short", said), short);
    assert.equal(words("password_blocklisted", detail), other);
    assert.equal(words("password_too_short", detail), t.problem.codes.password_too_short);
  });

describe("time zones to choose from", () => {
  it("begin with the browser's own, and each with its city", () => {
    const shown = (own: string, known: readonly string[]) =>
      zoneOptions("Etc/UTC", own, known).map(({ value, text }) => `${value}: ${text}`);
    assert.deepEqual(shown("UTC", ["UTC"]), ["Etc/UTC: UTC"]);
    const known = ["Africa/Cairo", "America/Argentina/Buenos_Aires", "Europe/Berlin", "UTC"];
    assert.deepEqual(shown("Europe/Berlin", known), [
      ...["Europe/Berlin: Berlin (Europe)", "Etc/UTC: UTC"],
      ...["America/Argentina/Buenos_Aires: Buenos Aires (America/Argentina)", "Africa/Cairo: Cairo (Africa)"],
    ]);
  });

  const options = zoneOptions("UTC", "UTC", ["America/Jerome", "Europe/Rome", "America/Buenos_Aires"]);
  for (const [sought, expected] of [
    ["rome", ["Europe/Rome", "America/Jerome"]],
    ["america aires", ["America/Buenos_Aires"]],
    ["America/Buenos_Aires", ["America/Buenos_Aires"]],
  ] as const)
    it(`are found by each word of their names: ${sought}`, () =>
      assert.deepEqual(
        foundZones(options, sought).map(({ value }) => value),
        expected,
      ));

  it("stay as typed where they are none", () => {
    const meant = ["buenos", "Rome (Europe)", " rome ", ""].map((typed) => zoneMeant(options, typed));
    assert.deepEqual(meant, ["America/Buenos_Aires", "Europe/Rome", "rome", ""]);
  });
});

it("what a setting is called is known before the settings were read, and by the setting that a pointer leads into", () => {
  putTexts("en", enSettings);
  assert.equal(labelOf("/update/windows"), "Update windows");
  schemaRead({ properties: { time: { properties: { servers: {} } } } });
  assert.equal(labelOf("/time/servers/1"), "Time servers");
});
