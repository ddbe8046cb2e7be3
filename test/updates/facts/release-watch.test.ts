import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { openDevice, startSeconds } from "../../../lab/devices/checking-device.ts";
import { createSimulatedInstaller } from "../../../lab/devices/simulated-installer.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { outcomeCause } from "../../../src/releases/outcome-reasons.ts";
import { emptyJournal, type GoodRelease, type Trial } from "../../../src/releases/release-journal.ts";
import { createProgress } from "../../../src/updates/facts/progress.ts";
import { newsOf, ReleaseWatch } from "../../../src/updates/facts/release-watch.ts";
import { entry } from "../fixture.ts";

const id = "1".repeat(32);
const base: GoodRelease = { id, name: "base", version: "1.2.0" };

/** A watch over a journal that counts how often it is read. */
async function watching(packaged = { rules: null as string | null, binary: null }) {
  const { record } = await openDevice();
  const time = createVirtualTime();
  const side = createSimulatedInstaller(() => startSeconds * 1_000);
  side.names.set(id, { kind: "rules", name: "base", version: "1.2.0" });
  const set = { record, side, reads: 0, changes: 0, told: [] as string[], gate: Promise.resolve() };
  const read = async () => {
    set.reads += 1;
    await set.gate;
    return side.read();
  };
  const notify = (type: string): void => void set.told.push(type);
  const options = { installer: { ...side, read }, timers: time.hostTimers, packaged, record, notify };
  const watch = new ReleaseWatch(options, () => {
    set.changes += 1;
  });
  /** So many reads while so many seconds pass. */
  const readsIn = async (seconds: number) => {
    const before = set.reads;
    await time.runUntil(time.now() + seconds);
    await turn();
    return set.reads - before;
  };
  const onTrial = async () => {
    await side.ask({ verb: "install", id }, new AbortController().signal);
    await watch.refresh();
  };
  /** No read ends before it is called. */
  const close = () => {
    let open = (): void => undefined;
    set.gate = new Promise((resolve) => {
      open = resolve;
    });
    return () => open();
  };
  return Object.assign(set, { watch, readsIn, onTrial, close });
}

describe("the release journal is looked at", () => {
  it("each second while a release was asked for, until each who did so lets go", async () => {
    const { watch, readsIn } = await watching();
    assert.equal(await readsIn(3), 0);
    const [one, other] = [watch.hold(), watch.hold()];
    assert.equal(await readsIn(3), 3);
    one();
    one();
    assert.equal(await readsIn(3), 3, "the other one still holds");
    other();
    await readsIn(1);
    assert.equal(await readsIn(3), 0);
  });

  it("each second while something is on trial, once the agent has started", async () => {
    const { watch, readsIn, onTrial, side } = await watching();
    await onTrial();
    assert.equal(await readsIn(3), 0);
    watch.start();
    assert.equal(await readsIn(3), 3);
    side.commit("rules");
    await readsIn(1);
    assert.equal(await readsIn(3), 0);
  });

  it("once more where it is asked for while it is being read, however often", async () => {
    const set = await watching();
    const open = set.close();
    const all = [1, 2, 3].map(() => set.watch.refresh());
    assert.equal(set.reads, 1);
    open();
    await Promise.all(all);
    assert.equal(set.reads, 2);
    await set.watch.refresh();
    assert.equal(set.reads, 3);
  });

  it("by one listener, until the agent stops", async () => {
    const { watch, side, readsIn, onTrial } = await watching();
    watch.start();
    watch.start();
    assert.equal(side.watching(), 1);
    await onTrial();
    watch.hold();
    assert.ok((await readsIn(2)) > 0);
    await watch.stop();
    watch.hold();
    watch.start();
    assert.deepEqual([side.watching(), await readsIn(5)], [0, 0]);
  });

  it("to its end before the agent stops, and not again", async () => {
    const set = await watching();
    const open = set.close();
    for (const _ of [1, 2]) void set.watch.refresh();
    let hasStopped = false;
    const stopping = set.watch.stop().then(() => {
      hasStopped = true;
    });
    await turn();
    assert.equal(hasStopped, false);
    open();
    await stopping;
    assert.equal(set.reads, 1);
  });

  it("and only a change is told; one that cannot be read says why, and what was known stays", async () => {
    const { watch, side, ...set } = await watching();
    await watch.refresh();
    assert.equal(set.changes, 0);
    side.good("rules", base);
    for (const damage of [null, null, "{", "{"]) {
      side.damage = damage;
      await watch.refresh();
    }
    assert.match(
      watch.unreadable()?.detail ?? "",
      /^The journal of releases cannot be read: it is not JSON\.$/,
    );
    assert.equal(watch.journal().slots.rules.good[0]?.version, "1.2.0");
    side.damage = null;
    await watch.refresh();
    assert.deepEqual([watch.unreadable(), set.told], [null, []]);
  });

  it("and one that is gone is none, and is not told once more when it is back", async () => {
    const { watch, side, told } = await watching();
    const { read } = side;
    const sequences: number[] = [];
    side.refuse("rules", id, "It is withdrawn.");
    for (const reading of [read, async () => null, read]) {
      side.read = reading;
      await watch.refresh();
      sequences.push(watch.journal().sequence);
    }
    assert.deepEqual([sequences, told], [[1, 0, 1], ["update.refused"]]);
  });

  it("without the releases that a package has overtaken", async () => {
    const { watch, side } = await watching({ rules: "1.2.0", binary: null });
    side.good("rules", base, { ...base, id: "2".repeat(32), version: "1.3.0" });
    await watch.refresh();
    const found = watch.journal().slots.rules.good.map(({ version }) => version);
    assert.deepEqual(found, ["1.3.0"]);
  });
});

