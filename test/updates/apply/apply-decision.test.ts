import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SetAsideRelease } from "../../../src/releases/journal-queries.ts";
import {
  type ApplySituation,
  applyHindranceOf,
  decideApplying,
} from "../../../src/updates/apply/apply-decision.ts";
import { binary, good as circumstances, rules } from "../example-releases.ts";

const { now } = circumstances;
const later = new Date("2026-11-20T14:00:00Z");
const latest = new Date("2026-11-21T02:00:00Z");

const good: ApplySituation = {
  circumstances,
  unreadable: null,
  isSetUp: () => true,
  windows: { isOpen: true, opensAt: null },
  postponed: new Map(),
  refused: new Map(),
  busy: null,
};

type Change = Partial<Omit<ApplySituation, "circumstances">> & Partial<ApplySituation["circumstances"]>;

function situation({ blocked, ota, isTrustEstablished, isClockTrusted, setAside, ...rest }: Change) {
  const given = { blocked, ota, isTrustEstablished, isClockTrusted, setAside };
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...good, ...rest, circumstances: { ...good.circumstances, ...changed } };
}

const kindOf = (change: Change, release = rules) =>
  applyHindranceOf(release, situation(change))?.kind ?? null;

const aside = (
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

const closed = { isOpen: false, opensAt: latest };
const { ota } = good.circumstances;

describe("what is applied unasked", () => {
  it("are rules before a binary, one at a time", () => {
    assert.equal(decideApplying([binary, rules], good).apply, rules);
    assert.equal(decideApplying([binary], good).apply, binary);
    assert.equal(decideApplying([], good).apply, null);
  });

  it("is the binary where the rules have to wait", () => {
    const postponed = new Map([[rules.id, later]]);
    assert.equal(decideApplying([rules, binary], { ...good, postponed }).apply, binary);
  });

  it("is looked at again when the first hindrance ends", () => {
    const postponed = new Map([[rules.id, later]]);
    const decision = decideApplying([rules, binary], { ...good, postponed, windows: closed });
    assert.deepEqual(decision, { apply: null, again: later });
  });

  it("is not looked at again for what does not end by itself", () => {
    assert.deepEqual(decideApplying([rules], { ...good, busy: "demo is being tried" }), {
      apply: null,
      again: null,
    });
  });
});

describe("what stands in the way of applying unasked", () => {
  it("is nothing where all is well", () => assert.deepEqual([kindOf({}), kindOf({}, binary)], [null, null]));

  const cases: [string, Change, string][] = [
    ["a journal that cannot be read, before all else", { unreadable: "No.", blocked: "No." }, "unreadable"],
    ["what blocks everything", { blocked: "No.", setAside: aside("failed") }, "blocked"],
    ["that it failed here", { setAside: aside("failed"), isSetUp: () => false }, "failed"],
    ["a host file that says nothing of it", { isSetUp: () => false, busy: "x" }, "not_set_up"],
    ["that somebody rolled it back", { setAside: aside("held") }, "held"],
    ["that it is deferred", { setAside: aside("deferred", later) }, "held"],
    ["a setting that is off", { ota: { ...ota, auto_update_rules: false } }, "not_automatic"],
    ["a schedule that is off", { ota: { ...ota, enabled: false } }, "not_automatic"],
    ["a clock that nobody vouches for", { isClockTrusted: false, windows: closed }, "clock"],
    [
      "root's side, which did not take it",
      { refused: new Map([[rules.id, { text: "No", until: later }]]) },
      "refused",
    ],
    ["somebody who postponed it", { postponed: new Map([[rules.id, later]]), windows: closed }, "postponed"],
    ["a window that is closed", { windows: closed, busy: "x" }, "window"],
    ["something that is under way", { busy: "demo is being tried" }, "busy"],
  ];
  for (const [name, change, kind] of cases) it(`is ${name}`, () => assert.equal(kindOf(change), kind));

  it("is a trust that is not established, for binaries alone", () => {
    assert.equal(kindOf({ isTrustEstablished: false }, binary), "not_automatic");
    assert.equal(kindOf({ isTrustEstablished: false }), null);
  });

  it("is a wave to come, also of what lies here already", () =>
    assert.equal(kindOf({}, { ...rules, due_at: latest.toISOString() }), "wave"));

  it("is no window for what is urgent, and a postponement all the same", () => {
    const urgent = { ...rules, urgent: true };
    assert.equal(kindOf({ windows: closed }, urgent), null);
    assert.equal(kindOf({ postponed: new Map([[rules.id, later]]) }, urgent), "postponed");
  });

  it("is no postponement that is over, nor one of another release", () => {
    assert.equal(kindOf({ postponed: new Map([[rules.id, now]]) }), null);
    assert.equal(kindOf({ postponed: new Map([[binary.id, later]]) }), null);
  });

  it("says when it ends, where that is known", () => {
    const untilOf = (change: Change) => applyHindranceOf(rules, situation(change))?.until ?? null;
    assert.deepEqual(untilOf({ windows: closed }), latest);
    assert.deepEqual(untilOf({ setAside: aside("deferred", later) }), later);
    assert.deepEqual(untilOf({ setAside: aside("held") }), null);
    assert.deepEqual(untilOf({ isClockTrusted: false }), null);
  });
});
