import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as enBase from "../../src/console/catalogue/languages/en/base.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { type Entry, timelineOf } from "../../src/console/system/events/runs.ts";
import type { AuditEvent } from "../../src/contract/types.ts";

/** An event at a time of 20 November, or of another day, by the clock of this machine. */
function event(
  seq: number,
  at: string,
  { who = "ana", code = null as string | null, count = 1 } = {},
): AuditEvent {
  const time = new Date(at.includes("T") ? at : `2026-11-20T${at}`).toISOString();
  const type = code === null ? "sign_in.succeeded" : "sign_in.refused";
  const outcome = code === null ? "success" : "refused";
  const actor = { kind: "user", id: null, name: who };
  return {
    ...{ seq, time, type, outcome, code, count, actor },
    subject: null,
    details: {},
  } as unknown as AuditEvent;
}

/** An entry in short: `2026-11-20`, `back 60`, or the sentence with its count and the numbers of its events. */
function inShort(entry: Entry): string {
  if ("day" in entry) return entry.day.toLocaleDateString("sv");
  if ("backSeconds" in entry) return `back ${entry.backSeconds}`;
  return `${entry.text} ${entry.count}: ${entry.events.map(({ seq }) => seq).join()}`;
}

const timeline = (...events: readonly AuditEvent[]) => timelineOf(events).map(inShort);

describe("the timeline of events", () => {
  before(() => putTexts("en", enBase));

  it("has nothing without events", () => assert.deepEqual(timeline(), []));

  it("has days as heads, and repeats as one with their number", () => {
    assert.deepEqual(
      timeline(
        event(9, "11:00"),
        event(8, "10:59", { count: 4 }),
        event(7, "10:00", { who: "berta" }),
        event(6, "09:00"),
        event(5, "2026-11-19T23:59:59"),
      ),
      [
        "2026-11-20",
        "ana signed in 5: 9,8",
        "berta signed in 1: 7",
        "ana signed in 1: 6",
        "2026-11-19",
        "ana signed in 1: 5",
      ],
    );
  });

  it("keeps refusals for different reasons apart, though they read the same", () => {
    const refused = { who: "ana", code: "invalid_credentials" };
    const found = timelineOf([
      event(3, "10:02", refused),
      event(2, "10:01", refused),
      event(1, "10:00", { who: "ana", code: "code_reused" }),
    ]);
    assert.deepEqual(
      found.flatMap((entry) => ("events" in entry ? [entry.events.map(({ seq }) => seq)] : [])),
      [[3, 2], [1]],
    );
  });

  it("marks where the clock was set back, by how much at least, and folds nothing over it", () => {
    assert.deepEqual(
      timeline(event(4, "10:01"), event(3, "10:00"), event(2, "10:30"), event(1, "2026-11-21T09:00")),
      [
        "2026-11-20",
        "ana signed in 2: 4,3",
        "back 1800",
        "ana signed in 1: 2",
        "back 81000",
        "2026-11-21",
        "ana signed in 1: 1",
      ],
    );
    assert.equal(
      timeline(event(2, "10:00:00"), event(1, "10:00:00.9")).length,
      2,
      "less than a second is no mark",
    );
  });

  it("has keys that stay when newer repeats come, and are all different", () => {
    const older = [event(2, "10:01"), event(1, "09:00", { who: "berta" })];
    const before = timelineOf(older).flatMap((entry) => ("events" in entry ? [entry.key] : []));
    const after = timelineOf([event(3, "10:02"), ...older]).map(({ key }) => key);
    assert.ok(
      before.every((key) => after.includes(key)),
      `${before} / ${after}`,
    );
    assert.equal(new Set(after).size, after.length);
  });
});
