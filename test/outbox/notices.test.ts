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

const anna = { kind: "user", id: `usr_${"1".repeat(32)}`, name: "anna" } as const;
const fromAnna = { actor: anna, subject: { id: anna.id, name: anna.name }, from: "192.0.2.7" };

describe("the choice of events that people are notified of", () => {
  const disk = { need: "disk", reason: "disk_space_low", level: "failing" };
  const named = { need: "device_unnamed", level: "attention", hostname: "box" };
  const chosen: [string, AuditEvent, "grave" | "ordinary" | null][] = [
    ["a need that fails", event("need.began", disk), "grave"],
    ["its end", event("need.ended", disk), "grave"],
    ["another need", event("need.began", named), "ordinary"],
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
    [
      "an operator's from a new address",
      event("sign_in.succeeded", { role: "operator", is_new_address: true }),
      null,
    ],
    ["a refused sign-in", event("sign_in.refused", {}, { log: "refusals", outcome: "refused" }), null],
    ["a change of settings", event("settings.changed", { changed: ["device.name"] }), null],
  ];
  for (const [name, given, level] of chosen)
    it(`${level === null ? "leaves out" : "takes"} ${name}`, () => {
      assert.equal(levelOf(given), level);
      assert.deepEqual(
        (["record", "all", "grave"] as const).map((takes) => isTaken(takes, given)),
        [true, level !== null, level === "grave"],
      );
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
    assert.equal(text, "Plan for the successor of this device.");
    assert.deepEqual([rest.seq, rest.time, rest.level], [7, "2026-11-27T10:00:00.000Z", "ordinary"]);
    const clock = { need: "clock", reason: "clock_no_time_source", level: "attention", word: "not_in_sync" };
    assert.match(
      noticeOf(event("need.began", clock)).text,
      /^None of the time servers gives a usable answer\. /,
    );
  });

  it("has the need's title where the event lacks the facts of the sentence", () => {
    const details = { need: "disk", reason: "disk_space_low", level: "failing" };
    assert.equal(
      noticeOf(event("need.began", details)).text,
      "The disk needs space. The status of the device says what to do.",
    );
    const ended = noticeOf(event("need.ended", details));
    assert.deepEqual(
      [ended.title, ended.text],
      ["Done: The disk needs space", "Nothing is left to do about it: The disk needs space."],
    );
  });

  it("says from where an account was changed, and what to do if it is unknown who did it", () => {
    const { title, text } = noticeOf(event("password.changed", { role: "admin" }, fromAnna));
    assert.equal(title, "anna changed their password");
    assert.match(text, /^anna changed their password, from 192\.0\.2\.7\. If you do not know who did this, /);
    const byRoot = {
      actor: { kind: "local-root", id: null, name: null },
      subject: fromAnna.subject,
    } as const;
    const reset = noticeOf(event("user.password_reset", { role: "admin" }, byRoot));
    assert.equal(reset.text, "Root on the device reset the password of anna.");
  });

  it("says why an update was undone", () => {
    const details = { name: "base", version: "1.3.0", outcome: "deferred", detail: "The device restarted." };
    const { title, text } = noticeOf(event("update.undone", details));
    assert.deepEqual(
      [title, text],
      ["base 1.3.0 was undone", "base 1.3.0 was undone. The device restarted."],
    );
  });

  it("is one line, whatever a name from outside contains", () => {
    const details = {
      name: "base\r\nBcc: x@example.org",
      version: "1\u202e0",
      outcome: "deferred",
      detail: "a\nb",
    };
    const { title, text } = noticeOf(event("update.undone", details));
    assert.equal(title, "base\\x0d\\x0aBcc: x@example.org 1\\x{202e}0 was undone");
    assert.doesNotMatch(text, /[\r\n\u202e]/);
  });

  it("is there for each type, each need and each finding, with whatever facts", () => {
    const types = Object.keys(eventTypes) as EventType[];
    const needs = needCodes.map((need) => ({ need, level: "attention" }));
    const findings = Object.entries(findingKinds).map(([reason, { need, level }]) => ({
      need,
      reason,
      level,
    }));
    const all = [
      ...types.map((type) => event(type)),
      ...[...needs, ...findings].flatMap((details) => [
        event("need.began", details),
        event("need.ended", details),
      ]),
      event("later.invented"),
    ];
    for (const one of all) {
      const { title, text } = noticeOf(one);
      assert.ok(title.length > 0 && text.length > 0, one.type);
      assert.doesNotMatch(`${title} ${text}`, /undefined|null|NaN|\[object/, JSON.stringify(one.details));
    }
    assert.equal(noticeOf(event("later.invented")).title, "later.invented");
  });
});
