import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createFailureCounters, createSlidingWindows } from "../../../src/accounts/throttle/counters.ts";
import { createThrottleWriter } from "../../../src/accounts/throttle/throttle-writer.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";

describe("a row of failures", () => {
  const options = { limit: 16, quietSeconds: 100 };

  it("counts tries, dates them by the last, and begins anew when it was quiet for so long", () => {
    const counters = createFailureCounters([["stored", { failures: 4, at: 1 }]], options);
    assert.equal(counters.get("ana", 10), undefined);
    counters.count("ana", 10);
    counters.count("ana", 15);
    assert.deepEqual(counters.get("ana", 15), { failures: 2, at: 15 });
    assert.deepEqual(counters.get("ana", 114), { failures: 2, at: 15 });
    assert.equal(counters.get("ana", 115), undefined);
    assert.deepEqual(counters.entries(100), [
      ["stored", { failures: 4, at: 1 }],
      ["ana", { failures: 2, at: 15 }],
    ]);
    assert.deepEqual(counters.entries(101), [["ana", { failures: 2, at: 15 }]]);
    counters.count("ana", 115);
    assert.deepEqual(counters.get("ana", 115), { failures: 1, at: 115 });
  });

  it("is as before when a try is taken back, and keeps what came after it or ended it", () => {
    const counters = createFailureCounters([], options);
    const undoFirst = counters.count("ana", 10);
    counters.count("ana", 20)();
    assert.deepEqual(counters.get("ana", 20), { failures: 1, at: 10 });
    counters.count("ana", 30);
    undoFirst();
    assert.deepEqual(counters.get("ana", 30), { failures: 1, at: 30 });
    const undoLast = counters.count("ana", 40);
    counters.clear((key) => key === "bob");
    assert.equal(counters.get("ana", 40)?.failures, 2);
    counters.clear((key) => key === "ana");
    undoLast();
    assert.equal(counters.get("ana", 40), undefined);
    counters.count("eve", 50)();
    assert.deepEqual(counters.entries(50), []);
  });

  it("is kept while there is room; then a sixteenth goes, the longest untouched first", () => {
    const counters = createFailureCounters([], options);
    const keys = (now: number) => counters.entries(now).map(([key]) => key);
    for (let count = 0; count < 16; count += 1) counters.count(`k${count}`, 1);
    counters.trim(1);
    assert.equal(keys(1).length, 16);
    counters.count("k0", 2);
    counters.count("new", 2);
    counters.trim(2);
    const left = [...Array.from({ length: 13 }, (_, index) => `k${index + 3}`), "k0", "new"];
    assert.deepEqual(keys(2), left);
  });

  it("goes by its rank before its age", () => {
    const rank = (key: string, { failures }: { failures: number }, now: number) =>
      now === 9 && key !== "k15" ? failures : 0;
    const counters = createFailureCounters([], { ...options, rank });
    for (let count = 0; count < 17; count += 1) counters.count(`k${count}`, 1);
    counters.count("k1", 2);
    counters.trim(9);
    const gone = Array.from({ length: 17 }, (_, index) => `k${index}`).filter((key) => !counters.get(key, 9));
    assert.deepEqual(gone, ["k0", "k15"]);
  });

  it("is taken over in a full table by a new key, the shortest one, the longest untouched of these", () => {
    const of = (failures: number, at = 1) => ({ failures, at });
    const stored = Object.entries({ a: of(3), b: of(2), c: of(2) });
    const open = (limit: number, inherits = true, rows = stored) =>
      createFailureCounters(rows, { limit, quietSeconds: 100, inherits });
    const counters = open(3);
    counters.count("a", 2);
    assert.equal(counters.entries(2).length, 3, "it has a row");
    const undo = counters.count("new", 5);
    assert.deepEqual([counters.get("b", 5), counters.get("c", 5)], [undefined, of(2)]);
    assert.deepEqual(counters.get("new", 5), of(3, 5));
    undo();
    assert.deepEqual(counters.get("new", 5), of(2));
    const quiet = open(4, true, [...stored, ["d", of(9, 50)]]);
    quiet.count("new", 101);
    assert.deepEqual(quiet.get("new", 101), of(1, 101), "a row that is forgotten gives its place alone");
    assert.deepEqual(quiet.get("d", 101), of(9, 50));
    const [roomy, plain] = [open(4), open(3, false)];
    for (const one of [roomy, plain]) one.count("new", 5);
    assert.deepEqual([roomy.get("new", 5), roomy.get("b", 5)], [of(1, 5), of(2)]);
    assert.deepEqual([plain.get("new", 5), plain.entries(5).length], [of(1, 5), 4]);
  });
});

