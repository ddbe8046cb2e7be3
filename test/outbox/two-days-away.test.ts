import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type OutboxWorld, openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { finding, needFinding, needOf } from "../../src/contract/finding.ts";
import type { Need } from "../../src/contract/types.ts";
import { agentEvent } from "../../src/journal/events/event.ts";
import { createNeedWatch } from "../../src/system/need-watch.ts";

const ended = { certificate: "fleet", ends_at: "2026-11-27T11:00:00Z" };
const broken: readonly Need[] = [
  needOf(finding("clock_no_time_source", { server: "" })),
  needOf(
    finding("disk_space_low", {
      path: "/var/lib/steward",
      free_bytes: 9,
      least_bytes: 99,
      has_reserve: true,
    }),
  ),
  needOf(finding("https_certificate_expired", ended)),
  needOf(finding("root_helper_missing", {})),
  needOf(needFinding("update_failed", { kind: "rules", name: "base", version: "1.3.0" })),
  needOf(finding("document_waiting", { document: "users" })),
];

const hour = 3_600;

/** The types and needs of the notices that each receiver gets, in their order. */
const whole = [
  ...broken.map(({ code }) => ["need.began", code]),
  ...broken.map(({ code }) => ["need.ended", code]),
];

/** Breaks the device in six ways without a network, and mends it: three while it is away, three after that. */
async function breakAndMend(world: OutboxWorld, cut: (isCut: boolean) => void): Promise<void> {
  let present: readonly Need[] = [];
  const watch = createNeedWatch({
    needs: () => present,
    told: async () => [],
    record: (type, details) => void world.record(agentEvent(type, { ...details })),
    timers: world.time.hostTimers,
  });
  watch.start();
  cut(true);
  for (const [index, need] of broken.entries()) {
    present = [...present, need];
    await world.pass(5 * hour);
    if (index === 3) await world.restart();
  }
  present = present.slice(3);
  await world.pass(18 * hour);
  for (const { waiting } of world.outbox.states()) assert.equal(waiting, 9);
  cut(false);
  await world.pass(2 * hour);
  present = [];
  await world.pass(2 * hour);
  watch.stop();
}

describe("a device that breaks in six ways while its network is cut for two days", () => {
  for (const takes of ["all", "record"] as const)
    it(`tells a webhook of ${takes} each of them once, in order, with its end`, async (test) => {
      const world = await openOutboxWorld(test);
      await world.configure([world.receiver("far", takes)]);
      await breakAndMend(world, (isCut) => {
        assert.deepEqual(world.arrived, []);
        world.fate = () => (isCut ? "dropped" : "delivered");
      });
      const told = world.attempts.filter(({ message }) => world.arrived.some(({ id }) => id === message.id));
      const notices = new Map(told.flatMap(({ message }) => message.notices.map((one) => [one.seq, one])));
      assert.deepEqual(
        [...notices.values()].map(({ type, event }) => [type, event.details.need]),
        whole,
      );
      const arrivals = world.arrived.flatMap(({ seqs }) => seqs);
      assert.deepEqual(arrivals, [...notices.keys()], "each once, in order");
    });
});
