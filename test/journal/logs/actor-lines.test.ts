import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { createActorLines } from "../../../src/journal/logs/actor-lines.ts";

describe("the audit lines of an actor", () => {
  it("are 500 at once and one more a minute; the others are counted into one a minute", (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const clock = { now: 0 };
    const said: string[] = [];
    const lines = createActorLines({
      log: (_severity, message, { actor, count } = {}) => void said.push([message, actor, count].join(" ")),
      timers: createTimers(),
      uptime: () => clock.now,
    });
    const write = (actor: string | null, times: number) => {
      for (let index = 0; index < times; index += 1) lines.write(actor, "notice", `by ${actor}`);
    };
    const pass = (seconds: number) => {
      clock.now += seconds;
      test.mock.timers.tick(seconds * 1_000);
    };
    const written = () => said.splice(0);
    write("eve", 600);
    assert.deepEqual(written(), [...Array(500).fill("by eve  "), "audit lines left out eve 1"]);
    write("ana", 1);
    write(null, 600);
    assert.deepEqual(written(), ["by ana  ", ...Array(600).fill("by null  ")]);
    pass(60);
    assert.deepEqual(written(), ["audit lines left out eve 99"]);
    write("eve", 1);
    write("eve/backup", 1);
    assert.deepEqual(written(), ["by eve  "]);
    lines.close();
    assert.deepEqual(written(), ["audit lines left out eve 1"]);
  });
});
