import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noticeOf } from "../../lab/host/messages.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import { readBatch } from "../../src/outbox/batch.ts";
import type { Takes } from "../../src/outbox/notices.ts";

/**
 * By a letter: `n` a need, `g` one that is grave, `c` a change of no interest, `r` a refusal, `p` a
 * grave need of the product; `.` was dropped.
 */
function recordOf(letters: string): AuditEvent[] {
  let previous_hash = "0";
  return [...letters].flatMap((letter, index) => {
    const seq = index + 1;
    const level = /[gp]/.test(letter) ? "failing" : "attention";
    const type = letter === "r" ? "sign_in.refused" : letter === "c" ? "user.changed" : "need.began";
    const { event } = noticeOf(seq, { type, details: { need: "disk_full", level } });
    const log = letter === "r" ? ("refusals" as const) : ("changes" as const);
    const made = {
      ...event,
      ...(letter === "p" && {
        actor: { kind: "product", id: "pump.service", name: "pump.service" } as const,
      }),
      log,
      previous_hash: log === "changes" ? previous_hash : "r",
      hash: log === "changes" ? `${seq}` : "r",
    };
    if (log === "changes") previous_hash = made.hash;
    return letter === "." ? [] : [made];
  });
}

interface Query {
  readonly takes?: Takes;
  readonly from?: number;
  readonly last?: number | null;
  readonly most?: number;
  /** The newest event with a lasting number; absent: the last one. */
  readonly head?: number;
}

/** The hash of the last change before the batch is known. */
async function batchOf(
  letters: string,
  { takes = "all", from = 0, last = null, most, head = letters.length }: Query = {},
) {
  const events = recordOf(letters);
  const queue = {
    head: () => head,
    subscribe: () => () => undefined,
    list: async ({ after, limit }: { after: number; limit: number }) => {
      const items = events.filter(({ seq }) => seq > after).slice(0, limit);
      return { items, next_cursor: items.length < limit ? null : "more" };
    },
  };
  const position = { seq: from, change_hash: `${from}` };
  const query = { takes, from: position, last, ...(most !== undefined && { most }) };
  const { batch, waiting, idle } = await readBatch(queue, query);
  const gap = batch?.gap ? `${batch.gap.from}-${batch.gap.to}` : "none";
  const seqs = batch?.events.map(({ seq }) => seq) ?? [];
  return { batch, line: `${seqs.join() || "nothing"}, gap ${gap}, waiting ${waiting}, idle ${idle.seq}` };
}

describe("a batch of events", () => {
  const rows: readonly [record: string, query: Query, line: string][] = [
    ["ccn", {}, "3, gap none, waiting 1, idle 2"],
    ["cncnc", {}, "2,4, gap none, waiting 2, idle 1"],
    ["ccc", {}, "nothing, gap none, waiting 0, idle 3"],
    ["nnn", { from: 1 }, "2,3, gap none, waiting 2, idle 1"],
    // The message that was tried keeps its end; what waits is counted all the same.
    ["nnn", { last: 2 }, "1,2, gap none, waiting 3, idle 0"],
    // An event without a lasting number waits for the next reading.
    ["nnn", { head: 2 }, "1,2, gap none, waiting 2, idle 0"],
    // A dropped change is missed by the chain, from the one behind the last known on.
    ["c..n", {}, "4, gap 2-3, waiting 1, idle 1"],
    ["c.cn.n", {}, "4,6, gap 2-5, waiting 2, idle 1"],
    ["..n", { from: 0 }, "3, gap 1-2, waiting 1, idle 0"],
    // Dropped refusals are of interest only to the record, which goes by the numbers.
    ["crrn", {}, "4, gap none, waiting 1, idle 3"],
    ["c.n", { takes: "record" }, "1,3, gap 2-2, waiting 3, idle 0"],
    ["crn", { takes: "record" }, "1,2,3, gap none, waiting 3, idle 0"],
    ["ccccc", { takes: "record", most: 2 }, "1,2, gap none, waiting 5, idle 0"],
    ["ngn", { takes: "grave" }, "2, gap none, waiting 1, idle 1"],
  ];
  for (const [record, query, line] of rows)
    it(`of ${record} by ${JSON.stringify(query)} is ${line}`, async () =>
      assert.equal((await batchOf(record, query)).line, line));

  it("is grave by one of its events, wherever that stands", async () => {
    for (const [record, isGrave] of [
      ["nn", false],
      ["gn", true],
      ["ng", true],
    ] as const)
      assert.equal((await batchOf(record)).batch?.isGrave, isGrave, record);
  });

  it("of a storm counts all, and names the grave ones and the newest, twenty together", async () => {
    const { batch } = await batchOf(`g${"n".repeat(450)}`);
    assert.deepEqual([batch?.count, batch?.first, batch?.last], [451, 1, 451]);
    assert.deepEqual(batch?.counts, { "need.began": 451 });
    const newest = Array.from({ length: 19 }, (_, index) => 433 + index);
    const seqs = batch?.events.map(({ seq }) => seq);
    assert.deepEqual(seqs, [1, ...newest]);
  });

  it("names those of the product behind Steward's own, however grave and new they are", async () => {
    const seqsOf = async (letters: string) => (await batchOf(letters)).batch?.events.map(({ seq }) => seq);
    const newest = Array.from({ length: 18 }, (_, index) => 284 + index);
    assert.deepEqual(await seqsOf(`gn${"p".repeat(299)}`), [1, 2, ...newest]);
    const own = Array.from({ length: 20 }, (_, index) => index + 1);
    assert.deepEqual(await seqsOf(`${"n".repeat(20)}${"p".repeat(50)}`), own);
  });

  it("of the record has two hundred events at most, one page of several, and ends behind the last of them", async () => {
    const { batch } = await batchOf("c".repeat(450), { takes: "record", from: 10 });
    assert.deepEqual([batch?.first, batch?.last, batch?.count, batch?.events.length], [11, 210, 200, 200]);
    const [before, end] = [
      { seq: 10, change_hash: "10" },
      { seq: 210, change_hash: "210" },
    ];
    assert.deepEqual([batch?.before, batch?.end], [before, end]);
  });
});
