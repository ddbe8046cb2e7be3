import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allEvents, change, openLog, refusal } from "../../../lab/state/event-directory.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { agentEvent } from "../../../src/journal/events/event.ts";
import type { EventCountQuery } from "../../../src/journal/events/event-counts.ts";
import type { EventLog } from "../../../src/journal/events/event-log.ts";

const hour = 3_600;
const begin = Date.parse("2026-11-20T00:00:00Z") / 1_000;

/** A log whose clock is moved by `at`, in seconds from the beginning. */
async function openAt(test: Parameters<typeof openLog>[0], totalBytes?: number) {
  const clock = { seconds: begin };
  const now = () => new Date(clock.seconds * 1_000);
  const opened = await openLog(test, { now, refusalKinds: 100_000, ...(totalBytes && { totalBytes }) });
  const at = (seconds: number): void => {
    clock.seconds = begin + seconds;
  };
  return { ...opened, at };
}

const counts = (events: EventLog, query: Partial<EventCountQuery> = {}) =>
  events.count({ edges: [], ...query });

describe("the counts of events", () => {
  it("are those of each span between the edges, of which each belongs to the later one, also if the clock is set back", async (test) => {
    const { events, at } = await openAt(test);
    for (const seconds of [2 * hour, -1, 0, 1, hour - 0.001, hour]) {
      at(seconds);
      await events.record(change(`user-${seconds}`));
    }
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    const { spans, ...all } = await counts(events, { edges: [begin, begin + hour, begin + 2 * hour] });
    assert.equal(spans.map(({ count, refused }) => `${count} ${refused}`).join(), "1 0,3 0,2 1,1 0");
    assert.deepEqual([all.total, all.refused], [7, 1]);
  });

  it("say what another choice of group and outcome would show, of what the reader may see", async (test) => {
    const { events } = await openAt(test);
    for (const name of ["anna", "berta", "carla"]) await events.record(change(name));
    await events.record(agentEvent("clock.sync_requested", { force: true }));
    for (const from of ["192.0.2.7", "192.0.2.8"]) events.refuse(refusal(from), "invalid_credentials");
    const all = { users: 3, clock: 1, sign_in: 2 };
    for (const [query, total, refused, groups] of [
      [{}, 6, 2, all],
      [{ group: "users" }, 3, 0, all],
      [{ type: "sign_in.refused" }, 2, 2, all],
      [{ outcome: "refused" }, 2, 2, { sign_in: 2 }],
      [{ outcome: "success" }, 4, 2, { users: 3, clock: 1 }],
      [{ name: "ANNA" }, 1, 0, { users: 1 }],
      [{ personId: "usr_other" }, 1, 0, { clock: 1 }],
    ] as const) {
      const got = await counts(events, query);
      const used = Object.entries(got.groups).filter(([, count]) => count > 0);
      assert.deepEqual([got.total, got.refused, Object.fromEntries(used)], [total, refused, groups]);
    }
    const { spans } = await counts(events, { outcome: "success" });
    assert.deepEqual(spans, [{ count: 4, refused: 0 }]);
  });

  it("are those of the pages, whatever was dropped, kept or has come since", async (test) => {
    const { events, at } = await openAt(test, 90_000);
    const edges = Array.from({ length: 24 }, (_, index) => begin + index * hour);
    for (let index = 0; index < 400; index += 1) {
      at(index * 300);
      await events.record(change(`user-${index}`));
      if (index % 3 === 0) events.refuse(refusal(`192.0.2.${index % 250}`), "invalid_credentials");
      if (index % 40 !== 39) continue;
      const all = await allEvents(events);
      const got = await counts(events, { edges });
      assert.deepEqual(
        got.spans,
        [0, ...edges].map((from, span) => spanOf(all, from, edges[span] ?? Number.POSITIVE_INFINITY)),
        `after ${index}`,
      );
      assert.equal(got.total, all.length);
    }
    assert.ok(events.reach().chain_from > 1, "nothing was dropped");
  });
});

function spanOf(all: readonly AuditEvent[], from: number, to: number) {
  const inside = all.filter(({ time }) => Date.parse(time) >= from * 1_000 && Date.parse(time) < to * 1_000);
  return { count: inside.length, refused: inside.filter(({ outcome }) => outcome === "refused").length };
}