describe("the end of all trials", () => {
  it("is there at once where nothing is on trial, and comes with the last one's end", async () => {
    const { watch, side, onTrial } = await watching();
    const { signal } = new AbortController();
    await watch.untilQuiet(signal);
    await onTrial();
    let isQuiet = false;
    const quiet = watch.untilQuiet(signal).then(() => {
      isQuiet = true;
    });
    side.phase("rules", { crashes: 1 });
    await watch.refresh();
    await turn();
    assert.equal(isQuiet, false);
    side.commit("rules");
    await watch.refresh();
    await quiet;
  });

  it("is not waited for behind a signal, which may have come before", async () => {
    const { watch, onTrial } = await watching();
    await onTrial();
    const ending = new AbortController();
    const waiting = watch.untilQuiet(ending.signal);
    ending.abort(new Error("stopped"));
    await assert.rejects(waiting, /stopped/);
    await assert.rejects(watch.untilQuiet(ending.signal), /stopped/);
  });
});

describe("the news of the release journal", () => {
  const followed = { sequence: 0, rules: null, binary: null };
  const cause = outcomeCause("unclean_exits", { count: 3, last_answer: "503" });
  const told = (sequence: number, outcome: Parameters<typeof entry>[1] = {}) =>
    entry(sequence, { detail: "It broke", cause, from_version: "1.1.0", restored_healthy: true, ...outcome });

  it("are one event for each outcome, with its facts", () => {
    const outcomes = ["good", "refused", "failed", "deferred", "aborted", "rolled_back"] as const;
    const history = outcomes.map((outcome, index) => told(index + 1, { outcome }));
    const facts = {
      ...{ release_id: id, kind: "rules", name: "base", version: "1.2.0", from_version: "1.1.0" },
      ...{ code: "unclean_exits", detail: "It broke.", count: 3, last_answer: "503" },
    };
    assert.deepEqual(newsOf({ ...emptyJournal, sequence: 6, history }, followed), [
      { type: "update.applied", details: facts },
      { type: "update.refused", details: facts },
      ...outcomes.slice(2).map((outcome) => {
        return { type: "update.undone", details: { ...facts, outcome, restored_healthy: true } };
      }),
    ]);
  });

  it("are what was not told yet, and all of a journal that began anew", () => {
    const journal = { ...emptyJournal, sequence: 3, history: [told(1), told(2), told(3)] };
    const counts = [0, 1, 2, 3, 4].map((sequence) => newsOf(journal, { ...followed, sequence }).length);
    assert.deepEqual(counts, [3, 2, 1, 0, 3]);
  });

  it("are each trial once, also a second one of the same release, and none that goes back on request", () => {
    const trial: Trial = {
      ...{ release: base, phase: "confirming", begun_at: "2026-11-20T11:00:00.000Z", begun_uptime: 0 },
      ...{ boot_id: "boot-1", boots: 1, crashes: 0, deadline_uptime: null, undo: null },
      health: { successes: 0, needed: 3, last: null, at: null },
    };
    const undo = (outcome: "failed" | "rolled_back") => ({ undo: { outcome, reason: "", log: [] } });
    for (const kind of ["rules", "binary"] as const) {
      const details = { release_id: id, kind, name: "base", version: "1.2.0" };
      const applying = [{ type: "update.applying", details }];
      const known = { ...followed, [kind]: `${id} ${trial.begun_at}` };
      for (const [change, before, news] of [
        [{}, followed, applying],
        [{}, known, []],
        [{ begun_at: "2026-11-20T12:00:00.000Z" }, known, applying],
        [undo("failed"), followed, applying],
        [undo("rolled_back"), followed, []],
      ] as const) {
        const slot = { ...emptyJournal.slots[kind], trial: { ...trial, ...change } };
        const journal = { ...emptyJournal, slots: { ...emptyJournal.slots, [kind]: slot } };
        assert.deepEqual(newsOf(journal, before), news);
      }
    }
  });

  it("are told once, since the record keeps how far they were", async () => {
    const set = await watching();
    await set.onTrial();
    await set.watch.refresh();
    assert.deepEqual(set.told, ["update.applying"]);
    const at = new Date(startSeconds * 1_000).toISOString();
    assert.deepEqual(set.record.read().followed, { sequence: 0, rules: `${id} ${at}`, binary: null });
    set.side.commit("rules");
    await set.watch.refresh();
    assert.deepEqual(set.record.read().followed, { sequence: 1, rules: null, binary: null });
    assert.deepEqual([set.told.length, set.changes], [2, 2]);
  });
});

it("progress is told at once in a new phase, of another release and at the end, and else four times a second", () => {
  let now = 0;
  const progress = createProgress(() => now);
  const told: number[] = [];
  const stop = progress.subscribe(({ done_bytes }) => void told.push(done_bytes));
  const report = (done_bytes: number, release_id = id, phase: "downloading" | "idle" = "downloading") =>
    progress.report({ phase, release_id, name: "base", done_bytes, total_bytes: 9 });
  assert.equal(progress.present(), null);
  report(0);
  report(1);
  assert.equal(progress.present()?.done_bytes, 1);
  now = 0.2;
  report(2);
  now = 0.25;
  report(3);
  report(4, "2".repeat(32));
  report(9, "2".repeat(32));
  report(5, "2".repeat(32), "idle");
  assert.equal(progress.present(), null);
  stop();
  report(6);
  assert.deepEqual(told, [0, 3, 4, 9, 5]);
});
