import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type DaemonReport,
  type DaemonSource,
  reportOfKernel,
  trustedReport,
} from "../../../src/clock/daemons/external-daemon.ts";
import type { ObserveReason } from "../../../src/clock/state/mode.ts";
import { notSynced, type Synced, type SyncState } from "../../../src/clock/state/sync-state.ts";
import type { Verdict } from "../../../src/clock/state/verdict.ts";
import { reasonWithDetail } from "../../../src/clock/status/details.ts";
import { clockSummary, lackOf, rescueSummary, type SummaryInput } from "../../../src/clock/status/summary.ts";
import { troubleOf } from "../../../src/clock/status/trouble.ts";
import { sourceReasonCodes } from "../../../src/contract/clock-states.ts";
import { clockSummaryCodes } from "../../../src/contract/schemas/clock.ts";
import type { ClockConflict, ClockSummary } from "../../../src/contract/types.ts";
import type { TimeDaemon } from "../../../src/host/ports.ts";

const right: Synced = {
  ...{ trust: "trusted", isAuthenticated: false, agreeing: 4, configured: 4 },
  ...{ atMonotonic: 0, at: new Date(0), uncertaintySeconds: 0.01, jitterSeconds: 0.001, growth: 15e-6 },
};
const fewer: Synced = { ...right, trust: "accepted", agreeing: 2, configured: 5 };
const after = (verdict: Verdict, synced: Synced | null = null): SyncState => ({
  ...{ verdict, synced, setByHandAt: null },
});
const stepped: ClockConflict = {
  ...{ code: "clock_stepped", daemon: null, step_seconds: 2, frequency_ppm: null },
  detail: "Another program or person set the clock forward by 2.00 s.",
};
const source = (state: DaemonSource["state"], isAuthenticated = false): DaemonSource => ({
  ...{ id: "a", host: "a", address: null, state, reason: null, offset_seconds: null, delay_seconds: null },
  ...{ uncertainty_seconds: null, jitter_seconds: null, stratum: null, reach: null },
  ...{ nts: isAuthenticated, authenticated: isAuthenticated },
});

const input = (change: Partial<SummaryInput>): SummaryInput => ({
  ...{ mode: { kind: "discipline" }, sync: after({ kind: "agreed" }, right), state: "synchronised" },
  ...{ report: null, conflict: null, lack: null, blocker: null, ...change },
});

type Case = readonly [Partial<SummaryInput>, Partial<ClockSummary> & Pick<ClockSummary, "code">];

/** A clock that the agent steers, after this verdict: the code is the verdict's word. */
const own = (
  verdict: Verdict & { kind: ClockSummary["code"] },
  facts: Partial<ClockSummary>,
  synced: Synced | null = null,
): Case => [
  { sync: after(verdict, synced), state: synced ? "holdover" : "unsynchronised" },
  { code: verdict.kind, ...facts },
];

const observe = (because: ObserveReason): Partial<SummaryInput> => ({
  mode: { kind: "observe", because, daemon: null },
});
const delegate = (daemon: TimeDaemon, report: DaemonReport | null = null): Partial<SummaryInput> => ({
  mode: { kind: "delegate", daemon },
  report,
});

const held = { agreeing: 1, needed: 2, configured: 3 };

/** One input for each code, and the facts that go with it. */
const cases: readonly Case[] = [
  [{ mode: null }, { code: "not_measured" }],
  [{ sync: notSynced, state: "acquiring" }, { code: "acquiring" }],
  [{}, { code: "synchronised" }],
  [
    { sync: after({ kind: "agreed" }, fewer) },
    { code: "synchronised", ...{ agreeing: 2, configured: 5, needed: 3 } },
  ],
  [
    { ...observe("no_capability"), lack: 3 },
    {
      code: "host_not_corrected",
      not_set: {
        code: "no_capability",
        offset_seconds: 3,
        detail:
          "The host's own clock is measured and not set: the agent does not have the right to set it (CAP_SYS_TIME). It is 3.00 s behind; sign-in allows for that.",
      },
    },
  ],
  [
    { mode: { kind: "manual" }, blocker: "not_asked_to", state: "manual" },
    {
      code: "manual",
      not_set: {
        code: "not_asked_to",
        offset_seconds: null,
        detail:
          "The host's own clock is not set: the agent was started without --steer-clock, which steward-timekeeper adds.",
      },
    },
  ],
  [{ sync: notSynced, state: "manual" }, { code: "set_by_hand" }],
  [{ ...observe("external_change"), conflict: stepped }, { code: "conflict" }],
  [delegate("chronyd"), { code: "daemon_not_read", daemon: "chronyd" }],
  [
    delegate("chronyd", {
      ...reportOfKernel(true, { code: "no_answer", cause: "506 Cannot talk to daemon" }),
      sources: [source("selected"), source("unreachable")],
    }),
    {
      code: "daemon_synchronised",
      daemon: "chronyd",
      agreeing: 1,
      configured: 2,
      needed: 2,
      daemon_trouble: {
        code: "no_answer",
        cause: "506 Cannot talk to daemon",
        detail:
          "chronyc gets no answer (506 Cannot talk to daemon): the state of chronyd is not known. Its command port has to be open on 127.0.0.1: remove “cmdport 0” from its configuration.",
      },
    },
  ],
  [
    delegate("systemd-timesyncd", reportOfKernel(false, null)),
    { code: "daemon_unsynchronised", daemon: "systemd-timesyncd" },
  ],
  [
    delegate("chronyd", {
      ...trustedReport(reportOfKernel(true, null), true),
      sources: [source("selected", true), source("candidate"), source("candidate")],
    }),
    { code: "too_few_authenticated", daemon: "chronyd", agreeing: 1, needed: 2, configured: 1 },
  ],
  own({ kind: "to_be_confirmed", seconds: -7 }, { offset_seconds: -7 }, right),
  own({ kind: "no_servers" }, {}),
  own({ kind: "no_time_source", refusal: null }, { runs_on: true }, right),
  own({ kind: "no_majority" }, {}),
  own({ kind: "too_few", agreeing: 1, needed: 2 }, { agreeing: 1, needed: 2 }),
  own({ kind: "too_few_authenticated", ...held }, { ...held, runs_on: true }, right),
  own({ kind: "suspect", id: "ntp1.example", seconds: 9 }, { server: "ntp1.example", offset_seconds: 9 }),
  own({ kind: "panic_threshold", seconds: 3_600 }, { offset_seconds: 3_600 }),
  [
    { sync: after({ kind: "panic_threshold", seconds: 3_600 }, right), state: "faulty" },
    { code: "panic_threshold", offset_seconds: 3_600 },
  ],
  own({ kind: "below_floor", measuredSeconds: 0 }, { measured_at: "1970-01-01T00:00:00.000Z" }),
  own({ kind: "beyond_ceiling", measuredSeconds: 1e15 }, { measured_at: null }),
];

