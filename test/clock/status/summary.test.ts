import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reportOfKernel, trustedReport } from "../../../src/clock/daemons/external-daemon.ts";
import { notSynced, type Synced, type SyncState } from "../../../src/clock/state/sync-state.ts";
import type { Verdict } from "../../../src/clock/state/verdict.ts";
import { reasonWithDetail } from "../../../src/clock/status/details.ts";
import { clockSummary, lackOf, rescueSummary, type SummaryInput } from "../../../src/clock/status/summary.ts";
import { troubleOf } from "../../../src/clock/status/trouble.ts";
import { sourceReasonCodes } from "../../../src/contract/clock-states.ts";
import { clockSummaryCodes } from "../../../src/contract/schemas/clock.ts";
import type { ClockConflict, ClockSummary } from "../../../src/contract/types.ts";

const right: Synced = {
  ...{
    trust: "trusted",
    isAuthenticated: false,
    agreeing: 4,
    configured: 4,
    atMonotonic: 0,
    at: new Date(0),
  },
  ...{ uncertaintySeconds: 0.01, jitterSeconds: 0.001, growth: 15e-6 },
};
const agreed: SyncState = { verdict: { kind: "agreed" }, synced: right, setByHandAt: null };
const after = (verdict: Verdict, synced: Synced | null = null): SyncState => ({
  ...{ verdict, synced, setByHandAt: null },
});
const stepped: ClockConflict = {
  ...{ code: "clock_stepped", daemon: null, step_seconds: 2, frequency_ppm: null },
  detail: "Another program or person set the clock forward by 2.00 s.",
};
const source = {
  ...{ id: "a", host: "a", address: null, reason: null, offset_seconds: null, uncertainty_seconds: null },
  ...{ delay_seconds: null, jitter_seconds: null, stratum: null, reach: null },
  ...{ nts: false, authenticated: false },
};
const observing = { kind: "observe", because: "no_capability", daemon: null } as const;

const input = (change: Partial<SummaryInput>): SummaryInput => ({
  ...{ mode: { kind: "discipline" }, sync: agreed, state: "synchronised", report: null },
  ...{ conflict: null, lack: null, blocker: null },
  ...change,
});

