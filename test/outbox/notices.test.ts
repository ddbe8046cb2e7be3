import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type EventType, eventTypes } from "../../src/contract/event-types.ts";
import { findingKinds } from "../../src/contract/findings.ts";
import { needCodes } from "../../src/contract/need-areas.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import { isTaken, levelOf, noticeOf } from "../../src/outbox/notices.ts";

function event(
  type: string,
  details: AuditEvent["details"] = {},
  more: Partial<AuditEvent> = {},
): AuditEvent {
  return {
    ...{ seq: 7, time: "2026-11-27T10:00:00.000Z", type, log: "changes", outcome: "success", code: null },
    ...{ count: 1, actor: { kind: "agent", id: null, name: null }, subject: null, from: "local" },
    ...{ request_id: null, details, previous_hash: "0".repeat(64), hash: "1".repeat(64) },
    ...more,
  };
}

const changedSettings = (...changed: string[]) => event("settings.changed", { changed });

const token = (ends_at: string | undefined, ...scopes: string[]) =>
  event("token.created", { scopes, owner: "anna", ...(ends_at !== undefined && { ends_at }) });

const report = (details: AuditEvent["details"]) =>
  event("product.reported", details, {
    ...{ log: "reports", actor: { kind: "product", id: "pump.service", name: "pump.service" } },
  });

const fromRoot = { actor: { kind: "local-root", id: null, name: null }, from: "local" } as const;

const anna = { kind: "user", id: `usr_${"1".repeat(32)}`, name: "anna" } as const;
const eve = { id: `usr_${"2".repeat(32)}`, name: "eve" };
const program = { ...anna, kind: "token", name: "anna/fleet" } as const;
const fromAnna = { actor: anna, subject: { id: anna.id, name: anna.name }, from: "192.0.2.7" };

describe("the choice of events that people are notified of", () => {
  const disk = { need: "disk", reason: "disk_space_low", level: "failing" };
  const named = { need: "device_unnamed", level: "attention", hostname: "box" };
  const chosen: [string, AuditEvent, "grave" | "ordinary" | null][] = [
    ["a need that fails", event("need.began", disk), "grave"],
    ["its end", event("need.ended", disk), "grave"],
    ["another need", event("need.began", named), "ordinary"],
    [
      "a report that people hear of, never at once",
      report({ is_message: true, level: "failing" }),
      "ordinary",
    ],
    ["another report", report({ is_message: false, level: "failing" }), null],
    ["the use of a rescue token", event("setup.rescued", { is_new: false }), "grave"],
    ["a rescue by root", event("user.rescued", { was_enabled: true }), "grave"],
    ["an update that was undone by hand", event("update.undone", { outcome: "rolled_back" }), "ordinary"],
    ["an update that failed, which is a need as well", event("update.undone", { outcome: "failed" }), null],
    ["an update that the installer refused", event("update.refused"), "ordinary"],
    ["an update that is good", event("update.applied"), null],
    [
      "an administrator's sign-in from a new address",
      event("sign_in.succeeded", { role: "admin", is_new_address: true }),
      "ordinary",
    ],
    ["one from a known address", event("sign_in.succeeded", { role: "admin" }), null],
    ["an operator's from one", event("sign_in.succeeded", { role: "operator", is_new_address: true }), null],
    ["a refused sign-in", event("sign_in.refused", {}, { log: "refusals", outcome: "refused" }), null],
    ["a change of settings", event("settings.changed", { changed: ["device.name"] }), null],
    ["another receiver (an intruder mutes the device)", changedSettings("notify.receivers"), "grave"],
    ["a weaker policy of sign-ins", changedSettings("device.name", "security.require_2fa"), "ordinary"],
    ["another update server", changedSettings("update.ota.server"), "ordinary"],
    ["another secret of a receiver", event("notify.secret_set", { name: "alerts" }), "grave"],
    ["the first administrator", event("setup.done"), "ordinary"],
    ["a new administrator", event("user.created", { role: "admin", enabled: true }), "ordinary"],
    ["a new operator", event("user.created", { role: "operator", enabled: true }), null],
    ["a promotion", event("user.changed", { role: "admin", role_before: "readonly" }), "ordinary"],
    ["a demotion", event("user.changed", { role: "readonly", role_before: "admin" }), "ordinary"],
    ["an account that may sign in again", event("user.changed", { enabled: true, tokens: 0 }), "ordinary"],
    ["a change of a display name", event("user.changed", { display_name_changed: true }), null],
    ["the end of an administrator", event("user.deleted", { role: "admin" }), "ordinary"],
    ["a copied session", event("session.reused", {}, { from: "192.0.2.9" }), "ordinary"],
    ["a backup by an administrator", event("backup.made", { recipients: 0 }, fromAnna), "ordinary"],
    ["root's backup of each day", event("backup.made", { recipients: 1 }, fromRoot), null],
    ["a token that changes it for a year", token("2027-11-27T10:00:00Z", "updates:apply"), "ordinary"],
    ["a token that changes the device without an end", token(undefined, "time:write"), "ordinary"],
    ["a token for a day, as a fleet makes each hour", token("2026-11-28T10:00:00Z", "updates:apply"), null],
    ["a token that reads, for a year", token("2027-11-27T10:00:00Z", "logs:read", "updates:check"), null],
    ["a token's successor, as a fleet makes each hour", event("token.rotated", { owner: "anna" }), null],
    ["a token that a backup had suspended", event("token.resumed", { owner: "anna" }), "ordinary"],
    ["a root of trust", event("update.trust_installed", { fingerprint: "aa" }), "ordinary"],
    ["a confirmed root of trust", event("update.trust_confirmed", { fingerprint: "aa" }), "ordinary"],
    ["another publisher's keys", event("update.root_rotated", { from_version: 1, version: 2 }), "ordinary"],
    ["a factory reset", event("host.reset_requested", {}, fromAnna), "grave"],
  ];
  for (const [name, given, level] of chosen)
    it(`${level === null ? "leaves out" : "takes"} ${name}`, () => {
      assert.equal(levelOf(given), level);
      const taken = (["record", "all", "grave"] as const).map((takes) => isTaken(takes, given));
      assert.deepEqual(taken, [true, level !== null, level === "grave"]);
    });

  for (const type of [
    ...["password.changed", "user.password_reset", "two_factor.enabled", "two_factor.disabled"],
    ...["two_factor.recovered", "two_factor.recovery_codes_made"],
    ...["two_factor.passkey_added", "two_factor.passkey_removed"],
  ])
    it(`takes ${type} of an administrator only`, () => {
      const levels = ["admin", "operator", undefined].map((role) =>
        levelOf(event(type, role === undefined ? {} : { role })),
      );
      assert.deepEqual(levels, ["ordinary", null, null]);
    });
});

