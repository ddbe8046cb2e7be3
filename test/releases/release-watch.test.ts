import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { createSimulatedInstaller } from "../../lab/devices/simulated-installer.ts";
import type { JournalEntry, ReleaseJournal, Trial } from "../../src/releases/release-journal.ts";
import { emptyJournal, readReleaseJournal, releaseJournalText } from "../../src/releases/release-journal.ts";
import { newsOf, ReleaseWatch } from "../../src/updates/facts/release-watch.ts";

const entry = (sequence: number, outcome: JournalEntry["outcome"]): JournalEntry => ({
  ...{ sequence, at: "2026-11-20T12:00:00.000Z", kind: "rules", release_id: "1".repeat(32), name: "base" },
  ...{ version: "1.0.0", from_version: null, outcome, detail: "So it is.", restored_healthy: null },
  ...{ seconds: 1, log: [] },
});

const trial = (begun_at: string, undo: Trial["undo"] = null): Trial => ({
  ...{ release: { id: "1".repeat(32), name: "base", version: "1.0.0" }, phase: "confirming", begun_at },
  ...{ begun_uptime: 0, boot_id: "boot-1", boots: 1, crashes: 0, deadline_uptime: null, undo },
  health: { successes: 0, needed: 3, last: null, at: null },
});

const journalOf = (history: JournalEntry[], rules: Trial | null = null): ReleaseJournal => ({
  sequence: history.at(-1)?.sequence ?? 0,
  history,
  slots: { ...emptyJournal.slots, rules: { good: [], trial: rules, setAside: [] } },
});

const nothing = { sequence: 0, rules: null, binary: null };
const typesOf = (...told: Parameters<typeof newsOf>) => newsOf(...told).map(({ type }) => type);

describe("the news in a journal of releases", () => {
  it("are its entries since the last one that was told, in their order", () => {
    const journal = journalOf([
      entry(4, "good"),
      entry(5, "refused"),
      entry(6, "deferred"),
      entry(7, "aborted"),
    ]);
    const told = typesOf(journal, { ...nothing, sequence: 4 });
    assert.deepEqual(told, ["update.refused", "update.undone", "update.undone"]);
    assert.deepEqual(typesOf(journal, { ...nothing, sequence: 7 }), []);
  });

  it("are all of them where it begins anew: root has put another one there", () => {
    assert.deepEqual(typesOf(journalOf([entry(1, "good")]), { ...nothing, sequence: 9 }), ["update.applied"]);
  });

  it("are a trial once, and the next one of the same release again", () => {
    const first = journalOf([], trial("2026-11-20T12:00:00.000Z"));
    assert.deepEqual(typesOf(first, nothing), ["update.applying"]);
    const followed = { ...nothing, rules: `${"1".repeat(32)} 2026-11-20T12:00:00.000Z` };
    assert.deepEqual(typesOf(first, followed), []);
    assert.deepEqual(typesOf(journalOf([], trial("2026-11-20T13:00:00.000Z")), followed), [
      "update.applying",
    ]);
  });

  it("are no trial that goes back, for that is told when it is done", () => {
    const undo = { outcome: "rolled_back", reason: "It was rolled back on request.", log: [] } as const;
    assert.deepEqual(typesOf(journalOf([], trial("2026-11-20T12:00:00.000Z", undo)), nothing), []);
  });
});

describe("a watch over the journal of releases", () => {
  const openWatch = async () => {
    const device = await openDevice();
    const side = createSimulatedInstaller(() => startSeconds * 1_000);
    let changes = 0;
    const watch = new ReleaseWatch({ ...device.options, installer: side }, () => {
      changes += 1;
    });
    let reads = 0;
    const { read } = side;
    side.read = () => {
      reads += 1;
      return read();
    };
    return { device, side, watch, changes: () => changes, reads: () => reads };
  };
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  };

  it("does not read the journal unasked while nothing is on trial, and reads it each second during a trial", async () => {
    const { device, side, watch, reads } = await openWatch();
    watch.start();
    await device.time.runUntil(3_600);
    assert.equal(reads(), 0);
    await side.ask({ verb: "install", id: "1".repeat(32) }, new AbortController().signal);
    await turns();
    const before = reads();
    await device.time.runUntil(3_610);
    assert.ok(reads() - before >= 9 && reads() - before <= 11, `${reads() - before} times in ten seconds`);
    side.commit("rules");
    await turns();
    const after = reads();
    await device.time.runUntil(7_200);
    assert.ok(reads() - after <= 1, "it went on reading");
    await watch.stop();
    assert.equal(side.watching(), 0);
  });

  it("keeps what it knew while the journal cannot be read, and says so; a journal mended is good again", async () => {
    const { side, watch, changes } = await openWatch();
    side.good("rules", { id: "1".repeat(32), name: "base", version: "1.0.0" });
    await watch.refresh();
    side.damage = "{}";
    await watch.refresh();
    assert.match(watch.unreadable()?.detail ?? "", /cannot be read/);
    assert.equal(watch.journal().slots.rules.good[0]?.version, "1.0.0");
    side.damage = null;
    await watch.refresh();
    assert.deepEqual([watch.unreadable(), changes()], [null, 3]);
  });

  it("takes a journal that is gone for none, and does not tell it all again when it is back", async () => {
    const { device, side, watch } = await openWatch();
    side.refuse("rules", "1".repeat(32), "It is withdrawn.");
    await watch.refresh();
    const { read } = side;
    side.read = async () => null;
    await watch.refresh();
    assert.equal(watch.journal().sequence, 0);
    side.read = read;
    await watch.refresh();
    assert.equal(device.types().filter((type) => type === "update.refused").length, 1);
  });

  it("says when a trial has ended, or with the reason of a signal", async () => {
    const { side, watch } = await openWatch();
    await side.ask({ verb: "install", id: "1".repeat(32) }, new AbortController().signal);
    await watch.refresh();
    const ending = new AbortController();
    const reason = new Error("stopping");
    const stopped = assert.rejects(watch.untilQuiet(ending.signal), reason);
    ending.abort(reason);
    await stopped;
    const quiet = watch.untilQuiet(new AbortController().signal);
    side.commit("rules");
    await watch.refresh();
    await quiet;
  });
});

describe("a journal that a newer release has added members to", () => {
  it("is read, and they are passed on", () => {
    const added = { ...journalOf([{ ...entry(1, "good"), mood: "fine" } as JournalEntry]), mood: "fine" };
    const read = readReleaseJournal(Buffer.from(releaseJournalText(added)));
    assert.deepEqual(read, added);
  });
});
