import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { allEvents, change, openLog, refusal } from "../../../lab/state/event-directory.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import type { EventLog } from "../../../src/journal/events/event-log.ts";
import type { EventFilter } from "../../../src/journal/events/event-pages.ts";

/** Some 130 changes and 20 refusals in twelve files each, so that files are dropped all the time. */
const totalBytes = 90_000;

const ana = `usr_${"a".repeat(32)}`;

const filters: readonly (EventFilter & { matches: (event: AuditEvent) => boolean })[] = [
  { matches: () => true },
  { type: "user.created", matches: ({ type }) => type === "user.created" },
  { outcome: "refused", matches: ({ outcome }) => outcome === "refused" },
  { name: "rar", matches: ({ subject }) => subject?.name === "rare" },
];

/** All pages of the newest events, and the totals that they name. */
async function pagesOf(events: EventLog, filter: EventFilter, limit: number) {
  const items: AuditEvent[] = [];
  const totals = new Set<number | null>();
  let before: number | undefined;
  for (;;) {
    const page = await events.list({ ...filter, limit, before });
    items.push(...page.items);
    totals.add(page.total);
    if (page.next_cursor === null) return { items, totals: [...totals] };
    before = Number(page.next_cursor.replace("before-", ""));
  }
}

const stepOf = (weight: number, kind: string, max: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), count: fc.integer({ min: Math.min(1, max), max }) }),
});
const steps = [
  stepOf(6, "record", 40),
  stepOf(3, "refuse", 15),
  stepOf(5, "look", 200),
  stepOf(1, "restart", 0),
];
const anySteps = fc.array(fc.oneof(...steps), { minLength: 4, maxLength: 14 });

describe("the newest events in memory", () => {
  it("are those of the files, with any filter and page, while files are dropped and after a restart", async (test) => {
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        let { events, directory } = await openLog(test, { totalBytes });
        let made = 0;
        for (const { kind, count } of steps) {
          if (kind === "restart") {
            await events.close();
            events = (await openLog(test, { totalBytes, directory })).events;
          } else if (kind === "look") {
            await compare(events, count);
          } else {
            for (let index = 0; index < count; index += 1) {
              made += 1;
              const name = made % 17 === 0 ? "rare" : `user-${made}`;
              const type = made % 5 === 0 ? ("user.created" as const) : ("user.changed" as const);
              if (kind === "refuse") events.refuse(refusal(`192.0.2.${made % 250}`), "invalid_credentials");
              else await events.record({ ...change(name), type, actor: { kind: "user", id: ana, name } });
            }
          }
        }
        await compare(events, 200);
        await events.close();
      }),
      runs({ usual: 12, all: 200 }),
    );
  });

  it("are listed, counted and told without a look at the files, which a chain from the oldest on is read from", async (test) => {
    const { events, directory } = await openLog(test);
    for (let index = 0; index < 210; index += 1) await events.record(change(`user-${index}`));
    await events.list({ limit: 5 });
    await rename(directory, `${directory}.away`);
    const { items, total, next_cursor } = await events.list({ limit: 200 });
    assert.deepEqual([items.length, items[0]?.seq, items.at(-1)?.seq, total], [200, 210, 11, 210]);
    assert.equal(next_cursor, "before-11");
    assert.deepEqual((await events.list({ after: 0, limit: 5 })).items, []);
    await rename(`${directory}.away`, directory);
  });

  it("are kept by no agent whose events are not asked for, and by one that is asked in the midst of writing", async (test) => {
    const { events } = await openLog(test);
    const writing = Promise.all(
      Array.from({ length: 30 }, (_, index) => events.record(change(`user-${index}`))),
    );
    const early = events.list({ limit: 200 });
    await writing;
    const { items } = await early;
    const late = (await events.list({ limit: 200 })).items;
    assert.deepEqual([late.length, late[0]?.seq, late.at(-1)?.seq], [30, 30, 1]);
    assert.deepEqual(late.slice(-items.length), items);
  });
});

async function compare(events: EventLog, limit: number): Promise<void> {
  // From the oldest on they are read from the files.
  const all = await allEvents(events);
  for (const { matches, ...filter } of filters) {
    const expected = all.filter(matches).map(({ seq }) => seq);
    const { items, totals } = await pagesOf(events, filter, limit);
    const found = items.map(({ seq }) => seq).reverse();
    assert.deepEqual([found, totals], [expected, [expected.length]]);
  }
}
