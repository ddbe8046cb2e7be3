import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { allEvents, change, filesOf, type OpenedLog, openLog } from "../../../lab/state/event-directory.ts";
import type { EventType } from "../../../src/contract/event-types.ts";
import type { EventFacts } from "../../../src/journal/events/event.ts";
import type { EventLog } from "../../../src/journal/events/event-log.ts";

/** Some 90 lines in the log and 45 kept. */
const totalBytes = 90_000;

/** A change by this actor; each differs from the one before. */
let made = 0;
function changeBy(name: string, type: EventType = "user.changed"): EventFacts {
  made += 1;
  const id = `usr_${Buffer.from(name).toString("hex").padEnd(32, "0")}`;
  return { ...change(`user-${made}`), type, actor: { kind: "user", id, name } };
}

async function record(events: EventLog, name: string, count: number, type?: EventType): Promise<void> {
  for (let index = 0; index < count; index += 1) await events.record(changeBy(name, type));
}

async function countsOf(events: EventLog): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { actor } of await allEvents(events))
    counts[`${actor.name}`] = (counts[`${actor.name}`] ?? 0) + 1;
  return counts;
}

const keptFile = ({ directory }: OpenedLog) => join(directory, "kept-changes.jsonl");

describe("the changes that are kept", () => {
  it("are those of others, whatever one actor does, within the bytes", async (test) => {
    const opened = await openLog(test, { totalBytes });
    const { events, directory } = opened;
    await record(events, "ana", 4);
    await record(events, "ben", 4, "settings.changed");
    await record(events, "eve", 600);
    const { ana, ben, eve = 0 } = await countsOf(events);
    assert.deepEqual([ana, ben], [4, 4]);
    assert.ok(eve < 200, `${eve} of eve`);
    const bytes = (await filesOf(directory)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    // The heading comes in addition.
    assert.ok(bytes < totalBytes + 1_000, `${bytes} bytes`);
  });

  it("of one who brings many into a full record keep an eighth of it, and take no more from others", async (test) => {
    const { events } = await openLog(test, { totalBytes });
    await record(events, "ana", 400);
    const before = (await countsOf(events)).ana ?? 0;
    await record(events, "eve", 100, "settings.changed");
    const kept = (await countsOf(events)).ana ?? 0;
    assert.ok(kept < before, "the chain goes on over them");
    await record(events, "eve", 600);
    const { ana = 0 } = await countsOf(events);
    assert.ok(ana >= kept * (7 / 8) - 1, `${ana} of ${kept} are left`);
  });

  it("of many actors go by how much each has", async (test) => {
    const { events } = await openLog(test, { totalBytes });
    for (let actor = 0; actor < 40; actor += 1) await record(events, `actor-${actor}`, 20);
    const actors = Object.keys(await countsOf(events));
    assert.ok(actors.length >= 10, `${actors.length} actors are left`);
  });

  it("are listed in order, counted once, and are found again by the next agent", async (test) => {
    const opened = await openLog(test, { totalBytes });
    await record(opened.events, "ana", 5);
    await record(opened.events, "eve", 500);
    const before = await allEvents(opened.events);
    const { total, reach } = await opened.events.list({ limit: 1 });
    assert.equal(total, before.length);
    const seqs = before.map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    );
    await opened.events.close();
    const { events } = await openLog(test, { totalBytes, directory: opened.directory });
    assert.deepEqual(await allEvents(events), before);
    assert.deepEqual(events.reach(), reach);
    const newest = await events.list({ limit: 200 });
    assert.deepEqual(newest.items, before.toReversed().slice(0, 200));
  });

  it("are not there twice after a crash between taking over and removal", async (test) => {
    const opened = await openLog(test, { totalBytes });
    const { directory } = opened;
    while (!existsSync(keptFile(opened))) await record(opened.events, "ana", 1);
    await opened.events.close();
    const before = await allEvents(opened.events);
    const kept = (await readFile(keptFile(opened), "utf8")).split("\n").slice(1);
    await writeFile(join(directory, "changes-0000000000000001.jsonl"), kept.join("\n"));
    const { events } = await openLog(test, { totalBytes, directory });
    assert.deepEqual(await allEvents(events), before);
    assert.equal(existsSync(join(directory, "changes-0000000000000001.jsonl")), false);
  });
});

describe("how far back the record goes", () => {
  it("is to its beginning while nothing is gone, also when the chain no longer does", async (test) => {
    const { events } = await openLog(test, { totalBytes });
    assert.deepEqual(events.reach(), { chain_from: 1, complete_since: null });
    for (let round = 0; round < 40; round += 1)
      for (const type of ["settings.changed", "user.changed", "token.created"] as const)
        await record(events, "ana", 1, type);
    const { chain_from, complete_since } = events.reach();
    assert.ok(chain_from > 1);
    assert.equal(complete_since, null);
    assert.equal(events.trouble(), null);
  });

  it("is a need when it becomes shorter than 30 days, and none when the rest is older", async (test) => {
    const clock = { now: Date.parse("2026-11-20T12:00:00.000Z") };
    const { events } = await openLog(test, { totalBytes, now: () => new Date(clock.now) });
    await record(events, "eve", 1_000);
    const { complete_since } = events.reach();
    assert.equal(complete_since, "2026-11-20T12:00:00.000Z");
    const { code, facts } = events.trouble() ?? {};
    assert.deepEqual([code, facts], ["events_short", { complete_since }]);
    clock.now += 30 * 86_400_000;
    assert.equal(events.trouble()?.code, "events_short");
    clock.now += 1;
    assert.equal(events.trouble(), null);
  });

  it("is told of a log whose beginning another release dropped", async (test) => {
    const opened = await openLog(test, { totalBytes });
    await record(opened.events, "ana", 400);
    await opened.events.close();
    await rm(keptFile(opened));
    const { events } = await openLog(test, { totalBytes, directory: opened.directory });
    const { items } = await events.list({ after: 0, limit: 1 });
    assert.equal(events.reach().complete_since, items[0]?.time);
  });

  it("ends where the file is not what was written: it is kept, and the finding says so", async (test) => {
    for (const damage of [
      (text: string) => text.replace("user-", "xser-"),
      (text: string) => text.slice(0, -200),
      () => "",
      () => "{}\n",
      () => "null\n",
      (text: string) => text.replace('"lost":', '"lost":5,"x":'),
      (text: string) => text.replace('"through":', '"through":1'),
    ]) {
      const opened = await openLog(test, { totalBytes });
      await record(opened.events, "ana", 300);
      await opened.events.close();
      const path = keptFile(opened);
      const damaged = damage(await readFile(path, "utf8"));
      await writeFile(path, damaged);
      const { events } = await openLog(test, { totalBytes, directory: opened.directory });
      assert.equal(events.trouble()?.code, "events_damaged");
      assert.notEqual(events.reach().complete_since, null);
      await record(events, "ana", 100);
      assert.equal(await readFile(`${path}.bad`, "utf8"), damaged);
      await events.close();
      const again = await openLog(test, { totalBytes, directory: opened.directory });
      assert.equal(again.events.trouble()?.code, "events_short");
    }
  });
});
