import assert from "node:assert/strict";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createChance } from "../../lab/basics/chance.ts";
import type { Ending } from "../../lab/basics/ending.ts";
import { deviceId } from "../../lab/host/messages.ts";
import { change, refusal } from "../../lab/state/event-directory.ts";
import { type Fate, type OutboxWorld, openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { onDisk } from "../../lab/state/state-directory.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import { agentEvent, type EventFacts } from "../../src/journal/events/event.ts";
import type { NamedReceiver } from "../../src/outbox/dispatcher.ts";
import { type Delivery, type Message, retry } from "../../src/outbox/receiver.ts";
import { retryIn } from "../../src/outbox/retries.ts";

const began = (name: string, level = "attention"): EventFacts =>
  agentEvent("need.began", { need: "update_failed", level, kind: "rules", name, version: "1.0.0" });

/** Another address, where nothing arrives that the webhooks of the world could see. */
const elsewhere = (name: string, takes: NamedReceiver["takes"]): NamedReceiver => ({
  ...{ name, takes, receiver: { deliver: async () => ({ outcome: "taken", answer: "204 No Content" }) } },
});

const nextEvent = ({ events }: OutboxWorld): Promise<AuditEvent> =>
  new Promise((resolve) => void events.subscribe(resolve));

const muting = {
  type: "settings.changed",
  subject: null,
  actor: { kind: "user", id: `usr_${"1".repeat(32)}`, name: "anna" },
} as const;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const hour = 3_600;
const day = 24 * hour;

/** A receiver of the record whose deliveries end so. */
async function recording(test: Ending, outcome: (seqs: readonly number[]) => Delivery) {
  const world = await openOutboxWorld(test);
  const messages: Message[] = [];
  const deliver = async (message: Message) => {
    messages.push(message);
    return outcome(message.notices.map(({ seq }) => seq));
  };
  await world.configure([{ name: "log", takes: "record", receiver: { deliver } }]);
  const record = async (count: number) => {
    for (let index = 0; index < count; index += 1) await world.record(change(`${index}`));
  };
  return { world, messages, record, state: () => world.outbox.states()[0] ?? assert.fail() };
}

/** Seqs by the ids that they arrived under, in the order of the first arrival. */
function idsBySeq({ arrived }: OutboxWorld): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>();
  for (const { id, seqs } of arrived)
    for (const seq of seqs) found.set(seq, (found.get(seq) ?? new Set()).add(id));
  return found;
}

/** A world with one receiver, which takes all that people are notified of. */
async function worldOfOne(test: Ending): Promise<OutboxWorld> {
  const world = await openOutboxWorld(test);
  await world.configure([world.receiver()]);
  return world;
}

const seqsOf = (world: OutboxWorld) => world.arrived.map(({ seqs }) => seqs);

