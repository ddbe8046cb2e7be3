import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  mostBoots,
  mostCrashes,
  nextStep,
  type TrialFacts,
  takesLong,
} from "../../../src/installer/trial/trial-step.ts";
import type { Trial } from "../../../src/releases/release-journal.ts";
import { trialPhases } from "../../../src/releases/release-journal-schema.ts";

const fresh: Trial = {
  release: { id: "0123456789abcdef0123456789abcdef", name: "pump", version: "1.2.0" },
  phase: "confirming",
  begun_at: "2026-11-20T12:00:00.000Z",
  begun_uptime: 100,
  boot_id: "boot-1",
  boots: 1,
  crashes: 0,
  deadline_uptime: 400,
  health: { successes: 0, needed: 3, last: "pump.service is not active", at: null },
  undo: null,
};
const unasked = { order: null, isOvertaken: false, isResumed: false };
const facts: TrialFacts = { bootId: "boot-1", uptime: 200, ...unasked };
const failed = { outcome: "failed", reason: "It did not become healthy in time.", log: [] } as const;

const step = (trial: Partial<Trial>, other: Partial<TrialFacts> = {}) =>
  nextStep({ ...fresh, ...trial }, { ...facts, ...other });

const well = { ...fresh.health, successes: 3 };
const few = { ...fresh.health, successes: 1 };
const boot = { bootId: "boot-2" };
const back = (phase: Trial["phase"], more: Partial<Trial> = {}) => ({ undo: failed, phase, ...more });

/** A trial, what is known beside it, and the step, with its outcome and cause. */
const rows: readonly (readonly [name: string, Partial<Trial>, Partial<TrialFacts>, step: string])[] = [
  ["drops what was cut short before anything was changed", { phase: "installing" }, {}, "drop"],
  ["also after a boot", { phase: "installing" }, boot, "drop"],
  ["goes forward: the link", { phase: "switching" }, {}, "switch"],
  ["goes forward: to work", { phase: "activating" }, {}, "activate"],
  ["goes forward: its health", { phase: "confirming" }, {}, "watch"],
  ["commits after so many healthy answers in a row", { health: well }, {}, "commit"],
  ["at the very deadline too", { health: well }, { uptime: 401 }, "commit"],
  ["undoes what is not healthy by its deadline", {}, { uptime: 400 }, "undo failed not_healthy_in_time"],
  ["and not before", {}, { uptime: 399.9 }, "watch"],
  ["gives a deadline without a watch its time again", {}, { uptime: 400, isResumed: true }, "watch-anew"],
  ["not to what has crashed", { crashes: 3 }, { uptime: 400, isResumed: true }, "undo failed unclean_exits"],
  ["nor where it is healthy", { health: well }, { uptime: 400, isResumed: true }, "commit"],
  ["undoes what has ended uncleanly three times", { crashes: mostCrashes }, {}, "undo failed unclean_exits"],
  ["not what has twice", { crashes: mostCrashes - 1 }, {}, "watch"],
  ["whatever its health", { crashes: 3, health: well }, {}, "undo failed unclean_exits"],
  ["counts a boot within the watch", { boots: 1 }, boot, "count-boot"],
  ["up to the third", { boots: mostBoots - 1 }, boot, "count-boot"],
  ["and tries the fourth one no more", { boots: mostBoots }, boot, "undo deferred restarts"],
  ["does not go by the deadline of another boot", {}, { ...boot, uptime: 1e6 }, "count-boot"],
  ["which has none", { boot_id: "boot-2", deadline_uptime: null }, { ...boot, uptime: 1e6 }, "watch"],
  ["puts root's word before health", {}, { order: "confirm" }, "commit"],
  ["and before crashes", { crashes: 3 }, { order: "confirm" }, "commit"],
  ["in both directions", { health: well }, { order: "abort" }, "undo aborted aborted_by_root"],
  ...(["switching", "activating", "confirming"] as const).map((phase) => {
    const facts = { isOvertaken: true, order: "confirm" } as const;
    return ["undoes what a package has overtaken", { phase }, facts, "undo aborted overtaken"] as const;
  }),
  ["goes on with a way back then", back("undoing"), { isOvertaken: true }, "switch-back"],
  ["confirms nothing that is not linked", { phase: "switching" }, { order: "confirm" }, "switch"],
  ["nor what is not at work", { phase: "activating" }, { order: "confirm" }, "activate"],
  ["goes back step by step: the link", back("undoing"), {}, "switch-back"],
  ["goes back step by step: to work", back("reactivating"), {}, "reactivate"],
  ["goes back step by step: its health", back("recovering"), {}, "watch-former"],
  ["and no order turns it round", back("recovering"), { order: "confirm" }, "watch-former"],
  ["ends the way back: well", back("recovering", { health: well }), {}, "finish true"],
  ["ends the way back: not well", back("recovering"), { uptime: 400 }, "finish false"],
  ["ends the way back: once", back("recovering", { health: few }), { uptime: 400 }, "finish true"],
  ["watches the former release as often as it takes", back("recovering", { boots: 50 }), boot, "count-boot"],
];

describe("the next step of a trial", () => {
  for (const [name, trial, present, expected] of rows)
    it(`${name}: ${expected}`, () => {
      const found = step(trial, present);
      const undo = found.kind === "undo" ? [found.outcome, found.cause.code] : [];
      const isHealthy = found.kind === "finish" ? [found.isHealthy] : [];
      assert.equal([found.kind, ...undo, ...isHealthy].join(" "), expected);
    });

  it("gives the last health check of what was not healthy in time", () => {
    const found = step({}, { uptime: 400 });
    assert.equal(found.kind === "undo" && found.cause.last_answer, fresh.health.last);
  });
});

describe("the next step of any trial", () => {
  const changes = fc.record({
    phase: fc.constantFrom(...trialPhases),
    boot_id: fc.constantFrom("boot-1", "boot-2"),
    boots: fc.integer({ min: 1, max: 6 }),
    crashes: fc.integer({ min: 0, max: 5 }),
    deadline_uptime: fc.option(fc.integer({ min: 0, max: 10 })),
    health: fc.integer({ min: 0, max: 4 }).map((successes) => ({ ...fresh.health, successes })),
    undo: fc.option(fc.constant(failed)),
  });
  const trials = changes.map((change): Trial => ({ ...fresh, ...change }));
  const anyFacts = fc.record({
    bootId: fc.constantFrom("boot-1", "boot-2"),
    uptime: fc.integer({ min: 0, max: 20 }),
    isOvertaken: fc.boolean(),
    isResumed: fc.boolean(),
    order: fc.option(fc.constantFrom("confirm" as const, "abort" as const)),
  });

  it("never commits a release that is being undone, and never watches beyond the deadline", () => {
    fc.assert(
      fc.property(trials, anyFacts, (trial, present) => {
        const { kind } = nextStep(trial, present);
        if (trial.undo !== null) assert.ok(kind !== "commit" && kind !== "undo", kind);
        const isOver = trial.deadline_uptime !== null && present.uptime >= trial.deadline_uptime;
        if (isOver && trial.boot_id === present.bootId) assert.notEqual(kind, "watch");
      }),
    );
  });

  it("at a boot, nothing that takes long comes before the boot is counted", () => {
    fc.assert(
      fc.property(trials, anyFacts, (trial, present) => {
        if (trial.boot_id === present.bootId || trial.phase === "installing") return;
        assert.equal(takesLong(nextStep(trial, present)), false);
      }),
    );
  });
});
