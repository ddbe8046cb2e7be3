import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { createVirtualTime, type VirtualTime } from "../../lab/simulated/virtual-time.ts";
import type { NeedCode } from "../../src/contract/need-areas.ts";
import type { Need } from "../../src/contract/types.ts";
import { createNeedWatch, type NeedWatch, type ToldNeed } from "../../src/system/need-watch.ts";

const needOf = (code: NeedCode, facts: Need["facts"] = {}, level: Need["level"] = "attention"): Need => ({
  ...{ code, level, facts, detail: "A need.", remedy: null },
});

describe("the events of what the device needs", () => {
  let time: VirtualTime;
  let needs: readonly Need[];
  let events: { seq: number; type: string; details: ToldNeed }[];
  let isReadable: boolean;
  let watch: NeedWatch;

  const start = (): void => {
    watch = createNeedWatch({
      needs: () => needs,
      told: async () => {
        if (!isReadable) throw new Error("not now");
        return [...events].reverse();
      },
      record: (type, details) => void events.push({ seq: events.length + 1, type, details }),
      timers: time.hostTimers,
    });
    watch.start();
  };
  const look = async (): Promise<void> => {
    time.pass(60);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  const told = (): string[] => events.map(({ type, details }) => `${type} ${details.need}`);

  beforeEach(() => {
    time = createVirtualTime();
    [needs, events, isReadable] = [[], [], true];
    start();
  });

  it("are one when it begins and one when it ends, each seen at two looks", async () => {
    needs = [needOf("clock", { reason: "clock_no_majority", word: "not_in_sync" })];
    await look();
    assert.deepEqual(told(), []);
    await look();
    await look();
    needs = [];
    await look();
    assert.deepEqual(told(), ["need.began clock"]);
    await look();
    await look();
    assert.deepEqual(told(), ["need.began clock", "need.ended clock"]);
    const details = { need: "clock", level: "attention", reason: "clock_no_majority", word: "not_in_sync" };
    assert.deepEqual(events[0]?.details, details);
  });

  it("have a publisher's words of a release that was withdrawn", async () => {
    const facts = { kind: "rules", name: "base", version: "1.2.0", detail: "it eats data" };
    needs = [needOf("update_withdrawn", facts)];
    await look();
    await look();
    assert.deepEqual(events[0]?.details, { need: "update_withdrawn", level: "attention", ...facts });
  });

  it("tell two reasons, releases and levels of one need apart", async () => {
    needs = [
      needOf("update_failed", { kind: "rules", name: "base", version: "1.2.0" }),
      needOf("update_failed", { kind: "rules", name: "base", version: "1.3.0" }),
      needOf("disk", { reason: "disk_space_low" }, "failing"),
      needOf("disk", { reason: "disk_reserve_missing" }, "failing"),
    ];
    await look();
    await look();
    assert.equal(events.length, 4);
  });

  it("name no user", async () => {
    needs = [needOf("users_locked", { count: 1, users: ["ana"] })];
    await look();
    await look();
    assert.deepEqual(events[0]?.details, { need: "users_locked", level: "attention", count: 1 });
  });

  it("go on after a restart: neither told twice nor forgotten", async () => {
    needs = [needOf("clock"), needOf("disk", {}, "failing")];
    await look();
    await look();
    watch.stop();
    needs = [needOf("clock")];
    start();
    await look();
    await look();
    assert.deepEqual(told(), ["need.began clock", "need.began disk", "need.ended disk"]);
  });

  it("wait until the record can be read", async () => {
    needs = [needOf("clock")];
    isReadable = false;
    await look();
    await look();
    isReadable = true;
    await look();
    await look();
    assert.deepEqual(told(), ["need.began clock"]);
  });

  it("end with the agent", async () => {
    needs = [needOf("clock")];
    await look();
    watch.stop();
    await look();
    assert.deepEqual(told(), []);
  });
});