/** One input for each code, and the facts that go with it. */
const cases: readonly [Partial<SummaryInput>, Partial<ClockSummary> & Pick<ClockSummary, "code">][] = [
  [{ mode: null }, { code: "not_measured" }],
  [{ sync: notSynced, state: "acquiring" }, { code: "acquiring" }],
  [{}, { code: "synchronised" }],
  [
    { sync: after({ kind: "agreed" }, { ...right, trust: "accepted", agreeing: 2, configured: 5 }) },
    { code: "synchronised", agreeing: 2, configured: 5, needed: 3 },
  ],
  [
    { mode: observing, lack: 3 },
    {
      code: "host_not_corrected",
      not_set: {
        ...{ code: "no_capability", offset_seconds: 3 },
        detail:
          "The host's own clock is measured and not set: the agent does not have the right to set it (CAP_SYS_TIME). It is 3.00 s behind; sign-in makes up for that.",
      },
    },
  ],
  [
    { mode: { kind: "manual" }, blocker: "not_asked_to", state: "manual" },
    {
      code: "manual",
      not_set: {
        ...{ code: "not_asked_to", offset_seconds: null },
        detail:
          "The host's own clock is not set: the agent was started without --steer-clock, which steward-timekeeper adds.",
      },
    },
  ],
  [{ sync: notSynced, state: "manual" }, { code: "set_by_hand" }],
  [
    { mode: { kind: "observe", because: "external_change", daemon: null }, conflict: stepped },
    { code: "conflict" },
  ],
  [{ mode: { kind: "delegate", daemon: "chronyd" } }, { code: "daemon_not_read", daemon: "chronyd" }],
  [
    {
      mode: { kind: "delegate", daemon: "chronyd" },
      report: {
        ...reportOfKernel(true, { code: "no_answer", cause: "506 Cannot talk to daemon" }),
        sources: [
          { ...source, state: "selected" },
          { ...source, state: "unreachable" },
        ],
      },
    },
    {
      ...{ code: "daemon_synchronised", daemon: "chronyd", agreeing: 1, configured: 2, needed: 2 },
      daemon_trouble: {
        ...{ code: "no_answer", cause: "506 Cannot talk to daemon" },
        detail:
          "chronyc gets no answer (506 Cannot talk to daemon): the state of chronyd is not known. Its command port has to be open on 127.0.0.1: remove “cmdport 0” from its configuration.",
      },
    },
  ],
  [
    { mode: { kind: "delegate", daemon: "systemd-timesyncd" }, report: reportOfKernel(false, null) },
    { code: "daemon_unsynchronised", daemon: "systemd-timesyncd" },
  ],
  [
    { sync: after({ kind: "to_be_confirmed", seconds: -7 }, right), state: "holdover" },
    { code: "to_be_confirmed", offset_seconds: -7 },
  ],
  [{ sync: after({ kind: "no_servers" }), state: "unsynchronised" }, { code: "no_servers" }],
  [
    { sync: after({ kind: "no_time_source", refusal: null }, right), state: "holdover" },
    { code: "no_time_source", runs_on: true },
  ],
  [{ sync: after({ kind: "no_majority" }), state: "unsynchronised" }, { code: "no_majority" }],
  [
    { sync: after({ kind: "too_few", agreeing: 1, needed: 2 }), state: "unsynchronised" },
    { code: "too_few", agreeing: 1, needed: 2 },
  ],
  [
    {
      sync: after({ kind: "too_few_authenticated", agreeing: 1, needed: 2, configured: 3 }, right),
      state: "holdover",
    },
    { code: "too_few_authenticated", agreeing: 1, needed: 2, configured: 3, runs_on: true },
  ],
  [
    {
      mode: { kind: "delegate", daemon: "chronyd" },
      report: {
        ...trustedReport(reportOfKernel(true, null), true),
        sources: [
          { ...source, nts: true, authenticated: true, state: "selected" },
          { ...source, nts: false, authenticated: false, state: "candidate" },
          { ...source, nts: false, authenticated: false, state: "candidate" },
        ],
      },
    },
    { code: "too_few_authenticated", daemon: "chronyd", agreeing: 1, needed: 2, configured: 1 },
  ],
  [
    { sync: after({ kind: "suspect", id: "ntp1.example", seconds: 9 }, right), state: "faulty" },
    { code: "suspect", server: "ntp1.example", offset_seconds: 9 },
  ],
  [
    { sync: after({ kind: "panic_threshold", seconds: 3_600 }, right), state: "faulty" },
    { code: "panic_threshold", offset_seconds: 3_600 },
  ],
  [
    { sync: after({ kind: "below_floor", measuredSeconds: 0 }), state: "faulty" },
    { code: "below_floor", measured_at: "1970-01-01T00:00:00.000Z" },
  ],
  [
    { sync: after({ kind: "beyond_ceiling", measuredSeconds: 1e15 }), state: "faulty" },
    { code: "beyond_ceiling", measured_at: null },
  ],
];

describe("the summary of the clock", () => {
  for (const [change, expected] of cases) {
    it(`is ${expected.code} with its facts, and a sentence made from them`, () => {
      const { detail, ...facts } = clockSummary(input(change));
      const { detail: _, ...none } = rescueSummary();
      assert.deepEqual(facts, { ...none, ...expected });
      assert.match(detail, /^[A-Za-z].+\.$/);
      assert.doesNotMatch(detail, /undefined|null|NaN/);
    });
  }

  it("has a case for each code of the contract", () => {
    const met = new Set(["rescue", ...cases.map(([, { code }]) => code)]);
    assert.deepEqual([...met].sort(), [...clockSummaryCodes].sort());
  });

  it("says that authenticated_only holds the clock, and of how many servers", () => {
    const few = { kind: "too_few_authenticated", agreeing: 2, needed: 3, configured: 5 } as const;
    const detail =
      "Only 2 of the 5 authenticated time servers agree, and 3 must agree; time.authenticated_only refuses the others, so the clock is held. Add servers, or check why the others are silent.";
    assert.equal(clockSummary(input({ sync: after(few) })).detail, detail);
    const { kind, ...facts } = few;
    const trouble = troubleOf(null, after(few));
    assert.deepEqual([trouble?.code, trouble?.facts, trouble?.detail], [`clock_${kind}`, facts, detail]);
  });

  it("gives the numbers behind a time that is accepted and not trusted", () => {
    const few = { ...right, trust: "accepted", agreeing: 2, configured: 5 } as const;
    assert.equal(
      clockSummary(input({ sync: after({ kind: "agreed" }, few) })).detail,
      "The clock is right. 2 of 5 configured servers agree: the time is accepted, and trusted only when 3 agree. Check why the others are silent or differ.",
    );
  });
});

