import assert from "node:assert/strict";
import { it } from "node:test";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createDueTimer } from "../../../src/store/files/due-timer.ts";

it("a due timer goes off once, at the earliest of the times that it was asked for", () => {
  const time = createVirtualTime();
  const done: number[] = [];
  const timer = createDueTimer(() => done.push(time.now()), {
    ...{ uptime: () => time.now() + 7, wall: () => 0, timers: time.hostTimers },
  });
  timer.within(60);
  timer.within(5);
  timer.within(30);
  timer.within(5);
  assert.deepEqual([time.dueIn(5), time.dueIn(30), time.dueIn(60)], [1, 0, 0]);
  time.pass(100);
  assert.deepEqual(done, [5]);
  timer.within(10);
  time.pass(100);
  assert.deepEqual(done, [5], "it was not put off since");
  timer.putOff();
  timer.within(10);
  time.pass(10);
  assert.deepEqual(done, [5, 210]);
  timer.putOff();
  timer.within(10);
  timer.putOff();
  time.pass(100);
  assert.equal(done.length, 2);
});