describe("a sliding window", () => {
  const size = { failures: 3, seconds: 10 };

  it("is full from the third failure, until the oldest of the last three leaves it", () => {
    const windows = createSlidingWindows([["stored", [1, 2]]], 16, size);
    assert.equal(windows.end("a", 5), Number.NEGATIVE_INFINITY);
    for (const at of [5, 6]) windows.count("a", at);
    assert.equal(windows.end("a", 6), Number.NEGATIVE_INFINITY);
    windows.count("a", 7);
    assert.equal(windows.end("a", 7), 15);
    windows.count("a", 8);
    assert.equal(windows.end("a", 8), 16);
    assert.equal(windows.end("a", 16), Number.NEGATIVE_INFINITY);
    assert.deepEqual(windows.entries(8), [
      ["stored", [1, 2]],
      ["a", [6, 7, 8]],
    ]);
    assert.deepEqual(windows.entries(11), [
      ["stored", [2]],
      ["a", [6, 7, 8]],
    ]);
    assert.deepEqual(windows.entries(17), [["a", [8]]]);
    assert.deepEqual(windows.entries(18), []);
  });

  it("loses the one that is taken back, and what was cleared stays cleared", () => {
    const windows = createSlidingWindows([], 16, size);
    const undoFirst = windows.count("a", 1);
    const undoSecond = windows.count("a", 2);
    undoFirst();
    assert.deepEqual(windows.entries(2), [["a", [2]]]);
    undoFirst();
    assert.deepEqual(windows.entries(2), [["a", [2]]]);
    windows.clear("b");
    windows.count("a", 3);
    windows.clear("a");
    windows.count("a", 4);
    undoSecond();
    assert.deepEqual(windows.entries(4), [["a", [4]]]);
    windows.clear("a");
    undoSecond();
    assert.deepEqual(windows.entries(4), []);
    for (let count = 0; count < 16; count += 1) windows.count(`k${count}`, 4);
    windows.trim(4);
    assert.equal(windows.entries(4).length, 16, "it takes no place");
  });

  it("goes for want of room where it is not full, the longest untouched first", () => {
    const windows = createSlidingWindows([], 16, size);
    for (let count = 0; count < 3; count += 1) windows.count("full", 1);
    for (let count = 0; count < 16; count += 1) windows.count(`k${count}`, 2);
    windows.trim(2);
    const keys = () => windows.entries(2).map(([key]) => key);
    assert.deepEqual(keys(), ["full", ...Array.from({ length: 14 }, (_, index) => `k${index + 2}`)]);
    for (const key of ["new-1", "new-2"]) windows.count(key, 11);
    windows.trim(11);
    const found = windows.entries(11).some(([key]) => key === "full");
    assert.equal(found, false, "it is full no more");
  });
});

describe("the writer of counts", () => {
  const begin = (test: TestContext) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    let now = 1_000;
    const writes: number[] = [];
    const writer = createThrottleWriter(
      { uptime: () => now, timers: createTimers() },
      () => void writes.push(now - 1_000),
    );
    const pass = (seconds: number): void => {
      for (let passed = 0; passed < seconds; passed += 1) {
        now += 1;
        test.mock.timers.tick(1_000);
      }
    };
    return { writer, writes, pass };
  };

  it("writes ten locks within two seconds each, and further ones like failures, but for one a minute", (test) => {
    const { writer, writes, pass } = begin(test);
    for (let lock = 0; lock < 10; lock += 1) {
      writer.soon();
      writer.soon();
      pass(2);
    }
    assert.deepEqual(writes, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    writer.soon();
    pass(15);
    assert.deepEqual(writes.slice(10), [35]);
    pass(60);
    for (const _ of [1, 2]) {
      writer.soon();
      pass(15);
    }
    assert.deepEqual(writes.slice(11), [97, 125]);
    pass(3_600);
    const before = writes.length;
    for (let lock = 0; lock < 11; lock += 1) {
      writer.soon();
      pass(2);
    }
    assert.equal(writes.length - before, 10, "no more than ten are saved up");
  });

  it("brings forward for a lock what waits for a failure", (test) => {
    const { writer, writes, pass } = begin(test);
    writer.within(15);
    writer.soon();
    pass(20);
    assert.deepEqual(writes, [2]);
  });

  for (const isWaiting of [false, true])
    for (const isWorthIt of [false, true])
      it(`is closed, with something that waits: ${isWaiting}, worth a write: ${isWorthIt}; never writes afterwards`, (test) => {
        const { writer, writes, pass } = begin(test);
        if (isWaiting) writer.within(15);
        writer.close(isWorthIt);
        writer.within(1);
        writer.soon();
        pass(60);
        assert.deepEqual(writes, isWaiting || isWorthIt ? [0] : []);
      });
});