describe("the trouble of the clock", () => {
  it("is an external change first, with the facts that it speaks of", () => {
    assert.deepEqual(troubleOf(stepped, after({ kind: "no_majority" })), {
      ...{
        code: "clock_stepped_externally",
        detail: `${stepped.detail} Steward only measures the clock meanwhile. Find the cause, or choose another time.mode.`,
        facts: { step_seconds: 2 },
      },
      ...{ level: "attention", remedy: null },
    });
  });

  it("is what the sources say, else nothing", () => {
    const trouble = troubleOf(null, after({ kind: "too_few", agreeing: 1, needed: 2 }));
    assert.deepEqual([trouble?.code, trouble?.facts], ["clock_too_few_agree", { agreeing: 1, needed: 2 }]);
    for (const verdict of [
      null,
      { kind: "agreed" },
      { kind: "no_servers" },
      { kind: "to_be_confirmed", seconds: 1 },
    ] as const) {
      assert.equal(troubleOf(null, { ...after({ kind: "agreed" }), verdict }), null);
    }
  });

  it("is that less than half of the servers agree, where there are others", () => {
    const byVotes = (agreeing: number, configured: number) => {
      const trust = agreeing > configured / 2 ? "trusted" : "accepted";
      return troubleOf(null, after({ kind: "agreed" }, { ...right, trust, agreeing, configured }));
    };
    const trouble = byVotes(3, 8);
    assert.deepEqual(
      [trouble?.code, trouble?.facts],
      ["clock_minority_agrees", { agreeing: 3, configured: 8, needed: 5 }],
    );
    assert.match(trouble?.detail ?? "", /^3 of 8 configured servers agree: .* trusted only when 5 agree/);
    assert.equal(byVotes(5, 8), null);
    assert.equal(byVotes(1, 1), null);
    const silent = troubleOf(
      null,
      after(
        { kind: "no_time_source", refusal: null },
        { ...right, trust: "accepted", agreeing: 3, configured: 8 },
      ),
    );
    assert.equal(silent?.code, "clock_no_time_source");
  });
});

describe("the lag of the host's clock", () => {
  it("is the same for two readings that differ by the precision of floating point, and none where it does not show", () => {
    assert.equal(lackOf(-0.007784366607666016), lackOf(-0.007784128189086914));
    assert.deepEqual([0.0009, 0.0123, -3600.25].map(lackOf), [null, 0.0123, -3600.25]);
  });
});

describe("the reason of a source", () => {
  it("has words of its own for each code", () => {
    const words = sourceReasonCodes.map((code) => reasonWithDetail({ code, cause: null }, null).detail);
    assert.equal(new Set(words).size, sourceReasonCodes.length);
  });

  it("names what a kiss or the system said, and that a source is still used", () => {
    const denied = reasonWithDetail({ code: "kiss_denied", cause: "DENY" }, "kod");
    assert.equal(denied.detail, "it refuses this device (DENY)");
    const silent = reasonWithDetail({ code: "timeout", cause: null }, "selected");
    assert.equal(silent.detail, "no answer within 5 s at the last poll");
    const outvoted = reasonWithDetail({ code: "too_few_agree", cause: null }, "candidate");
    assert.equal(outvoted.detail, "ignored because too few others agree");
  });
});
