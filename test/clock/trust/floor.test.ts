import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClockRecord, clockRecordKind } from "../../../src/clock/trust/clock-record.ts";
import {
  beginFloor,
  ceilingSeconds,
  type FloorCheck,
  heldNoLonger,
  riseFloor,
} from "../../../src/clock/trust/floor.ts";
import { createFloorKeeper } from "../../../src/clock/trust/floor-keeper.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const [hour, day] = [3_600, 86_400];
const build = 1_000 * day;
const now = build + 100 * day;

const check = (trust: FloorCheck["trust"], monotonicSeconds: number, nowSeconds = now): FloorCheck => ({
  ...{ trust, monotonicSeconds, nowSeconds, ceilingSeconds: ceilingSeconds(build) },
});

describe("the floor", () => {
  const accepted = (at: number) => check("accepted", at);
  const trusted = (at: number) => check("trusted", at);
  const far = (at: number) => check("trusted", at, build + 30_000 * day);
  // The gap of the boot, checks and steps of the clock, and by how much the floor has risen then.
  for (const [what, gapSeconds, deeds, risen] of [
    ["does not rise by a time that is not trusted", 400 * day, [check("none", 0), check("none", hour)], 0],
    ["follows within a gap when time has held", 400 * day, [accepted(0), accepted(hour)], 99 * day],
    // So that a mistyped time can be set right.
    ["keeps to monotonic time for an hour", 400 * day, [accepted(0), accepted(hour - 1)], hour - 1],
    ["uses the gap once", 50 * day, [accepted(0), accepted(hour), accepted(2 * hour)], 50 * day + 2 * hour],
    ["rises no faster than monotonic time when the gap is used up", 0, [accepted(hour)], hour],
    ["does so until trusted time has held for a day", 0, [trusted(0), trusted(day - 1)], day - 1],
    ["follows altogether then", 0, [trusted(0), trusted(day - 1), trusted(day)], 99 * day],
    ["begins to wait anew after a step", 0, [trusted(0), "step", trusted(day)], day],
    ["begins to wait anew after a moment without trust", 0, [trusted(0), accepted(10), trusted(day)], day],
    ["holds", 400 * day, [check("trusted", 0, build - 9 * day), check("trusted", day, build - 8 * day)], 0],
    ["has a ceiling of fifteen years", 30_000 * day, [far(0), far(hour)], 15 * 365.25 * day],
  ] as [string, number, (FloorCheck | "step")[], number][])
    it(what, () => {
      let floor = beginFloor(build, gapSeconds, 0);
      for (const deed of deeds) floor = deed === "step" ? heldNoLonger(floor) : riseFloor(floor, deed);
      assert.equal(floor.atSeconds - build, risen);
    });
});

describe("the floor that is kept", () => {
  const dateOf = (seconds: number) => new Date(seconds * 1_000).toISOString();

  /** A keeper over a record in memory; `refusal`: of the disk. */
  function kept(stored: Partial<ClockRecord> = {}, refusal?: StewardError) {
    const record = { ...clockRecordKind.defaults, ...stored };
    const written: ClockRecord[] = [];
    const write = (change: (present: ClockRecord) => ClockRecord): ClockRecord => {
      written.push(Object.assign(record, change(record)));
      return record;
    };
    const update = async (change: (present: ClockRecord) => ClockRecord) => {
      if (refusal) throw refusal;
      return write(change);
    };
    const keeper = createFloorKeeper({ read: () => record, note: write, update }, build, "boot-1", 0);
    const raise = (trust: FloorCheck["trust"], ...moments: readonly number[]) => {
      for (const moment of moments) keeper.raise(trust, now, moment);
      return keeper.atSeconds() - build;
    };
    return { keeper, raise, record, written };
  }
  const usedUp = { power_off_gap: { boot_id: "boot-1", left_seconds: 0 } };

  it("begins at the later of the build date and the stored one", () => {
    for (const [floor_at, expected] of [
      [null, build],
      [dateOf(build - day), build],
      [dateOf(build + day), build + day],
    ] as const)
      assert.equal(kept({ floor_at }).keeper.atSeconds(), expected);
  });

  it("has left of a boot's gap what earlier runs in that boot left, and all of it in another boot", () => {
    assert.equal(kept(usedUp).raise("accepted", 0, hour), hour);
    const ofOther = { power_off_gap: { boot_id: "boot-0", left_seconds: 0 } };
    assert.equal(kept(ofOther).raise("accepted", 0, hour), 99 * day);
  });

  it("is written when it has risen by an hour, with the rest of the gap", () => {
    const { raise, written, record } = kept(usedUp);
    raise("accepted", 0, hour - 1);
    assert.equal(written.length, 0);
    raise("accepted", hour, hour + 1, 2 * hour - 1);
    assert.equal(written.length, 1);
    assert.deepEqual([record.floor_at, record.power_off_gap], [dateOf(build + hour), usedUp.power_off_gap]);
    raise("accepted", 2 * hour);
    assert.equal(written.length, 2);
  });

  it("is back at the build date after a reset, on the disk as well, and is written anew from there", async () => {
    const { keeper, raise, record } = kept({ floor_at: dateOf(build + 50 * day), ...usedUp });
    await keeper.reset(200);
    assert.deepEqual([keeper.atSeconds(), record.floor_at, record.power_off_gap], [build, null, null]);
    raise("accepted", 200, 200 + hour);
    assert.equal(record.floor_at, dateOf(build + 99 * day));
  });

  it("stays where it is when the disk refuses a reset: the next start would have it there", async () => {
    const floor_at = dateOf(build + 50 * day);
    const { keeper } = kept({ floor_at }, new StewardError("storage_full", "The disk is full."));
    await assert.rejects(keeper.reset(200), { code: "storage_full" });
    assert.equal(keeper.atSeconds(), build + 50 * day);
  });
});
