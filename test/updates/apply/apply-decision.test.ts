import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SetAsideRelease } from "../../../src/releases/journal-queries.ts";
import { reasonOfError } from "../../../src/releases/outcome-reasons.ts";
import {
  type ApplySituation,
  applyHoldOf,
  decideApplying,
} from "../../../src/updates/apply/apply-decision.ts";
import { holdBecause } from "../../../src/updates/facts/hold-reason.ts";
import { binary, good as conditions, rules } from "../example-releases.ts";

const { now } = conditions;
const later = new Date("2026-11-20T14:00:00Z");
const latest = new Date("2026-11-21T02:00:00Z");

const good: ApplySituation = {
  conditions,
  unreadable: null,
  isConfigured: () => true,
  windows: { isOpen: true, opensAt: null },
  postponed: new Map(),
  refused: new Map(),
  busy: null,
};

type Change = Partial<Omit<ApplySituation, "conditions">> & Partial<ApplySituation["conditions"]>;

function situation({ blocked, ota, isTrustEstablished, isClockTrusted, blocklist, ...rest }: Change) {
  const given = { blocked, ota, isTrustEstablished, isClockTrusted, blocklist };
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...good, ...rest, conditions: { ...good.conditions, ...changed } };
}

const codeOf = (change: Change, release = rules) => applyHoldOf(release, situation(change))?.code ?? null;

const listed = (
  why: SetAsideRelease["why"],
  until: Date | null = null,
): ReadonlyMap<string, SetAsideRelease> =>
  new Map([
    [
      rules.id,
      {
        ...{ id: rules.id, kind: "rules", name: "base", version: "1.2.0", at: now.toISOString() },
        ...{ why, reason: "It did not answer.", until: until?.toISOString() ?? null },
      },
    ],
  ]);

const blocked = holdBecause("trust_not_installed");
const closed = { isOpen: false, opensAt: latest };
const { ota } = good.conditions;

describe("applying without a request", () => {
  it("is the first of them, one at a time", () => {
    assert.equal(decideApplying([rules, binary], good).apply, rules);
    assert.equal(decideApplying([binary], good).apply, binary);
    assert.equal(decideApplying([], good).apply, null);
  });

  it("is the binary where the rules have to wait", () => {
    const postponed = new Map([[rules.id, later]]);
    assert.equal(decideApplying([rules, binary], { ...good, postponed }).apply, binary);
  });

  it("is looked at again when the first hold ends", () => {
    const postponed = new Map([[rules.id, later]]);
    const decision = decideApplying([rules, binary], { ...good, postponed, windows: closed });
    assert.deepEqual(decision, { apply: null, again: later });
  });

  it("plans no second look at a reason that only a person can end", () => {
    assert.deepEqual(decideApplying([rules], { ...good, busy: "demo is on trial" }), {
      apply: null,
      again: null,
    });
  });
});

