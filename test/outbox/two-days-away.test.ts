import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { finding, needFinding, needOf } from "../../src/contract/finding.ts";
import type { Need } from "../../src/contract/types.ts";
import { agentEvent } from "../../src/journal/events/event.ts";
import { createNeedWatch } from "../../src/system/need-watch.ts";

const ended = { certificate: "fleet", ends_at: "2026-11-27T11:00:00Z" };
const broken: readonly Need[] = [
  needOf(finding("clock_no_time_source", {})),
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

describe("a device that breaks in six ways while its network is cut for two days", () => {
  for (const takes of ["all", "record"] as const)
    it(`tells a receiver of ${takes} each of them once, in order, with its end`, async (test) => {
      const world = await openOutboxWorld(test);
      await world.configure([world.receiver("far", takes)]);
      let present: readonly Need[] = [];
      const watch = createNeedWatch({
        needs: () => present,
        told: async () => [],
        record: (type, details) => void world.record(agentEvent(type, { ...details })),
        timers: world.time.hostTimers,
      });
      watch.start();
      world.fate = () => "dropped";
      for (const [index, need] of broken.entries()) {
        present = [...present, need];
        await world.pass(5 * hour);
        if (index === 3) await world.restart();
      }
      // Three are over before the network is back, and three after that.
      present = present.slice(3);
      await world.pass(18 * hour);
      assert.deepEqual(world.arrived, []);
      assert.equal(world.outbox.states()[0]?.waiting, 9);
      world.fate = () => "delivered";
      await world.pass(2 * hour);
      present = [];
      await world.pass(2 * hour);
      watch.stop();
      const told = world.attempts.filter(({ message }) => world.arrived.some(({ id }) => id === message.id));
      const notices = new Map(told.flatMap(({ message }) => message.notices.map((one) => [one.seq, one])));
      assert.deepEqual(
        [...notices.values()].map(({ type, event }) => [type, event.details.need]),
        [
          ...broken.map(({ code }) => ["need.began", code]),
          ...broken.map(({ code }) => ["need.ended", code]),
        ],
      );
      const arrivals = world.arrived.flatMap(({ seqs }) => seqs);
      assert.deepEqual(arrivals, [...notices.keys()], "each once, in order");
    });
});
