import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../lab/basics/chance.ts";
import { deviceId } from "../../lab/host/messages.ts";
import { change } from "../../lab/state/event-directory.ts";
import { type Fate, type OutboxWorld, openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { agentEvent, type EventFacts } from "../../src/journal/events/event.ts";

const began = (name: string, level = "attention"): EventFacts =>
  agentEvent("need.began", { need: "update_failed", level, kind: "rules", name, version: "1.0.0" });

const hour = 3_600;

/** Seqs by the ids that they arrived under, in the order of the first arrival. */
function idsBySeq({ arrived }: OutboxWorld): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>();
  for (const { id, seqs } of arrived)
    for (const seq of seqs) found.set(seq, (found.get(seq) ?? new Set()).add(id));
  return found;
}

const seqsOf = (world: OutboxWorld) => world.arrived.map(({ seqs }) => seqs);

describe("the outbox", () => {
  it("sends what people are notified of, once, with an id by its place in the record", async (test) => {
    const world = await openOutboxWorld(test);
    await world.record(began("a"));
    await world.configure([world.receiver()]);
    await world.record(change("anna"));
    await world.record(began("b"));
    await world.pass(24 * hour);
    assert.deepEqual(
      world.arrived.map(({ id, seqs }) => [id, seqs]),
      [[`${deviceId}-3-3`, [3]]],
    );
    const [{ message } = assert.fail()] = world.attempts;
    assert.deepEqual(
      [message.count, message.counts, message.gap, message.isTest, message.device],
      [1, { "need.began": 1 }, null, false, { id: deviceId, name: "box" }],
    );
    assert.equal(message.notices[0]?.title, "To do: b 1.0.0 failed on this device");
  });

  it("sends a message a minute, with all that came meanwhile; what is grave goes at once", async (test) => {
    const world = await openOutboxWorld(test);
    await world.configure([world.receiver()]);
    for (const name of ["a", "b", "c", "d"]) {
      await world.record(began(name));
      await world.pass(10);
    }
    await world.pass(hour);
    assert.deepEqual(
      world.arrived.map(({ seqs, at }) => [at, seqs]),
      [
        [1, [1]],
        [61, [2, 3, 4]],
      ],
    );
    await world.record(began("e"));
    await world.pass(10);
    await world.record(began("f"));
    await world.record(began("g", "failing"));
    await world.pass(1);
    assert.deepEqual(seqsOf(world).slice(2), [[5], [6, 7]]);
  });

  it("makes one message of a storm, with its count and the gravest and newest notices", async (test) => {
    const world = await openOutboxWorld(test);
    await world.configure([world.receiver()]);
    await world.record(began("first"));
    await world.pass(1);
    const kinds = Array.from({ length: 700 }, (_, index) => {
      if (index === 5) return began("grave", "failing");
      return index % 10 === 3
        ? agentEvent("update.refused", {
            release_id: null,
            kind: null,
            name: `${index}`,
            version: null,
            detail: "No.",
          })
        : began(`${index}`);
    });
    world.fate = () => ({ status: 503 });
    await Promise.all(kinds.map((facts) => world.events.record(facts)));
    await world.pass(300);
    world.fate = () => "delivered";
    await world.pass(2 * hour);
    const { message } = world.attempts.at(-1) ?? assert.fail();
    assert.equal(message.id, `${deviceId}-2-701`);
    assert.deepEqual([message.count, message.counts], [700, { "need.began": 630, "update.refused": 70 }]);
    const newest = Array.from({ length: 19 }, (_, index) => 683 + index);
    assert.deepEqual(
      message.notices.map(({ seq }) => seq),
      [7, ...newest],
    );
    assert.deepEqual(seqsOf(world).length, 2);
  });

  it("loses nothing, keeps the order, and repeats under the same id only, while an hour of requests fails", async (test) => {
    const world = await openOutboxWorld(test);
    await world.configure([world.receiver()]);
    const chance = createChance(3);
    const fates: readonly Fate[] = [{ status: 500 }, "dropped", "lost", { seconds: 20 }, { seconds: 300 }];
    world.fate = (at) =>
      at < hour ? (fates[Math.floor(chance.uniform() * fates.length)] ?? "lost") : "delivered";
    const expected: number[] = [];
    for (let seq = 1; seq <= 60; seq += 1) {
      const isTold = chance.uniform() < 0.7;
      if (isTold) expected.push(seq);
      await world.record(isTold ? began(`${seq}`) : change(`${seq}`));
      await world.pass(100 * chance.uniform());
    }
    await world.pass(2 * hour);
    const found = idsBySeq(world);
    assert.deepEqual([...found.keys()], expected);
    assert.deepEqual(
      [...found.values()].filter((ids) => ids.size !== 1),
      [],
    );
    assert.ok(world.arrived.length > new Set(world.arrived.map(({ id }) => id)).size, "nothing was repeated");
    assert.equal(world.outbox.states()[0]?.waiting, 0);
  });

  it("repeats the same message under the same id after the process was killed, and the rest behind it", async (test) => {
    const world = await openOutboxWorld(test);
    await world.configure([world.receiver()]);
    await world.record(began("a"));
    await world.record(began("b"));
    world.fate = () => ({ seconds: 5 });
    await world.pass(2);
    assert.deepEqual(seqsOf(world), [[1, 2]]);
    await world.record(began("c"));
    await world.restart();
    world.fate = () => "delivered";
    await world.pass(hour);
    assert.deepEqual(
      world.arrived.map(({ id, seqs }) => [id, seqs]),
      [
        [`${deviceId}-1-2`, [1, 2]],
        [`${deviceId}-1-2`, [1, 2]],
        [`${deviceId}-3-3`, [3]],
      ],
    );
    await world.restart();
    await world.pass(24 * hour);
    assert.equal(world.arrived.length, 3, "an acknowledged message was sent again after a restart");
  });
});