describe("why a staged release is not applied without a request", () => {
  it("is nothing where all is well", () => assert.deepEqual([codeOf({}), codeOf({}, binary)], [null, null]));

  const cases: [string, Change, string][] = [
    [
      "a journal that cannot be read, before all else",
      { unreadable: reasonOfError({ code: "state_damaged", message: "No." }), blocked },
      "journal_unreadable",
    ],
    ["what blocks everything", { blocked, blocklist: listed("failed") }, "trust_not_installed"],
    ["that it failed here", { blocklist: listed("failed"), isConfigured: () => false }, "failed"],
    ["a host file that says nothing of it", { isConfigured: () => false, busy: "x" }, "not_configured"],
    ["that it was rolled back", { blocklist: listed("held") }, "held"],
    ["that it is deferred", { blocklist: listed("deferred", later) }, "deferred"],
    ["a setting that is off", { ota: { ...ota, auto_update_rules: false } }, "not_automatic"],
    ["a schedule that is off", { ota: { ...ota, enabled: false } }, "disabled"],
    ["a clock that is not trusted", { isClockTrusted: false, windows: closed }, "clock_not_trusted"],
    [
      "the installer, which refused it",
      { refused: new Map([[rules.id, holdBecause("refused", { until: later })]]) },
      "refused",
    ],
    [
      "an administrator who postponed it",
      { postponed: new Map([[rules.id, later]]), windows: closed },
      "postponed",
    ],
    ["a window that is closed", { windows: closed, busy: "x" }, "window"],
    ["something that is under way", { busy: "demo is on trial" }, "busy"],
  ];
  for (const [name, change, kind] of cases) it(`is ${name}`, () => assert.equal(codeOf(change), kind));

  it("is told with the setting that decides it, and with what it waits for", () => {
    const told = (change: Change, release = rules) => {
      const { detail = "", setting } = applyHoldOf(release, situation(change)) ?? {};
      return `${setting} ${detail}`;
    };
    const found = told({ unreadable: reasonOfError({ code: "state_damaged", message: "It is cut" }) });
    assert.match(found, /^null The record .* nothing is applied\. It is cut\.$/);
    const seen = told({ isConfigured: () => false }, binary);
    assert.match(seen, /^null Updates .* not set up\. .* in the host file \(update\.binary\)\.$/);
    const shown = told({ ota: { ...ota, enabled: false } });
    assert.match(shown, /^\/update\/ota\/enabled Scheduled updates are off \(update\.ota\.enabled\)/);
    const given = told({ windows: closed });
    assert.match(given, /^\/update\/windows It waits .* \(update\.windows\), at 2026-11-21T02:00/);
    const answers = told({ postponed: new Map([[rules.id, later]]) });
    assert.match(answers, /^null It is postponed; that ends at 2026-11-20T14:00/);
    assert.match(told({ busy: "demo is on trial" }), /^null It waits .*: demo is on trial\.$/);
  });

  it("is a trust that is not established, for binaries alone, after what blocks everything", () => {
    assert.equal(codeOf({ isTrustEstablished: false }, binary), "trust_not_established");
    assert.equal(codeOf({ isTrustEstablished: false }), null);
    assert.equal(codeOf({ isTrustEstablished: false, blocked }, binary), "trust_not_installed");
  });

  it("is the setting of its own kind", () => {
    const off = { ...ota, auto_update_rules: false, auto_update_binary: false };
    assert.equal(codeOf({ ota: off }, binary), "not_automatic");
    assert.equal(codeOf({ ota: { ...off, auto_update_rules: true } }), null);
    assert.equal(codeOf({ ota: { ...off, auto_update_binary: true } }, binary), null);
  });

  it("is a wave to come, also of what lies here already, until it has come", () => {
    for (const [due_at, code] of [
      ["2026-11-20T12:00:00.001Z", "wave"],
      ["2026-11-20T12:00:00.000Z", null],
    ])
      assert.equal(codeOf({}, { ...rules, due_at: due_at ?? null }), code);
  });

  it("does not hold an urgent release to a window, but to a postponement", () => {
    const urgent = { ...rules, urgent: true };
    assert.equal(codeOf({ windows: closed }, urgent), null);
    assert.equal(codeOf({ postponed: new Map([[rules.id, later]]) }, urgent), "postponed");
  });

  it("is no postponement that is over, nor one of another release", () => {
    assert.equal(codeOf({ postponed: new Map([[rules.id, now]]) }), null);
    assert.equal(codeOf({ postponed: new Map([[binary.id, later]]) }), null);
  });

  it("says when it ends, where that is known", () => {
    const untilOf = (change: Change) => applyHoldOf(rules, situation(change))?.until ?? null;
    assert.deepEqual(untilOf({ windows: closed }), latest);
    assert.deepEqual(untilOf({ blocklist: listed("deferred", later) }), later);
    assert.deepEqual(untilOf({ blocklist: listed("held") }), null);
    assert.deepEqual(untilOf({ isClockTrusted: false }), null);
  });
});
