import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/host/journal.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { createKeptLines, type KeptLines } from "../../../src/journal/logs/kept-lines.ts";
import { createOwnLines, type OwnLine } from "../../../src/journal/logs/own-lines.ts";

const texts = (lines: readonly OwnLine[]) => lines.map(({ text }) => text);

/** Own lines that are kept there, and what lets 30 s pass. */
function keptIn(test: TestContext, place: KeptLines) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const own = createOwnLines();
  own.keepIn(place, createTimers());
  const pass = async (seconds: number) => {
    test.mock.timers.tick(seconds * 1_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { own, pass };
}

describe("the agent's own lines", () => {
  it("are the last thousand, and take 256 KiB of memory at most", async () => {
    const own = createOwnLines();
    for (let line = 1; line <= 1_500; line += 1) own.add(`${line}\n`, "info");
    const lines = await own.read();
    assert.deepEqual([lines.length, lines[0]?.sequence, lines.at(-1)?.text], [1_000, 501, "1500"]);
    for (let line = 0; line < 100; line += 1) own.add(`${"x".repeat(10_000)}\n`, "info");
    assert.equal((await own.read()).length, 26);
  });

  it("outlive the agent when they matter, where no journal keeps them; requests do not", async (test) => {
    const directory = temporaryDirectory(test);
    const first = createOwnLines();
    // Before the place is known.
    first.add("early\n", "warning");
    first.keepIn(createKeptLines(directory), createTimers());
    first.add("request\n", "info");
    first.add("trouble\n", "error");
    await first.close();
    assert.deepEqual(texts(await first.read()), ["early", "request", "trouble"], "each once");
    const second = createOwnLines();
    second.keepIn(createKeptLines(directory), createTimers());
    second.add("listening again\n", "notice");
    assert.deepEqual(await second.read(), [
      { sequence: -1, text: "early" },
      { sequence: 0, text: "trouble" },
      { sequence: 1, text: "listening again" },
    ]);
    assert.equal(readFileSync(join(directory, "log.jsonl"), "utf8"), "\nearly\ntrouble");
    assert.equal(statSync(join(directory, "log.jsonl")).mode & 0o777, 0o600);
  });

  it("are written at most every 30 s, and not at all when nothing happens", async (test) => {
    const writes: number[] = [];
    const append = async (lines: readonly string[]) => void writes.push(lines.length);
    const { own, pass } = keptIn(test, { read: async () => [], append });
    for (let second = 0; second < 60; second += 1) {
      own.add(`${second}\n`, "notice");
      await pass(1);
    }
    assert.deepEqual(writes, [30, 30]);
    await pass(3_600);
    await own.close();
    assert.deepEqual(writes, [30, 30]);
  });

  it("wait while the disk takes nothing, and are lost without a word where it takes nothing to the end", async (test) => {
    const written: string[] = [];
    let takesWrites = false;
    const append = async (lines: readonly string[]) => {
      if (!takesWrites) throw new Error("EROFS");
      written.push(...lines);
    };
    const { own, pass } = keptIn(test, { read: async () => [], append });
    own.add("the disk is read-only\n", "warning");
    await pass(30);
    own.add("later\n", "notice");
    takesWrites = true;
    await pass(30);
    assert.deepEqual(written, ["the disk is read-only", "later"]);
    takesWrites = false;
    own.add("last\n", "notice");
    await own.close();
    assert.equal(written.length, 2);
  });

  it("take two files of 256 KiB at most, the older lines going first", async (test) => {
    const directory = temporaryDirectory(test);
    const kept = createKeptLines(directory);
    for (let count = 0; count < 90; count += 1) await kept.append([`${count} ${"x".repeat(10_000)}`]);
    for (const name of ["log.jsonl", "log.1.jsonl"])
      assert.ok(statSync(join(directory, name)).size <= 262_144, name);
    const numbers = (await kept.read()).map((line) => Number(line.split(" ", 1)[0]));
    assert.ok(numbers.length > 26, "only one file is left");
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => 90 - numbers.length + index),
    );
  });

  it("are what can be read of the files: a torn line, a directory in the way", async (test) => {
    const directory = temporaryDirectory(test);
    const path = join(directory, "log.jsonl");
    const kept = createKeptLines(directory);
    writeFileSync(path, 'whole\n{"torn":');
    await kept.append(["next"]);
    assert.deepEqual(await kept.read(), ["whole", '{"torn":', "next"]);
    rmSync(path);
    mkdirSync(path);
    assert.deepEqual(await kept.read(), []);
  });
});
