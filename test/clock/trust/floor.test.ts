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
import type { Document } from "../../../src/store/documents/document.ts";

const day = 86_400;
const build = 1_000 * day;
const look = (more: Partial<FloorCheck>): FloorCheck => ({
  trust: "trusted",
  nowSeconds: build + 100 * day,
  monotonicSeconds: 0,
  ceilingSeconds: ceilingSeconds(build),
  ...more,
});

describe("the floor", () => {
  it("does not rise by a time that is not trusted", () => {
    assert.equal(riseFloor(beginFloor(build, 400 * day, 0), look({ trust: "none" })).atSeconds, build);
  });

  it("follows within the gap of a boot, a day behind, when the time has held for an hour", () => {
    const begun = riseFloor(beginFloor(build, 400 * day, 0), look({ trust: "accepted" }));
    const held = look({ trust: "accepted", monotonicSeconds: 3_600 });
    const floor = riseFloor(begun, held);
    assert.equal(floor.atSeconds, build + 99 * day);
    assert.equal(floor.gapSeconds, 301 * day + 3_600);
  });

  it("keeps to monotonic time within that hour, so that a mistyped time can be set right", () => {
    const begun = riseFloor(beginFloor(build, 400 * day, 0), look({ trust: "accepted" }));
    const almost = riseFloor(begun, look({ trust: "accepted", monotonicSeconds: 3_599 }));
    assert.equal(almost.atSeconds, build + 3_599);
  });

  it("rises no faster than monotonic time when the gap is used up", () => {
    const floor = riseFloor(beginFloor(build, 0, 0), look({ trust: "accepted", monotonicSeconds: 3_600 }));
    assert.equal(floor.atSeconds, build + 3_600);
  });

  it("follows altogether when trusted time has held for a day", () => {
    const begun = riseFloor(beginFloor(build, 0, 0), look({}));
    const almost = riseFloor(begun, look({ monotonicSeconds: day - 1 }));
    assert.equal(almost.atSeconds, build + day - 1);
    assert.equal(riseFloor(almost, look({ monotonicSeconds: day })).atSeconds, build + 99 * day);
  });

  it("begins to wait anew after a step, and after a moment without trust", () => {
    const begun = riseFloor(beginFloor(build, 0, 0), look({}));
    const after = riseFloor(heldNoLonger(begun), look({ monotonicSeconds: day }));
    assert.equal(after.atSeconds, build + day);
    const lapsed = riseFloor(begun, look({ trust: "accepted", monotonicSeconds: 10 }));
    assert.equal(riseFloor(lapsed, look({ monotonicSeconds: day })).atSeconds, build + day);
  });

  it("never falls, and never passes the build date by more than fifteen years", () => {
    const high = beginFloor(build + 200 * day, 400 * day, 0);
    assert.equal(riseFloor(high, look({})).atSeconds, build + 200 * day);
    const far = { nowSeconds: build + 30_000 * day };
    const begun = riseFloor(beginFloor(build, 30_000 * day, 0), look(far));
    const held = riseFloor(begun, look({ ...far, monotonicSeconds: 3_600 }));
    assert.equal(held.atSeconds, build + 15 * 365.25 * day);
  });
});

describe("the floor's reset", () => {
  const risen = "2026-11-20T12:00:00.000Z";
  const keeperOver = async (update: Document<ClockRecord>["update"]) => {
    const record = { read: () => ({ ...clockRecordKind.defaults, floor_at: risen }), update };
    return createFloorKeeper({
      record: record as unknown as Document<ClockRecord>,
      ...{ buildSeconds: build, bootId: "boot-1", monotonicSeconds: 100 },
    });
  };

  it("is back at the build date when the disk has it", async () => {
    let stored: ClockRecord | undefined;
    const keeper = await keeperOver(async (change) => {
      stored = change({ ...clockRecordKind.defaults, floor_at: risen });
      return stored;
    });
    await keeper.reset(200);
    assert.deepEqual([keeper.atSeconds(), stored?.floor_at], [build, null]);
  });

  it("that the disk refuses changes nothing: what the agent goes by is what the next start will", async () => {
    const keeper = await keeperOver(() =>
      Promise.reject(new StewardError("storage_full", "The disk is full.")),
    );
    await assert.rejects(keeper.reset(200), { code: "storage_full" });
    assert.equal(keeper.atSeconds(), Date.parse(risen) / 1_000);
  });
});