describe("an event in words", () => {
  it("is a title and the sentences of its need", () => {
    const details = { need: "support_ending", level: "attention", support_until: "2027-01-31" };
    const { title, text, ...rest } = noticeOf(event("need.began", details));
    assert.equal(title, "To do: The maker's support ends on 2027-01-31");
    assert.equal(text, "Plan for a successor to this device.");
    assert.deepEqual([rest.seq, rest.time, rest.level], [7, "2026-11-27T10:00:00.000Z", "ordinary"]);
    const clock = {
      need: "clock",
      reason: "clock_no_time_source",
      level: "attention",
      word: "not_in_sync",
      server: null,
    };
    const ofClock = noticeOf(event("need.began", clock)).text;
    assert.match(ofClock, /^None of the time servers gives a usable answer\. /);
  });

  it("has the words of a publisher who withdrew the installed release", () => {
    const details = {
      ...{ need: "update_withdrawn", level: "attention", kind: "rules", name: "base", version: "1.2.0" },
      detail: "it eats data",
    };
    const { title, text } = noticeOf(event("need.began", details));
    assert.equal(title, "To do: base 1.2.0 was withdrawn by its publisher");
    assert.equal(
      text,
      'It is installed. "it eats data" A newer release, or going back to the previous one, ends this.',
    );
  });

  it("has the need's title where the event lacks the facts of the sentence", () => {
    const details = { need: "disk", reason: "disk_space_low", level: "failing" };
    const unknown = noticeOf(event("need.began", details)).text;
    assert.equal(unknown, "The disk needs space. The status of the device says what to do.");
    const ended = noticeOf(event("need.ended", details));
    assert.deepEqual(
      [ended.title, ended.text],
      ["Done: The disk needs space", "Nothing is left to do about it: The disk needs space."],
    );
  });

  /** In English and in German: the title, with which the text begins, and what follows in it. */
  type Words = [title: string, rest: RegExp, german: string, germanRest: RegExp];

  const unexpected: [string, AuditEvent, ...Words][] = [
    [
      "a promotion by a user",
      event("user.changed", { role: "admin", role_before: "readonly" }, { ...fromAnna, subject: eve }),
      "anna made eve an administrator",
      /^, from 192\.0\.2\.7\. Role: admin\. Role before: readonly\. If this was not expected: .*the sessions of anna.*the events of the device\.$/,
      "anna hat eve zum Administrator gemacht",
      /^, von 192\.0\.2\.7 aus\. Rolle: admin\. .*Sitzungen von anna.*Ereignisse des Geräts an\.$/,
    ],
    [
      "a password that root has set",
      event("user.password_reset", { role: "admin" }, { ...fromRoot, subject: fromAnna.subject }),
      "Root on the device reset the password of anna",
      /^, on the device itself\. .*someone else can act as root/,
      "root am Gerät hat das Passwort von anna zurückgesetzt",
      /^, am Gerät selbst\. .*als root handeln/,
    ],
    [
      "settings that a program has changed",
      event("settings.changed", { changed: ["update.ota.server"] }, { ...fromAnna, actor: program }),
      "anna/fleet changed settings",
      /^, from 192\.0\.2\.7\. Changed: update\.ota\.server\. .*delete the API token anna\/fleet/,
      "anna/fleet hat Einstellungen geändert",
      /Geändert: update\.ota\.server\. .*API-Token anna\/fleet/,
    ],
    [
      "a session that the agent found copied",
      event("session.reused", { session: "ses_1" }, { from: "192.0.2.9", subject: fromAnna.subject }),
      "A copied session of anna was detected",
      /^, from 192\.0\.2\.9\. If this.*reset their password/,
      "Eine kopierte Sitzung von anna wurde erkannt",
      /von 192\.0\.2\.9 aus\. Falls.*Passwort zurück/,
    ],
    [
      "what nobody but the publisher did",
      event("update.root_rotated", { from_version: 1, version: 2 }),
      "The publisher replaced the root of trust",
      /^\. Version before: 1\. Version: 2\. If this was not expected: /,
      "Der Herausgeber hat den Vertrauensanker ersetzt",
      /^\. Version davor: 1\. /,
    ],
  ];
  for (const [name, given, title, rest, german, germanRest] of unexpected)
    it(`says who did it, from where, and what to do if it was not expected: ${name}`, () => {
      for (const [notice, begin, end] of [
        [noticeOf(given, "en"), title, rest],
        [noticeOf(given, "de"), german, germanRest],
      ] as const) {
        assert.deepEqual([notice.title, notice.text.slice(0, begin.length)], [begin, begin]);
        assert.match(notice.text.slice(begin.length), end);
      }
    });

  it("is the product's own sentence in the reader's language, with the unit that has reported it", () => {
    const details = { code: "stuck", level: "notice", is_message: true, en: "The valve is stuck at 1.2" };
    const inBoth = report({ ...details, de: "Das Ventil klemmt bei 1,2" });
    const said = (one: AuditEvent, language: "en" | "de") => noticeOf(one, language).text;
    assert.equal(said(inBoth, "en"), "The valve is stuck at 1.2. Reported by the unit pump.service.");
    assert.equal(said(inBoth, "de"), "Das Ventil klemmt bei 1,2. Gemeldet von der Unit pump.service.");
    assert.equal(
      said(report(details), "de"),
      "The valve is stuck at 1.2. Gemeldet von der Unit pump.service.",
    );
  });

  it("says why an update was undone", () => {
    const details = { name: "base", version: "1.3.0", outcome: "deferred", detail: "The device restarted." };
    const undone = "base 1.3.0 was undone";
    const { title, text } = noticeOf(event("update.undone", details));
    assert.deepEqual([title, text], [undone, `${undone}. The device restarted.`]);
  });

  it("is one line, whatever a name from outside contains", () => {
    const details = { name: "base\r\nBcc: x@a.example", version: "1\u202e0", detail: "a\nb" };
    const { title, text } = noticeOf(event("update.undone", { ...details, outcome: "deferred" }));
    assert.equal(title, "base\\x0d\\x0aBcc: x@a.example 1\\x{202e}0 was undone");
    assert.doesNotMatch(text, /[\r\n\u202e]/);
  });

  it("is there for each type, each need and each finding, with whatever facts", () => {
    const types = Object.keys(eventTypes) as EventType[];
    const needs = needCodes.map((need) => ({ need, level: "attention" }));
    const kinds = Object.entries(findingKinds);
    const findings = kinds.map(([reason, { need, level }]) => ({ need, reason, level }));
    const all = [
      ...types.map((type) => event(type)),
      ...[...needs, ...findings].flatMap((about) => [event("need.began", about), event("need.ended", about)]),
      event("later.invented"),
    ];
    for (const [one, language] of all.flatMap((one) => [[one, "en"] as const, [one, "de"] as const])) {
      const { title, text } = noticeOf(one, language);
      assert.ok(title.length > 0 && text.length > 0, one.type);
      assert.doesNotMatch(`${title} ${text}`, /undefined|null|NaN|\[object/, JSON.stringify(one.details));
    }
    assert.equal(noticeOf(event("later.invented")).title, "later.invented");
  });
});
