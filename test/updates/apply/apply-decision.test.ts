import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SetAsideRelease } from "../../../src/releases/journal-queries.ts";
import { reasonOfError } from "../../../src/releases/outcome-reasons.ts";
import {
  type ApplySituation,
  applyHoldOf,
  decideApplying,
} from "../../../src/updates/apply/apply-decision.ts";
import { type HoldConditions, holdBecause } from "../../../src/updates/facts/hold-reason.ts";
import { binary, good as conditions, rules } from "../fixture.ts";

const { now, ota } = conditions;
const later = new Date("2026-11-20T14:00:00Z");
const latest = new Date("2026-11-21T02:00:00Z");

type Change = Partial<Omit<ApplySituation, "conditions"> & HoldConditions>;

function situation(change: Change): ApplySituation {
  const free = { unreadable: null, postponed: new Map(), refused: new Map(), busy: null };
  const usual = { isConfigured: () => true, windows: { isOpen: true, opensAt: null } };
  return { ...free, ...usual, ...change, conditions: { ...conditions, ...change } };
}

const listed = (why: SetAsideRelease["why"], until: Date | null = null): Change => {
  const { id, name, version } = rules;
  const reason = { reason: "It did not answer.", until: until?.toISOString() ?? null };
  return {
    blocklist: new Map([[id, { id, kind: "rules", name, version, at: now.toISOString(), why, ...reason }]]),
  };
};
const set = (change: Partial<typeof ota>): Change => ({ ota: { ...ota, ...change } });
const postponed = (id: string, until = later): Change => ({ postponed: new Map([[id, until]]) });

const blocked: Change = { blocked: holdBecause("trust_not_installed") };
const closed: Change = { windows: { isOpen: false, opensAt: latest } };
const unreadable: Change = { unreadable: reasonOfError({ code: "state_damaged", message: "It is cut" }) };
const notSetUp: Change = { isConfigured: () => false };
const busy: Change = { busy: "demo is on trial" };
const noTrust: Change = { isTrustEstablished: false };
const noClock: Change = { isClockTrusted: false };

describe("applying without a request", () => {
  for (const [what, releases, change, apply, again = null] of [
    ["is the first of them, one at a time", [rules, binary], {}, rules],
    ["is the only one", [binary], {}, binary],
    ["is nothing where nothing is there", [], {}, null],
    ["is the binary where the rules have to wait", [rules, binary], postponed(rules.id), binary],
    [
      "is looked at again when a hold ends",
      [rules, binary],
      { ...postponed(rules.id), ...closed },
      null,
      later,
    ],
    ["is not looked at again for what only a person can end", [rules], busy, null],
  ] as [string, (typeof rules)[], Change, typeof rules | null, Date?][])
    it(what, () => {
      const decision = decideApplying(releases, situation(change));
      assert.equal(decision.apply, apply);
      if (apply === null) assert.deepEqual(decision.again, again);
    });
});

describe("a staged release is not applied without a request", () => {
  const refused: Change = { refused: new Map([[rules.id, holdBecause("refused", { until: later })]]) };
  for (const [what, change, code, until = null] of [
    ["for an unreadable journal, before all else", { ...unreadable, ...blocked }, "journal_unreadable"],
    ["for what blocks everything", { ...blocked, ...listed("failed") }, "trust_not_installed"],
    ["for its failure here", { ...listed("failed"), ...notSetUp }, "failed"],
    ["for a host file that says nothing of it", { ...notSetUp, ...busy }, "not_configured"],
    ["for its rollback", listed("held"), "held"],
    ["for its deferral", listed("deferred", later), "deferred", later],
    ["for a setting that is off", set({ auto_update_rules: false }), "not_automatic"],
    ["for a schedule that is off", set({ enabled: false }), "disabled"],
    ["for a clock that is not trusted", { ...noClock, ...closed }, "clock_not_trusted"],
    ["for a refusal of the installer", refused, "refused", later],
    ["for an administrator who postponed it", { ...postponed(rules.id), ...closed }, "postponed", later],
    ["for a window that is closed", { ...closed, ...busy }, "window", latest],
    ["for something that is under way", busy, "busy"],
  ] as [string, Change, string, Date?][])
    it(what, () => {
      const hold = applyHoldOf(rules, situation(change));
      assert.deepEqual([hold?.code, hold?.until], [code, until]);
    });

  it("by the setting that decides it, told with what it waits for", () => {
    for (const [change, words, release = rules] of [
      [unreadable, /^null The record .* nothing is applied\. It is cut\.$/],
      [notSetUp, /^null Updates .* not set up\. .* in the host file \(update\.binary\)\.$/, binary],
      [set({ enabled: false }), /^\/update\/ota\/enabled Scheduled updates are off \(update\.ota\.enabled\)/],
      [closed, /^\/update\/windows It waits .* \(update\.windows\), at 2026-11-21T02:00/],
      [postponed(rules.id), /^null It is postponed; that ends at 2026-11-20T14:00/],
      [busy, /^null It waits .*: demo is on trial\.$/],
    ] as [Change, RegExp, typeof rules?][]) {
      const { detail, setting } = applyHoldOf(release, situation(change)) ?? {};
      assert.match(`${setting} ${detail}`, words);
    }
  });

  const codeOf = (change: Change, release = rules) => applyHoldOf(release, situation(change))?.code ?? null;

  it("for nothing where all is well", () => assert.deepEqual([codeOf({}), codeOf({}, binary)], [null, null]));

  it("for a trust that is not established, of binaries alone, after what blocks everything", () => {
    const found = [codeOf(noTrust, binary), codeOf(noTrust), codeOf({ ...noTrust, ...blocked }, binary)];
    assert.deepEqual(found, ["trust_not_established", null, "trust_not_installed"]);
  });

  it("for the setting of its own kind", () => {
    assert.equal(codeOf(set({ auto_update_binary: false }), binary), "not_automatic");
    assert.equal(codeOf(set({ auto_update_binary: false })), null);
    assert.equal(codeOf(set({ auto_update_rules: false }), binary), null);
  });

  it("for a wave to come, also of what lies here already, until it has come", () => {
    assert.equal(codeOf({}, { ...rules, due_at: "2026-11-20T12:00:00.001Z" }), "wave");
    assert.equal(codeOf({}, { ...rules, due_at: "2026-11-20T12:00:00.000Z" }), null);
  });

  it("where it is urgent, for a postponement and not for a window", () => {
    const urgent = { ...rules, urgent: true };
    assert.deepEqual([codeOf(closed, urgent), codeOf(postponed(rules.id), urgent)], [null, "postponed"]);
  });

  it("is no postponement that is over, nor one of another release", () => {
    assert.deepEqual([codeOf(postponed(rules.id, now)), codeOf(postponed(binary.id))], [null, null]);
  });
});
