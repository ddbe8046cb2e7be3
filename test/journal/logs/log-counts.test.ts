import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Journal, JournalEnd, JournalEntry } from "../../../src/host/ports.ts";
import { countJournal } from "../../../src/journal/logs/log-counts.ts";
import { readJournalLine } from "../../../src/journal/logs/log-line.ts";

/** The newest of the entries; each further one is a second older. */
const newest = Date.parse("2026-11-20T12:00:00Z");

const entryAt = (place: number): JournalEntry => ({
  ...{ cursor: `${place}`, timeMilliseconds: newest - place * 1_000, unit: "pump.service" },
  ...{ isFromSystemd: false, identifier: "pump", severity: 3, pid: 7, message: "the pump is dry" },
  ...{ ownLine: null, isCopy: false },
});

/** A journal with so many entries, and the end that its reading comes to unless it is stopped. */
async function countOf(entries: number, end: JournalEnd) {
  const journal: Journal = {
    read: async (_, visit) => {
      for (let place = 0; place < entries; place += 1) if (!visit(entryAt(place))) return { kind: "stopped" };
      return end;
    },
    follow: async () => assert.fail("a count does not follow"),
  };
  const readLine = (entry: JournalEntry) => readJournalLine(entry, () => true);
  return countJournal({ journal, units: [], readLine }, { mayReadAudit: false });
}

const momentOf = (place: number) => new Date(newest - place * 1_000).toISOString();

describe("counts of the journal", () => {
  it("are of the newest 10,000 lines, and say from when", async () => {
    const units = { "pump.service": { err: 10_000 } };
    assert.deepEqual(await countOf(10_001, { kind: "whole" }), { units, from: momentOf(9_999) });
    assert.deepEqual(await countOf(10_000, { kind: "whole" }), { units, from: null });
  });

  it("say from when where the reading took too long, and are none where it has come to no line", async () => {
    const units = { "pump.service": { err: 2 } };
    assert.deepEqual(await countOf(2, { kind: "bounded" }), { units, from: momentOf(1) });
    assert.equal(await countOf(0, { kind: "bounded" }), undefined);
    assert.deepEqual(await countOf(0, { kind: "whole" }), { units: {}, from: null });
  });

  it("are none where the journal cannot be read, also in the middle", async () => {
    for (const entries of [0, 2])
      assert.equal(await countOf(entries, { kind: "unreadable", detail: "no such file" }), undefined);
  });
});
