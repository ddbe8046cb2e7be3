import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { createVirtualTime, type VirtualTime } from "../../lab/simulated/virtual-time.ts";
import type { NeedCode } from "../../src/contract/need-areas.ts";
import type { Need } from "../../src/contract/types.ts";
import { createNeedWatch, type NeedWatch, openNeeds, type ToldNeed } from "../../src/system/need-watch.ts";

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
  /** The record so far, after so many looks at these needs. */
  const look = async (times: number, ...present: Need[]): Promise<string[]> => {
    needs = present;
    for (let count = 0; count < times; count += 1) {
      time.pass(60);
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    }
    return events.map(({ type, details }) => `${type} ${details.need}`);
  };

  beforeEach(() => {
    time = createVirtualTime();
    [needs, events, isReadable] = [[], [], true];
    start();
  });

  it("are one when it begins and one when it ends, each seen at two looks", async () => {
    const clock = needOf("clock", { reason: "clock_no_majority", word: "not_in_sync" });
    assert.deepEqual(await look(1, clock), []);
    assert.deepEqual(await look(2, clock), ["need.began clock"]);
    assert.deepEqual(await look(1), ["need.began clock"]);
    assert.deepEqual(await look(2), ["need.began clock", "need.ended clock"]);
  });

  for (const [what, code, facts, left = {}] of [
    ["its reason", "clock", { reason: "clock_no_majority", word: "not_in_sync" }],
    [
      "a publisher's words of a release that was withdrawn",
      "update_withdrawn",
      { kind: "rules", name: "base", version: "1.2.0", detail: "it eats data" },
    ],
    ["no user's name", "users_locked", { count: 1 }, { users: ["ana"] }],
  ] as const)
    it(`have ${what}`, async () => {
      await look(2, needOf(code, { ...facts, ...left }));
      assert.deepEqual(events[0]?.details, { need: code, level: "attention", ...facts });
    });

  it("tell two reasons, releases and levels of one need apart", async () => {
    const told = await look(
      2,
      needOf("update_failed", { kind: "rules", name: "base", version: "1.2.0" }),
      needOf("update_failed", { kind: "rules", name: "base", version: "1.3.0" }),
      needOf("disk", { reason: "disk_space_low" }, "failing"),
      needOf("disk", { reason: "disk_space_low" }),
      needOf("disk", { reason: "disk_reserve_missing" }, "failing"),
    );
    assert.equal(told.length, 5);
  });

  it("tell the product's needs apart by their code, with its unit and its sentence of the beginning", async () => {
    const low = {
      name: "low",
      unit: "pump.service",
      en: "The pressure is 1.2 bar",
      de: "Der Druck ist 1,2 bar",
    };
    const stuck = { name: "stuck", unit: "pump.service", en: "The valve is stuck" };
    const place = { page: "pump", path: "/pressure" };
    await look(2, needOf("product", { ...low, ...place }), needOf("product", stuck));
    await look(1, needOf("product", { ...low, en: "The pressure is 1.1 bar" }));
    await look(2, needOf("product_silent", low));
    const about = { level: "attention", ...low };
    assert.deepEqual(
      events.map(({ type, details }) => [type, details]),
      [
        ["need.began", { need: "product", ...about }],
        ["need.began", { need: "product", level: "attention", ...stuck }],
        ["need.ended", { need: "product", level: "attention", ...stuck }],
        ["need.began", { need: "product_silent", ...about }],
        ["need.ended", { need: "product", ...about }],
      ],
    );
    const open = openNeeds([...events].reverse());
    assert.deepEqual([...open.values()], [{ need: "product_silent", ...about }]);
  });

  it("go on after a restart: neither told twice nor forgotten", async () => {
    await look(2, needOf("clock"), needOf("disk", {}, "failing"));
    watch.stop();
    start();
    assert.deepEqual(await look(2, needOf("clock")), [
      "need.began clock",
      "need.began disk",
      "need.ended disk",
    ]);
  });

  it("wait until the record can be read, and end with the agent", async () => {
    isReadable = false;
    assert.deepEqual(await look(2, needOf("clock")), []);
    isReadable = true;
    assert.deepEqual(await look(2, needOf("clock")), ["need.began clock"]);
    watch.stop();
    assert.deepEqual(await look(2), ["need.began clock"]);
  });
});
