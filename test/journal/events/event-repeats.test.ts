import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { allEvents, change, openLog } from "../../../lab/state/event-directory.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { agentEvent, type EventFacts } from "../../../src/journal/events/event.ts";

/** An event log whose timers the test moves. */
async function log(test: TestContext) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const opened = await openLog(test, { timers: createTimers() });
  const counts = async () => (await allEvents(opened.events)).map(({ count }) => count);
  const pass = (seconds: number) => test.mock.timers.tick(seconds * 1_000);
  return { ...opened, counts, pass };
}

const anna = change("anna", { role: "operator" });
const named = change("x", { changed: ["device.name"] });
const settings: EventFacts = { ...named, type: "settings.changed", subject: null };

describe("a change that repeats", () => {
  it("is written at once the first time, and then counted into one line after a minute", async (test) => {
    const { events, counts, pass } = await log(test);
    for (let times = 0; times < 50; times += 1) await events.record(anna);
    assert.deepEqual(await counts(), [1]);
    pass(59);
    assert.deepEqual(await counts(), [1]);
    pass(1);
    assert.deepEqual(await counts(), [1, 49]);
    const [, last] = await allEvents(events);
    assert.deepEqual([last?.type, last?.outcome, last?.subject?.name], ["user.changed", "success", "anna"]);
  });

  it("is written ever less often while it goes on, up to every ten minutes: a week of every 10 s is some 1,000 lines", async (test) => {
    const { events, counts, pass } = await log(test);
    const week = 7 * 86_400;
    for (let second = 0; second < week; second += 10) {
      await events.record(settings);
      pass(10);
    }
    await events.close();
    const all = await counts();
    assert.ok(all.length < 1_020, `${all.length} lines`);
    assert.equal(
      all.reduce((sum, count) => sum + count, 0),
      week / 10,
    );
  });

  for (const [what, other] of [
    ["type", { ...anna, type: "user.unlocked" }],
    ["actor", { ...anna, actor: { kind: "local-root", id: null, name: null } }],
    ["name of a token of the same user", { ...anna, actor: { ...anna.actor, kind: "token", name: "x/y" } }],
    ["address", { ...anna, from: "192.0.2.2" }],
    ["role", { ...anna, details: { role: "admin" } }],
  ] as [string, EventFacts][])
    it(`ends with another ${what} for the same subject: the order of what was done to it stays`, async (test) => {
      const { events, counts } = await log(test);
      for (const facts of [anna, anna, anna, other, anna]) await events.record(facts);
      assert.deepEqual(await counts(), [1, 2, 1, 1]);
    });

  it("goes on beside what is done to other subjects", async (test) => {
    const { events, counts } = await log(test);
    for (const facts of [anna, change("berta"), settings, anna, agentEvent("clock.panicked", {}), anna])
      await events.record(facts);
    assert.deepEqual(await counts(), [1, 1, 1, 1]);
    await events.close();
    assert.deepEqual((await counts()).slice(4), [2]);
  });

  it("is handed over each time, with the number that it has, and said in the journal as often as in the log", async (test) => {
    const { events, said, pass } = await log(test);
    const heard: string[] = [];
    events.subscribe(({ seq, count }, isRepeat) => void heard.push(`${seq} ${count} ${isRepeat}`));
    for (let times = 0; times < 3; times += 1) await events.record(anna);
    pass(60);
    await events.record(anna);
    assert.deepEqual(heard, ["1 1 false", "1 1 true", "1 1 true", "2 2 false", "2 2 true"]);
    const lines = said.filter(({ message }) => message === "user.changed");
    assert.deepEqual(
      lines.map(({ count }) => count),
      [undefined, 2],
    );
  });
});
