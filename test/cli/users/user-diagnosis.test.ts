import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleClock, exampleSummary } from "../../../lab/command-line/example-clock.ts";
import { type DiagnosisFacts, diagnosisOf, type SeenSkew } from "../../../src/cli/users/user-diagnosis.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { annaId, ended, exampleUser, pageOf, twoFactorOn } from "../fixture.ts";

const anna = exampleUser(twoFactorOn);
const clock = exampleClock({
  state: "unsynchronised",
  trust: "none",
  server_time: "2026-01-02T03:04:05.000Z",
  summary: exampleSummary({ code: "no_servers", detail: "No time servers are set." }),
});

function skew(skewSeconds: number, isClockTrusted = false, seq = 10): SeenSkew {
  return { seq, at: "2026-01-02T03:00:00.000Z", from: "192.0.2.7", skewSeconds, isClockTrusted };
}

const event = (seq: number, id: string, skew_seconds: number): AuditEvent => ({
  ...{ seq, time: "2026-01-02T03:00:00.000Z", type: "two_factor.skew_seen", log: "changes" },
  ...{ outcome: "success", code: null, count: 1, actor: { kind: "agent", id: null, name: null } },
  ...{ subject: { id, name: "anna" }, from: "192.0.2.7\u001b[2J", request_id: "request-1" },
  ...{ details: { skew_seconds, is_clock_trusted: true } },
  ...{ previous_hash: "0".repeat(64), hash: "0".repeat(64) },
});

const ofProvider = (origin: "provider" | "former_provider") =>
  exampleUser({ origin, issuer: "https://id.example", last_login_at: "2026-01-01T08:00:00.000Z" });

/** The diagnosis of anna, who has a second factor, from these facts only. */
const sentencesOf = (known: Partial<DiagnosisFacts>) =>
  diagnosisOf({ user: anna, skews: [], clock, steps: [], refusals: [], ...known });

const trustedClock = { ...clock, trust: "trusted" as const };
const twice = [skew(90, true, 10), skew(90, true, 20)];