describe("the summary of the clock", () => {
  for (const [change, expected] of cases)
    it(`is ${expected.code} with its facts, and a sentence made from them`, () => {
      const { detail, ...facts } = clockSummary(input(change));
      const { detail: _, ...none } = rescueSummary();
      assert.deepEqual(facts, { ...none, ...expected });
      assert.match(detail, /^[A-Za-z].+\.$/);
      assert.doesNotMatch(detail, /undefined|null|NaN/);
    });

  it("has a case for each code of the contract", () => {
    const met = new Set(["rescue", ...cases.map(([, { code }]) => code)]);
    assert.deepEqual([...met].sort(), [...clockSummaryCodes].sort());
  });

  it("gives the numbers behind a clock that is held, and behind a time that is accepted and not trusted", () => {
    const few = { kind: "too_few_authenticated", agreeing: 2, needed: 3, configured: 5 } as const;
    const detail =
      "Only 2 of the 5 authenticated time servers agree, and 3 must agree; time.authenticated_only refuses the others, so the clock is held. Add servers, or check why the others are silent.";
    assert.equal(clockSummary(input({ sync: after(few) })).detail, detail);
    const { kind, ...facts } = few;
    const trouble = troubleOf(null, after(few));
    assert.deepEqual([trouble?.code, trouble?.facts, trouble?.detail], [`clock_${kind}`, facts, detail]);
    assert.equal(
      clockSummary(input({ sync: after({ kind: "agreed" }, fewer) })).detail,
      "The clock is right. 2 of 5 configured servers agree: the time is accepted, and trusted only when 3 agree. Check why the others are silent or differ.",
    );
  });
});

describe("the trouble of the clock", () => {
  it("is an external change first, with the facts that it speaks of", () => {
    assert.deepEqual(troubleOf(stepped, after({ kind: "no_majority" })), {
      code: "clock_stepped_externally",
      detail: `${stepped.detail} Steward only measures the clock meanwhile. Find the cause, or choose another time.mode.`,
      facts: { step_seconds: 2 },
      level: "attention",
      remedy: null,
    });
  });

  const votes = (agreeing: number, configured: number): Synced => {
    const trust = agreeing > configured / 2 ? "trusted" : "accepted";
    return { ...right, trust, agreeing, configured };
  };
  const minority = { agreeing: 3, configured: 8, needed: 5 };
  const rows: readonly (readonly [Verdict | null, Synced | null, code: string | null, facts?: object])[] = [
    [{ kind: "too_few", agreeing: 1, needed: 2 }, null, "clock_too_few_agree", { agreeing: 1, needed: 2 }],
    [null, null, null],
    [{ kind: "agreed" }, null, null],
    [{ kind: "no_servers" }, null, null],
    [{ kind: "to_be_confirmed", seconds: 1 }, null, null],
    [{ kind: "agreed" }, votes(3, 8), "clock_minority_agrees", minority],
    [{ kind: "agreed" }, votes(5, 8), null],
    [{ kind: "agreed" }, votes(1, 1), null],
    [{ kind: "no_time_source", refusal: null }, votes(3, 8), "clock_no_time_source", { server: "" }],
  ];
  for (const [verdict, synced, code, facts = null] of rows)
    it(`is ${code} after ${verdict?.kind}, with ${synced?.agreeing} of ${synced?.configured} servers`, () => {
      const trouble = troubleOf(null, { verdict, synced });
      assert.deepEqual([trouble?.code ?? null, trouble?.facts ?? null], [code, facts]);
    });
});

it("the lag of the host's clock is none where it does not show, and the same within the precision of floating point", () => {
  assert.equal(lackOf(-0.007784366607666016), lackOf(-0.007784128189086914));
  assert.deepEqual([0.0009, 0.0123, -3600.25].map(lackOf), [null, 0.0123, -3600.25]);
});

it("the reason of a source has words for each code, names its cause, and says that it is still used", () => {
  const words = sourceReasonCodes.map((code) => reasonWithDetail({ code, cause: null }, null).detail);
  assert.equal(new Set(words).size, sourceReasonCodes.length);
  for (const [code, cause, state, detail] of [
    ["kiss_denied", "DENY", "kod", "it refuses this device (DENY)"],
    ["timeout", null, "selected", "no answer within 5 s at the last poll"],
    ["too_few_agree", null, "candidate", "ignored because too few others agree"],
  ] as const)
    assert.equal(reasonWithDetail({ code, cause }, state).detail, detail);
});
