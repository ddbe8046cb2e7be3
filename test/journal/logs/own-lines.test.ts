import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/host/journal.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { createKeptLines } from "../../../src/journal/logs/kept-lines.ts";
import { createOwnLines, type OwnLine } from "../../../src/journal/logs/own-lines.ts";

const texts = (lines: readonly OwnLine[]) => lines.map(({ text }) => text);

describe("the agent's own lines", () => {
  it("are the last thousand", async () => {
    const own = createOwnLines();
    for (let line = 1; line <= 1_500; line += 1) own.add(`${line}\n`, "info");
    const lines = await own.read();
    assert.deepEqual([lines.length, lines[0]?.sequence, lines.at(-1)?.text], [1_000, 501, "1500"]);
  });

  it("take 256 KiB of memory at most, however long they are", async () => {
    const own = createOwnLines();
    for (let line = 0; line < 100; line += 1) own.add(`${"x".repeat(10_000)}\n`, "info");
    assert.equal((await own.read()).length, 26);
  });

  it("are handed to subscribers until they stop", () => {
    const own = createOwnLines();
    const seen: OwnLine[] = [];
    const stop = own.subscribe((line) => seen.push(line));
    own.add("one\n", "info");
    stop();
    own.add("two\n", "info");
    assert.deepEqual(texts(seen), ["one"]);
  });

  describe("where no journal keeps them", () => {
    it("outlive the agent when they matter; requests do not", async (test) => {
      const directory = temporaryDirectory(test);
      const first = createOwnLines();
      first.keepIn(createKeptLines(directory), createTimers());
      first.add("request\n", "info");
      first.add("listening\n", "notice");
      first.add("trouble\n", "error");
      await first.close();
      const second = createOwnLines();
      second.keepIn(createKeptLines(directory), createTimers());
      second.add("listening again\n", "notice");
      assert.deepEqual(await second.read(), [
        { sequence: -1, text: "listening" },
        { sequence: 0, text: "trouble" },
        { sequence: 1, text: "listening again" },
      ]);
      assert.equal(statSync(join(directory, "log.jsonl")).mode & 0o777, 0o600);
    });

    it("are shown once, also when this run's are written down before they are read", async (test) => {
      const directory = temporaryDirectory(test);
      test.mock.timers.enable({ apis: ["setTimeout"] });
      const own = createOwnLines();
      own.keepIn(createKeptLines(directory), createTimers());
      own.add("one\n", "notice");
      test.mock.timers.tick(30_000);
      await own.close();
      assert.deepEqual(texts(await own.read()), ["one"]);
    });

    it("are written at most every 30 s, and not at all when nothing happens", async (test) => {
      const writes: (readonly string[])[] = [];
      test.mock.timers.enable({ apis: ["setTimeout"] });
      const own = createOwnLines();
      own.keepIn({ read: async () => [], append: async (lines) => void writes.push(lines) }, createTimers());
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      for (let second = 0; second < 60; second += 1) {
        own.add(`${second}\n`, "notice");
        test.mock.timers.tick(1_000);
        await settle();
      }
      assert.deepEqual(
        writes.map((lines) => lines.length),
        [30, 30],
      );
      test.mock.timers.tick(3_600_000);
      await settle();
      await own.close();
      assert.equal(writes.length, 2);
    });

    it("are written when the agent stops, also those of before the place was known", async (test) => {
      const directory = temporaryDirectory(test);
      const own = createOwnLines();
      own.add("early\n", "warning");
      own.keepIn(createKeptLines(directory), createTimers());
      await own.close();
      assert.equal(readFileSync(join(directory, "log.jsonl"), "utf8"), "\nearly");
    });

    it("are lost without a word when the disk takes nothing to the end", async (test) => {
      const directory = temporaryDirectory(test);
      const own = createOwnLines();
      own.keepIn(createKeptLines(join(directory, "gone")), createTimers());
      own.add("one\n", "notice");
      await own.close();
      assert.deepEqual(texts(await own.read()), ["one"]);
    });

    it("wait while the disk takes nothing, and are written when it does", async (test) => {
      const written: string[] = [];
      test.mock.timers.enable({ apis: ["setTimeout"] });
      let takesWrites = false;
      const own = createOwnLines();
      const append = async (lines: readonly string[]) => {
        if (!takesWrites) throw new Error("EROFS");
        written.push(...lines);
      };
      own.keepIn({ read: async () => [], append }, createTimers());
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      own.add("the disk is read-only\n", "warning");
      test.mock.timers.tick(30_000);
      await settle();
      own.add("later\n", "notice");
      takesWrites = true;
      test.mock.timers.tick(30_000);
      await settle();
      assert.deepEqual(written, ["the disk is read-only", "later"]);
      await own.close();
    });

    it("take two files of 256 KiB at most, the older lines going first", async (test) => {
      const directory = temporaryDirectory(test);
      const kept = createKeptLines(directory);
      for (let count = 0; count < 90; count += 1) await kept.append([`${count} ${"x".repeat(10_000)}`]);
      const sizes = ["log.jsonl", "log.1.jsonl"].map((name) => statSync(join(directory, name)).size);
      for (const size of sizes) assert.ok(size <= 262_144, `${size} bytes`);
      const numbers = (await kept.read()).map((line) => Number(line.split(" ", 1)[0]));
      assert.equal(numbers.at(-1), 89);
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
      assert.ok(numbers.length > 26, "only one file is left");
    });

    it("are what can be read of them: a torn line, a directory in the way", async (test) => {
      const directory = temporaryDirectory(test);
      const kept = createKeptLines(directory);
      writeFileSync(join(directory, "log.jsonl"), 'whole\n{"torn":');
      await kept.append(["next"]);
      assert.deepEqual(await kept.read(), ["whole", '{"torn":', "next"]);
      rmSync(join(directory, "log.jsonl"));
      mkdirSync(join(directory, "log.jsonl"));
      assert.deepEqual(await kept.read(), []);
    });
  });
});