describe("diagnosisOf", () => {
  const locked = { password: false, totp: true, until: "2026-01-02T03:19:05.000Z" };
  const few = { ...anna.two_factor, recovery_codes_remaining: 2 };
  const cases: [what: string, facts: Partial<DiagnosisFacts>, expected: RegExp][] = [
    ["no second factor", { user: exampleUser() }, /no second factor: .* is enough/],
    ["nothing seen", {}, /no wrong code would have been right at another time/],
    [
      "the device's clock and what it is worth",
      {},
      /^The device's clock shows 2026-01-02T03:04:05\.000Z \(unsynchronised, trust none\)\. No time servers are set\.$/m,
    ],
    ["few codes", { user: { ...anna, two_factor: few } }, /2 recovery codes.*new ones:/],
    [
      "locked codes",
      { user: { ...anna, locked } },
      /wrong codes, ten in a row or thirty within an hour.*until 2026-01-02T03:19.*recovery codes work.*steward user unlock anna/,
    ],
    [
      "a key that is gone, before all else",
      { user: { ...anna, enabled: false, two_factor: { ...few, sealing_key: "missing" } } },
      /^This user's codes cannot be checked: the key .* is not on this device.*steward user rescue anna\nThe user is disabled/,
    ],
    ["a disabled user", { user: { ...anna, enabled: false } }, /^The user is disabled/],
    ["a later code", { skews: [skew(300)] }, /clock 300 seconds ahead of the device's/],
    ["a code of the past", { skews: [skew(-90)] }, /clock 90 seconds behind the device's/],
    ["one difference", { skews: [skew(300)] }, /do not repeat/],
    ["two that differ", { skews: [skew(300), skew(-300)] }, /do not repeat/],
    [
      "one twice, by a clock that was not trusted",
      { skews: [skew(300), skew(330)], clock: trustedClock },
      /was not trusted then[\s\S]*not certain: compare both/,
    ],
    [
      "one twice, by a clock that is only accepted",
      { skews: twice, clock: { ...clock, trust: "accepted" } },
      /not certain: compare both/,
    ],
    [
      "an authenticator that is ahead, by a trusted clock",
      { skews: twice, clock: trustedClock },
      /set the authenticator's clock 90 seconds back\.$/,
    ],
    [
      "a device's clock that was wrong, and was set since",
      { skews: twice, clock: trustedClock, steps: [{ seq: 30, seconds: 85 }] },
      /set 85 seconds forward: it was the device's clock that was wrong, and the codes .* fit now/,
    ],
    [
      "a device's clock that was set since, and not by that much",
      { skews: twice, clock: trustedClock, steps: [{ seq: 30, seconds: -3_600 }] },
      /set 3600 seconds back: by that clock the authenticator would be 3690 seconds ahead of/,
    ],
    [
      "one difference, seen before and after the device's clock was set",
      {
        ...{ clock: trustedClock, steps: [{ seq: 15, seconds: 600 }] },
        skews: [skew(690, true, 10), skew(90, true, 20)],
      },
      /set the authenticator's clock 90 seconds back/,
    ],
    [
      "refused sign-ins, by why and how often",
      { refusals: [{ at: "noon", from: "192.0.2.7", code: "totp_invalid", reason: "", count: 3 }] },
      /^At noon from 192\.0\.2\.7 sign-in was refused 3 times: [A-Z].*, after the right password: that caller knows it\.$/m,
    ],
    [
      "a refusal of the provider's answer, with its reason, after which no one knew a password here",
      {
        user: ofProvider("provider"),
        refusals: [{ ...{ at: "x", from: "y", code: "provider_refused" }, reason: "expired", count: 1 }],
      },
      /sign-in was refused: [A-Z][^.]*\(expired\)\.\nThe device's clock/,
    ],
    [
      "where a user of the provider signs in, and the last role",
      { user: ofProvider("provider") },
      /anna signs in at https:\/\/id\.example, .* the last one was at 2026-01-01T\S+, with the role readonly\. The host file names/,
    ],
    [
      "a provider that the host file does not name",
      { user: ofProvider("former_provider") },
      /anna signed in at https:\/\/id\.example; .*The host file does not name this provider, so no one can sign in with this account/,
    ],
    ["no obstacle", {}, /^The account is enabled and not locked\./],
  ];
  for (const trust of ["none", "accepted", "trusted"] as const)
    it(`never blames the authenticator but by a trusted clock that was not set since: ${trust}`, () => {
      for (const isClockTrusted of [false, true])
        for (const seconds of [0, 45, 90]) {
          const skews = [skew(90, isClockTrusted, 10), skew(90, isClockTrusted, 20)];
          const steps = seconds === 0 ? [] : [{ seq: 30, seconds }];
          const said = sentencesOf({ skews, steps, clock: { ...clock, trust } }).join("\n");
          const isCertain = trust === "trusted" && isClockTrusted && seconds === 0;
          assert.equal(said.includes("set the authenticator's clock"), isCertain, said);
        }
    });

  for (const [what, facts, expected] of cases) {
    it(`tells of ${what}`, () => assert.match(sentencesOf(facts).join("\n"), expected));
  }
});

describe("steward user diagnose", () => {
  const skews = [event(1, "usr_other", 600), event(2, annaId, 300)];
  const answers = {
    "GET /api/users": pageOf(anna),
    "GET /api/system/time-sync": { body: clock },
    "GET /api/events": (query: URLSearchParams) => {
      const items = query.get("type") === "two_factor.skew_seen" ? skews.toReversed() : [];
      return { body: { items, total: items.length, next_cursor: null } };
    },
  };

  it("tells of this user's wrong codes alone, and shows hostile text harmlessly", async (test) => {
    const { stdout, received } = await ended(test, "user diagnose anna", answers);
    assert.match(stdout, /from 192\.0\.2\.7\\x1b\[2J: a code of a clock 300 seconds ahead/);
    assert.doesNotMatch(stdout, /600 seconds/);
    assert.equal(received[1]?.path, `/api/events?type=two_factor.skew_seen&name=${annaId}&limit=200`);
  });

  it("prints user and events in the API's shapes", async (test) => {
    const { stdout } = await ended(test, "-o json user diagnose anna", answers);
    assert.deepEqual(JSON.parse(stdout), {
      ...{ user: anna, events: [event(2, annaId, 300)], refused: [], steps: [], clock },
    });
  });
});