describe("the outbox", () => {
  it("sends what people are notified of, once, with an id by its place in the record", async (test) => {
    const world = await openOutboxWorld(test);
    await world.record(began("a"));
    await world.configure([world.receiver()]);
    await world.record(change("anna"));
    await world.record(began("b"));
    await world.pass(day);
    const arrived = world.arrived.map(({ id, seqs }) => [id, seqs]);
    assert.deepEqual(arrived, [[`${deviceId}-3-3`, [3]]]);
    const [{ message } = assert.fail()] = world.attempts;
    const facts = [message.count, message.counts, message.gap, message.isTest, message.device];
    assert.deepEqual(facts, [1, { "need.began": 1 }, null, false, { id: deviceId, name: "box" }]);
    assert.equal(message.notices[0]?.title, "To do: b 1.0.0 failed on this device");
  });

  it("sends a message a minute, with all that came meanwhile; what is grave goes at once", async (test) => {
    const world = await worldOfOne(test);
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

  it("loses nothing, keeps the order, and repeats under the same id only, while an hour of requests fails", async (test) => {
    const world = await worldOfOne(test);
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
    const repeated = [...found.values()].filter((ids) => ids.size !== 1);
    assert.deepEqual(repeated, []);
    assert.ok(world.arrived.length > new Set(world.arrived.map(({ id }) => id)).size, "nothing was repeated");
    assert.equal(world.outbox.states()[0]?.waiting, 0);
  });

  it("repeats the same message under the same id after the process was killed, and the rest behind it", async (test) => {
    const world = await worldOfOne(test);
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
    await world.pass(day);
    assert.equal(world.arrived.length, 3, "an acknowledged message was sent again after a restart");
  });

  it("ends an attempt that hangs, and tells of it", async (test) => {
    const world = await worldOfOne(test);
    world.fate = () => ({ seconds: 100 * day });
    await world.record(began("a"));
    await world.pass(62);
    const [state] = world.outbox.states();
    assert.equal(state?.last_error?.detail, "The receiver did not answer within 60 s.");
    assert.equal(world.attempts.length, 1);
  });

  it("waits longer after each failure, from half a minute to an hour, and says since when it fails", async (test) => {
    const world = await worldOfOne(test);
    world.fate = () => ({ status: 500 });
    await world.record(began("a"));
    await world.pass(2 * day);
    const waits = world.attempts.slice(1).map(({ at }, index) => at - (world.attempts[index]?.at ?? 0));
    for (const [index, wait] of waits.entries()) {
      const longest = Math.min(hour, 60 * 2 ** index);
      assert.ok(wait >= longest / 2 && wait <= longest, `${index}: ${wait} s`);
    }
    assert.ok(waits.length > 48 && waits.length < 110, `${waits.length} attempts`);
    const [state] = world.outbox.states();
    assert.match(state?.last_error?.detail ?? "", /answered 500 Internal Server Error/);
    assert.deepEqual([state?.last_success, state?.waiting, state?.failing_seconds], [null, 1, 2 * day - 1]);
    assert.ok(Date.parse(state?.next_attempt ?? "") > Date.parse("2026-11-29T10:00:00Z"));
  });

  it("writes the cursor before the first attempt only, however many fail", async (test) => {
    const world = await worldOfOne(test);
    world.fate = () => ({ status: 500 });
    await world.record(began("a"));
    await world.pass(2);
    const written = await stat(join(world.directory, "outbox.json"));
    await world.pass(day);
    assert.ok(world.attempts.length > 10);
    const { ino, mtimeMs } = await stat(join(world.directory, "outbox.json"));
    assert.deepEqual([ino, mtimeMs], [written.ino, written.mtimeMs]);
  });

  it("ends the attempt that is under way when the agent stops, and tries it again after the start", async (test) => {
    const world = await worldOfOne(test);
    world.fate = () => ({ seconds: 30 });
    await world.record(began("a"));
    await world.pass(2);
    await world.outbox.close();
    world.fate = () => "delivered";
    await world.pass(day);
    assert.equal(world.attempts.length, 1, "a stopped outbox has tried again");
    await world.restart();
    await world.pass(day);
    assert.deepEqual(seqsOf(world), [[1], [1]]);
  });

  it("keeps its place when the agent stops, also behind events that it only read", async (test) => {
    const world = await worldOfOne(test);
    for (const name of ["anna", "bert", "carl"]) await world.record(change(name));
    await world.restart();
    await world.pass(1);
    await world.outbox.close();
    const { receivers } = (await onDisk(world.directory, "outbox.json")) as { receivers: { seq: number }[] };
    const seqs = receivers.map(({ seq }) => seq);
    assert.deepEqual(seqs, [3]);
  });

  it("is silent for as long as a receiver asks, but no longer than a day", async (test) => {
    const world = await worldOfOne(test);
    const pauses = [2 * hour, 30 * day];
    world.fate = () => {
      const retryAfter = pauses.shift();
      return retryAfter === undefined ? "delivered" : { status: 503, retryAfter };
    };
    await world.record(began("a"));
    await world.pass(3 * day);
    const times = world.attempts.map(({ at }) => at);
    assert.deepEqual(times, [1, 1 + 2 * hour, 1 + 2 * hour + day]);
  });

  it("does not wake the process while nothing waits, and writes nothing for events of no interest", async (test) => {
    const world = await worldOfOne(test);
    await world.record(began("a"));
    await world.pass(hour);
    const written = await onDisk(world.directory, "outbox.json");
    for (let index = 0; index < 20; index += 1) await world.record(change(`${index}`));
    world.events.refuse(refusal("192.0.2.1"), "invalid_credentials");
    await world.pass(day);
    assert.deepEqual(await onDisk(world.directory, "outbox.json"), written);
    assert.equal(world.timers(), 0);
  });

  it("begins a new receiver at the newest event, keeps the others, and forgets one that is gone", async (test) => {
    const world = await openOutboxWorld(test);
    world.fate = () => "dropped";
    await world.configure([world.receiver("one")]);
    await world.record(began("a", "failing"));
    await world.pass(hour);
    await world.configure([world.receiver("one"), world.receiver("two", "grave")]);
    await world.record(began("b"));
    await world.record(began("c", "failing"));
    world.fate = () => "delivered";
    await world.pass(2 * hour);
    assert.deepEqual(seqsOf(world).toSorted().map(String), ["1", "2,3", "3"]);
    await world.configure([world.receiver("two", "grave")]);
    await world.pass(1);
    const { receivers } = (await onDisk(world.directory, "outbox.json")) as { receivers: { name: string }[] };
    const names = [receivers.map(({ name }) => name), world.outbox.states().map(({ name }) => name)];
    assert.deepEqual(names, [["two"], ["two"]]);
  });

  const muted: [string, (world: OutboxWorld) => readonly NamedReceiver[], last: RegExp | null][] = [
    ["removed", () => [], /^anna changed settings, .* The receiver old was removed: /],
    ["sent elsewhere", () => [elsewhere("old", "all")], /^anna.* The receiver old now has other settings /],
    ["heard less", (world) => [world.receiver("old", "grave")], /The receiver old now has other settings /],
    ["left as it is", (world) => [world.receiver("old"), elsewhere("new", "all")], null],
  ];
  for (const [what, next, last] of muted)
    it(`has a last message for a receiver that is ${what} (an intruder mutes the device)`, async (test) => {
      const world = await openOutboxWorld(test);
      await world.configure([world.receiver("old")]);
      await world.configure(next(world), nextEvent(world));
      // It cannot be reached at first.
      world.fate = (at) => (at < 600 ? "dropped" : "delivered");
      await world.record({ ...change("anna", { changed: ["notify.receivers"] }), ...muting });
      await world.pass(hour);
      const lasts = world.attempts.filter(({ message }) => message.id === `${deviceId}-1-1-last`);
      const arrived = world.arrived.filter(({ id }) => id === `${deviceId}-1-1-last`);
      assert.equal(arrived.length, last === null ? 0 : 1);
      if (last !== null) assert.match(lasts.at(-1)?.message.notices[0]?.text ?? "", last);
      assert.equal(world.timers(), 0);
      await world.record(began("a", "failing"));
      await world.pass(hour);
      const isStill = next(world).some(({ receiver }) => receiver === world.receiver().receiver);
      assert.equal(world.arrived.flatMap(({ seqs }) => seqs).includes(2), isStill, "the last is the last");
    });

  it("tries a last message for about an hour", async (test) => {
    const world = await openOutboxWorld(test);
    await world.configure([world.receiver("old")]);
    await world.configure([], nextEvent(world));
    world.fate = () => ({ status: 500 });
    await world.record({ ...change("anna", { changed: ["notify.receivers"] }), ...muting });
    await world.pass(day);
    assert.equal(world.attempts.length, 7);
    assert.ok((world.attempts.at(-1)?.at ?? 0) > 1_500);
    assert.equal(world.timers(), 0);
  });

  it("begins at the newest event of a record that has begun again", async (test) => {
    const world = await worldOfOne(test);
    for (const name of ["a", "b", "c"]) await world.record(began(name));
    await world.pass(day);
    await rm(join(world.directory, "events"), { recursive: true });
    await world.restart();
    await world.record(began("d"));
    await world.pass(day);
    assert.deepEqual(seqsOf(world), [[1, 2, 3], [1]]);
  });

  it("sends a test beside all that waits, and goes on at once when it succeeds", async (test) => {
    const world = await worldOfOne(test);
    world.fate = () => ({ status: 500 });
    await world.record(began("a"));
    await world.pass(10 * hour);
    const failed = await world.outbox.test("hook");
    assert.ok(failed.outcome === "retry" && /answered 500/.test(failed.error));
    world.fate = () => "delivered";
    assert.deepEqual(await world.outbox.test("hook"), { outcome: "taken", answer: "204 No Content" });
    await world.pass(1);
    const [tested, told] = world.arrived;
    assert.match(tested?.id ?? "", new RegExp(`^${deviceId}-test-[0-9a-f]{16}$`));
    assert.deepEqual([tested?.seqs, told?.seqs], [[], [1]]);
    const [state] = world.outbox.states();
    assert.deepEqual([state?.last_error, state?.failing_seconds, state?.next_attempt], [null, 0, null]);
    await assert.rejects(world.outbox.test("none"), { code: "not_found" });
  });

  it("counts what a receiver refuses, over successes and restarts, until a person's test shows it", async (test) => {
    const error = "It refused 1 of its events.";
    const taken: Delivery = { outcome: "taken", answer: "200 OK" };
    let delivery: Delivery = { outcome: "refused", answer: "200 OK", error, events: 1 };
    const { world, messages, record, state } = await recording(test, () => delivery);
    for (const outcome of [delivery, delivery, taken]) {
      delivery = outcome;
      await record(1);
      await world.pass(hour);
    }
    await world.restart();
    await world.pass(hour);
    const detail = `Refused since 2026-11-27T10:00:10.000Z, and not sent again: 2 of the events 1 to 2. ${error}`;
    const last_error = { time: "2026-11-27T11:00:10.000Z", detail };
    assert.deepEqual([state().refused, state().last_error], [2, last_error]);
    const gaps = messages.map(({ gap }) => gap);
    assert.deepEqual(gaps, [null, { from: 1, to: 1 }, { from: 2, to: 2 }]);
    delivery = retry("nothing listens there");
    await world.outbox.test("log");
    assert.equal(state().refused, 2);
    delivery = taken;
    assert.deepEqual(await world.outbox.test("log"), { ...taken, answer: `200 OK. ${detail}` });
    await world.restart();
    assert.deepEqual([state().refused, state().last_error], [0, null]);
    assert.deepEqual(await world.outbox.test("log"), taken);
  });

  it("halves a refused message of the record until the event is alone that is refused, and passes over that", async (test) => {
    const arrived: number[] = [];
    const { world, messages, record, state } = await recording(test, (seqs) => {
      if (seqs.includes(77)) return { outcome: "refused", answer: "400 Bad Request", error: "too old" };
      arrived.push(...seqs);
      return { outcome: "taken", answer: "200 OK" };
    });
    await record(200);
    await world.pass(hour);
    const others = range(1, 200).filter((seq) => seq !== 77);
    assert.deepEqual(arrived, others);
    assert.ok(messages.length < 40, `${messages.length} attempts`);
    const { refused, waiting, failing_seconds } = state();
    assert.deepEqual([refused, waiting, failing_seconds], [1, 0, 0]);
  });

  it("gives a receiver that refuses all of the record the pauses of one that fails, and is a failure", async (test) => {
    const refusing: Delivery = { outcome: "refused", answer: "400", error: "bad data" };
    const { world, record, state } = await recording(test, () => refusing);
    await record(100);
    await world.pass(day);
    const { refused, waiting, failing_seconds } = state();
    assert.ok(refused > 20 && refused < 60, `${refused} of 100 are lost in a day`);
    assert.deepEqual([waiting, failing_seconds > 23 * hour], [100 - refused, true]);
  });

  it("tells a gap in the record with the first message behind it", async (test) => {
    // A log that keeps some forty changes.
    const world = await openOutboxWorld(test, { totalBytes: 64 * 1024 });
    await world.configure([world.receiver()]);
    await world.record(change("anna"));
    world.fate = () => "dropped";
    await world.record(began("a"));
    await world.pass(hour);
    // One after the other: few find room in memory.
    for (let index = 0; index < 400; index += 1)
      await world.events.record(agentEvent("clock.stepped", { seconds: index }));
    await world.settle();
    await world.record(began("b"));
    world.fate = () => "delivered";
    await world.pass(3 * hour);
    assert.deepEqual(idsBySeq(world).get(403), new Set([`${deviceId}-403-403`]));
    const gap = world.attempts.at(-1)?.message.gap;
    assert.ok(gap && gap.from >= 2 && gap.to < 403 && gap.to > 200, JSON.stringify(gap));
  });
});

describe("the wait for the next attempt", () => {
  it("doubles from half a minute to an hour, is drawn from the upper half, and no shorter than is asked for, up to a day", () => {
    const waits = [1, 2, 3, 6, 7, 50, 2_000].map((failures) => [retryIn(failures, 0), retryIn(failures, 1)]);
    assert.equal(waits.join(" "), "30,60 60,120 120,240 960,1920 1800,3600 1800,3600 1800,3600");
    const asked = [retryIn(1, 0, 7_200), retryIn(1, 0, 30 * 86_400), retryIn(7, 1, 5)];
    assert.deepEqual(asked, [7_200, 86_400, 3_600]);
  });
});
