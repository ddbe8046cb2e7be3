import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/host/journal.ts";
import { allEvents, change, openLog } from "../../../lab/state/event-directory.ts";
import {
  type JournalPoints,
  journalFindings,
  readJournalPoints,
} from "../../../src/cli/events/event-journal.ts";
import { createVerification } from "../../../src/cli/events/event-verification.ts";

/** A log of which the beginning was dropped, and what it said of that. */
async function grownLog(test: TestContext) {
  const { events, said } = await openLog(test, { totalBytes: 20_000 });
  for (let index = 0; index < 150; index += 1) await events.record(change(`user-${index}`));
  await events.close();
  const verification = createVerification();
  verification.beginAt(events.reach().chain_from);
  for (const event of await allEvents(events)) verification.add(event);
  const pointsOf = (message: string, seq: string) =>
    said
      .filter((line) => line.message === message)
      .map((line) => ({ log: String(line.log), seq: Number(line[seq]), hash: String(line.hash) }));
  const journal: JournalPoints = {
    heads: pointsOf("event log head", "seq"),
    drops: pointsOf("event log segment dropped", "last_seq"),
  };
  return { verification, journal };
}

const otherHash = "a".repeat(64);

describe("what the journal knows of the event log", () => {
  it("counts once what is in the namespace of the audit lines and, as a copy, in the journal", async (test) => {
    const head = { message: "event log head", log: "changes", seq: 7, hash: otherHash };
    const drop = { message: "event log segment dropped", log: "changes", last_seq: 3, hash: otherHash };
    const entry = (said: object, more: object = {}) =>
      `${JSON.stringify({ MESSAGE: "a sentence", STEWARD_JSON: JSON.stringify(said), ...more })}\n`;
    const file = join(temporaryDirectory(test), "exported");
    const copy = { STEWARD_COPY: "1" };
    writeFileSync(
      file,
      [entry(drop, copy), entry(drop), entry(head), entry(head, copy), entry({ ...head, seq: 8 })].join(""),
    );
    assert.deepEqual(await readJournalPoints(file), {
      heads: [7, 8].map((seq) => ({ log: "changes", seq, hash: otherHash })),
      drops: [{ log: "changes", seq: 3, hash: otherHash }],
    });
  });

  it("fits an untouched log, also where its beginning was dropped", async (test) => {
    const { verification, journal } = await grownLog(test);
    assert.ok(journal.drops.length > 0 && journal.heads.length > 0, "there is nothing to compare");
    assert.deepEqual(verification.findings(), []);
    assert.deepEqual(journalFindings(journal, verification), []);
  });

  it("shows a beginning that is not what followed the events dropped last", async (test) => {
    const { verification, journal } = await grownLog(test);
    const drops = journal.drops.map((point) => ({ ...point, hash: otherHash }));
    const [finding] = journalFindings({ ...journal, drops }, verification);
    assert.match(finding?.what ?? "", /follows on no event/);
  });

  it("shows a head with another hash, and one that the log does not reach", async (test) => {
    const { verification } = await grownLog(test);
    const heads = [
      { log: "changes", seq: 149, hash: otherHash },
      { log: "changes", seq: 160, hash: otherHash },
      { log: "changes", seq: 1, hash: otherHash },
    ];
    assert.deepEqual(journalFindings({ heads, drops: [] }, verification), [
      { seq: 149, what: "has another hash in the journal: changes was rewritten" },
      { seq: 151, what: "is missing from changes, which reached 160 by the journal" },
    ]);
  });

  it("shows that a log is gone altogether", async (test) => {
    const { verification, journal } = await grownLog(test);
    const heads = [...journal.heads, { log: "refusals", seq: 77, hash: otherHash }];
    const [finding] = journalFindings({ ...journal, heads }, verification);
    assert.deepEqual(finding, { seq: 77, what: "is missing, and with it all of refusals, by the journal" });
    const nothing = journalFindings(journal, createVerification());
    assert.equal(nothing.length, 1);
  });
});
