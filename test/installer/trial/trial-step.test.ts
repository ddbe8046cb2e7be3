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
const facts: TrialFacts = {
  bootId: "boot-1",
  uptime: 200,
  order: null,
  isOvertaken: false,
  isResumed: false,
};
const failed = { outcome: "failed", reason: "It did not become healthy in time.", log: [] } as const;

const step = (trial: Partial<Trial>, other: Partial<TrialFacts> = {}) =>
  nextStep({ ...fresh, ...trial }, { ...facts, ...other });

describe("the next step of a trial", () => {
  it("drops what was cut short before anything was changed", () => {
    assert.deepEqual(step({ phase: "installing" }), { kind: "drop" });
    assert.deepEqual(step({ phase: "installing" }, { bootId: "boot-2" }), { kind: "drop" });
  });

  it("goes forward from where it stands", () => {
    assert.equal(step({ phase: "switching" }).kind, "switch");
    assert.equal(step({ phase: "activating" }).kind, "activate");
    assert.equal(step({ phase: "confirming" }).kind, "watch");
  });

  it("commits after so many healthy answers in a row, at the very deadline too", () => {
    const health = { ...fresh.health, successes: 3 };
    assert.equal(step({ health }).kind, "commit");
    assert.equal(step({ health }, { uptime: 401 }).kind, "commit");
  });

  it("undoes a release that is not healthy by its deadline, and gives the last health check", () => {
    const found = step({}, { uptime: 400 });
    assert.ok(found.kind === "undo", "not undone");
    assert.equal(found.outcome, "failed");
    assert.deepEqual([found.cause.code, found.cause.last_answer], ["not_healthy_in_time", fresh.health.last]);
    assert.equal(step({}, { uptime: 399.9 }).kind, "watch");
  });

  it("a deadline that has passed without a watch gives it its time again, once", () => {
    assert.equal(step({}, { uptime: 400, isResumed: true }).kind, "watch-anew");
    assert.equal(step({ crashes: 3 }, { uptime: 400, isResumed: true }).kind, "undo");
    const health = { ...fresh.health, successes: 3 };
    assert.equal(step({ health }, { uptime: 400, isResumed: true }).kind, "commit");
  });

  it("undoes what has ended uncleanly three times, not what has twice", () => {
    assert.equal(step({ crashes: mostCrashes }).kind, "undo");
    assert.equal(step({ crashes: mostCrashes - 1 }).kind, "watch");
  });

  it("a healthy row does not make up for three unclean exits", () => {
    assert.equal(step({ crashes: 3, health: { ...fresh.health, successes: 3 } }).kind, "undo");
  });

  it("a boot within the watch is counted, and the fourth one is not tried any more", () => {
    assert.equal(step({ boots: 1 }, { bootId: "boot-2" }).kind, "count-boot");
    assert.equal(step({ boots: mostBoots - 1 }, { bootId: "boot-2" }).kind, "count-boot");
    const found = step({ boots: mostBoots }, { bootId: "boot-2" });
    assert.ok(found.kind === "undo" && found.outcome === "deferred", JSON.stringify(found));
  });

  it("the deadline of another boot says nothing", () => {
    assert.equal(step({}, { bootId: "boot-2", uptime: 1e6 }).kind, "count-boot");
    assert.equal(
      step({ boot_id: "boot-2", deadline_uptime: null }, { bootId: "boot-2", uptime: 1e6 }).kind,
      "watch",
    );
  });

  it("root's word goes before health, in both directions", () => {
    assert.equal(step({}, { order: "confirm" }).kind, "commit");
    assert.equal(step({ crashes: 3 }, { order: "confirm" }).kind, "commit");
    const found = step({ health: { ...fresh.health, successes: 3 } }, { order: "abort" });
    assert.ok(found.kind === "undo" && found.outcome === "aborted", JSON.stringify(found));
  });

  it("undoes a release whose package has come meanwhile, however healthy it looks, and goes on with a way back", () => {
    for (const phase of ["switching", "activating", "confirming"] as const) {
      const found = step({ phase }, { isOvertaken: true, order: "confirm" });
      assert.ok(found.kind === "undo" && found.outcome === "aborted", JSON.stringify(found));
      assert.equal(found.cause.code, "overtaken");
    }
    assert.equal(step({ undo: failed, phase: "undoing" }, { isOvertaken: true }).kind, "switch-back");
  });

  it("does not confirm a release that is not at work yet", () => {
    assert.equal(step({ phase: "switching" }, { order: "confirm" }).kind, "switch");
    assert.equal(step({ phase: "activating" }, { order: "confirm" }).kind, "activate");
  });

  it("goes back step by step, and no order turns it round", () => {
    const back = { undo: failed } as const;
    assert.equal(step({ ...back, phase: "undoing" }).kind, "switch-back");
    assert.equal(step({ ...back, phase: "reactivating" }).kind, "reactivate");
    assert.equal(step({ ...back, phase: "recovering" }).kind, "watch-former");
    assert.equal(step({ ...back, phase: "recovering" }, { order: "confirm" }).kind, "watch-former");
  });

  it("ends the way back whatever the former release is like, and says which", () => {
    const back = { undo: failed, phase: "recovering" } as const;
    const health = { ...fresh.health, successes: 3 };
    assert.deepEqual(step({ ...back, health }), { kind: "finish", isHealthy: true });
    assert.deepEqual(step(back, { uptime: 400 }), { kind: "finish", isHealthy: false });
    const few = { ...fresh.health, successes: 1 };
    assert.deepEqual(step({ ...back, health: few }, { uptime: 400 }), { kind: "finish", isHealthy: true });
  });

  it("watches the former release anew after a boot, as often as it takes", () => {
    const back = { undo: failed, phase: "recovering", boots: 50 } as const;
    assert.equal(step(back, { bootId: "boot-2" }).kind, "count-boot");
  });
});

describe("the next step of any trial", () => {
  const trials = fc.record({
    release: fc.constant(fresh.release),
    phase: fc.constantFrom(...trialPhases),
    begun_at: fc.constant(fresh.begun_at),
    begun_uptime: fc.constant(0),
    boot_id: fc.constantFrom("boot-1", "boot-2"),
    boots: fc.integer({ min: 1, max: 6 }),
    crashes: fc.integer({ min: 0, max: 5 }),
    deadline_uptime: fc.option(fc.integer({ min: 0, max: 10 })),
    health: fc.record({
      successes: fc.integer({ min: 0, max: 4 }),
      needed: fc.constant(3),
      last: fc.constant(null),
      at: fc.constant(null),
    }),
    undo: fc.option(fc.constant(failed)),
  });
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
