import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { longestLine } from "../../../src/publishing/rollout/access-log.ts";
import { LogFile } from "../../../src/publishing/rollout/log-file.ts";
import { makeScratch } from "../site.ts";

function makeLog(test: TestContext, content: string) {
  const path = join(makeScratch(test), "access.log");
  writeFileSync(path, content);
  const log = new LogFile(path);
  test.after(() => log.close());
  const news = async (): Promise<string[]> => {
    const lines: string[] = [];
    await log.read((line) => lines.push(line));
    return lines;
  };
  return { path, log, news };
}

describe("a log file", () => {
  it("gives whole lines, each once, and the end of one when it is written", async (test) => {
    const { path, news } = makeLog(test, "one\r\ntwo\nthr");
    assert.deepEqual(await news(), ["one", "two"]);
    assert.deepEqual(await news(), []);
    appendFileSync(path, "ee\nfour\n");
    assert.deepEqual(await news(), ["three", "four"]);
  });

  it("follows a rotation by renaming, with what was written to the old file until then", async (test) => {
    const { path, news } = makeLog(test, "one\n");
    assert.deepEqual(await news(), ["one"]);
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, "two\n");
    assert.deepEqual(await news(), ["two"]);
    writeFileSync(path, "");
    appendFileSync(`${path}.1`, "three\n");
    assert.deepEqual(await news(), ["three"], "the server has not opened the new file yet");
    appendFileSync(`${path}.1`, "four\n");
    appendFileSync(path, "five\n");
    assert.deepEqual(await news(), ["four", "five"]);
  });

  it("misses no line that is written between its reading of the old file and the look at the new one", async (test) => {
    const { path, news } = makeLog(test, "one\n");
    assert.deepEqual(await news(), ["one"]);
    const { stat } = fs.promises;
    const put = (look: typeof stat) => {
      Object.assign(fs.promises, { stat: look });
      syncBuiltinESMExports();
    };
    test.after(() => put(stat));
    put(((of: string) => {
      put(stat);
      appendFileSync(path, "two\n");
      renameSync(path, `${path}.1`);
      writeFileSync(path, "three\n");
      return stat(of);
    }) as typeof stat);
    assert.deepEqual(await news(), ["two", "three"]);
  });

  it("begins again when it was truncated", async (test) => {
    const { path, news } = makeLog(test, "one\ntwo\n");
    assert.deepEqual(await news(), ["one", "two"]);
    truncateSync(path);
    appendFileSync(path, "three\n");
    assert.deepEqual(await news(), ["three"]);
  });

  it("reads a line without an end in a bounded memory, and goes on after it", async (test) => {
    const { news } = makeLog(test, `${"x".repeat(5_000_000)}\nafter\n`);
    const [long = "", ...others] = await news();
    assert.ok(long.length > longestLine && long.length < 200_000, `${long.length} characters`);
    assert.deepEqual(others, ["after"]);
  });

  it("is refused where there is none, and where it is a directory or a pipe, which it does not wait for", async (test) => {
    const scratch = makeScratch(test);
    mkdirSync(join(scratch, "folder"));
    const read = (name: string) => new LogFile(join(scratch, name)).read(() => undefined);
    await assert.rejects(read("nothing"), { code: "not_found" });
    execFileSync("mkfifo", [join(scratch, "pipe")]);
    for (const name of ["folder", "pipe"]) await assert.rejects(read(name), { code: "validation_failed" });
  });
});
