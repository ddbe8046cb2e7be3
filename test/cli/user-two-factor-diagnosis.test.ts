import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diagnosisOf, type SeenSkew } from "../../src/cli/user-two-factor-diagnosis.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import { annaId, exampleUser, pageOf, startAgent } from "./agent.ts";
import { exampleClock } from "./example-clock.ts";
import { twoFactorOn } from "./own-session.ts";
import { runSteward } from "./run-steward.ts";

const anna = exampleUser(twoFactorOn);
const clock = exampleClock({
  state: "unsynchronised",
  trust: "none",
  server_time: "2026-01-02T03:04:05.000Z",
  message: "No time servers are set.",
});

function skew(skewSeconds: number, isClockVouchedFor = false): SeenSkew {
  return { at: "2026-01-02T03:00:00.000Z", from: "192.0.2.7", skewSeconds, isClockVouchedFor };
}

function event(seq: number, subjectId: string, skewSeconds: number): AuditEvent {
  return {
    seq,
    time: "2026-01-02T03:00:00.000Z",
    type: "two_factor.skew_seen",
    log: "changes",
    outcome: "success",
    code: null,
    count: 1,
    actor: { kind: "agent", id: null, name: null },
    subject: { id: subjectId, name: "anna" },
    from: "192.0.2.7\u001b[2J",
    request_id: "request-1",
    details: { skew_seconds: skewSeconds, is_clock_vouched_for: true },
    previous_hash: "0".repeat(64),
    hash: "0".repeat(64),
  };
}

describe("diagnosisOf", () => {
  const locked = { password: false, totp: true, until: "2026-01-02T03:19:05.000Z" };
  const few = { ...anna.two_factor, recovery_codes_remaining: 2 };
  const cases: [what: string, facts: Parameters<typeof diagnosisOf>[0], expected: RegExp][] = [
    ["no second factor", { user: exampleUser(), skews: [], clock }, /no second factor: the password alone/],
    ["nothing seen", { user: anna, skews: [], clock }, /no wrong code was the right one of another time/],
    [
      "the device's clock and what it is worth",
      { user: anna, skews: [], clock },
      /^The device's clock shows 2026-01-02T03:04:05\.000Z \(unsynchronised, trust none\)\. No time servers are set\.$/m,
    ],
    [
      "few recovery codes",
      { user: { ...anna, two_factor: few }, skews: [], clock },
      /2 recovery codes.*new ones:/,
    ],
    [
      "locked codes",
      { user: { ...anna, locked }, skews: [], clock },
      /wrong codes.*until 2026-01-02T03:19.*recovery codes work/,
    ],
    [
      "a key that is gone, before all else",
      { user: { ...anna, enabled: false, two_factor: { ...few, sealing_key: "missing" } }, skews: [], clock },
      /^No code of this user's can be checked: the key .* is not on this device.*steward user rescue anna\nThe user is disabled/,
    ],
    ["a disabled user", { user: { ...anna, enabled: false }, skews: [], clock }, /^The user is disabled/],
    [
      "a code of the future",
      { user: anna, skews: [skew(300)], clock },
      /clock 300 seconds ahead of the device's/,
    ],
    ["a code of the past", { user: anna, skews: [skew(-90)], clock }, /clock 90 seconds behind the device's/],
    ["one difference", { user: anna, skews: [skew(300)], clock }, /do not repeat/],
    ["two that differ", { user: anna, skews: [skew(300), skew(-300)], clock }, /do not repeat/],
    [
      "one twice, unsynchronised",
      { user: anna, skews: [skew(300), skew(330)], clock },
      /nobody vouched.*compare both/,
    ],
    [
      "one twice, synchronised",
      { user: anna, skews: [skew(90, true), skew(90, true)], clock },
      /set the authenticator's clock/,
    ],
  ];
  for (const [what, facts, expected] of cases) {
    it(`tells of ${what}`, () => assert.match(diagnosisOf(facts).join("\n"), expected));
  }
});

describe("steward user 2fa diagnose", () => {
  const answers = {
    "GET /api/users": pageOf(anna),
    "GET /api/system/time-sync": { body: clock },
    "GET /api/events": {
      body: { items: [event(1, "usr_other", 600), event(2, annaId, 300)], total: 2, next_cursor: null },
    },
  };

  it("tells of this user's wrong codes alone, and shows what is hostile harmlessly", async (test) => {
    const { socketPath, received } = await startAgent(test, answers);
    const { code, stdout } = await runSteward(["user", "2fa", "diagnose", "anna", "--socket", socketPath]);
    assert.equal(code, 0);
    assert.match(stdout, /from 192\.0\.2\.7\\x1b\[2J: a code of a clock 300 seconds ahead/);
    assert.doesNotMatch(stdout, /600 seconds/);
    assert.equal(received[1]?.path, "/api/events?type=two_factor.skew_seen&limit=200");
  });

  it("prints user and events in the API's shapes", async (test) => {
    const { socketPath } = await startAgent(test, answers);
    const { stdout } = await runSteward([
      "-o",
      "json",
      "user",
      "2fa",
      "diagnose",
      "anna",
      "--socket",
      socketPath,
    ]);
    assert.deepEqual(JSON.parse(stdout), { user: anna, events: [event(2, annaId, 300)], clock });
  });
});
