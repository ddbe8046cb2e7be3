import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import { longestLine, networkOf, readLogLine } from "../../../src/publishing/rollout/access-log.ts";
import { LogFile, type LogFileOptions } from "../../../src/publishing/rollout/log-file.ts";

const elapsedSeconds = () => 0;

function makeLog(test: TestContext, content: string, options: Partial<LogFileOptions> = {}) {
  const path = join(makeScratch(test), "access.log");
  writeFileSync(path, content);
  const log = new LogFile(path, { elapsedSeconds, ...options });
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

  it("loses no line that was written before a copy and a truncation in place", async (test) => {
    const { path, news } = makeLog(test, "one\ntw");
    assert.deepEqual(await news(), ["one"]);
    appendFileSync(path, "o\nthree\n");
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
    appendFileSync(path, "four\n");
    assert.deepEqual(await news(), ["two", "three", "four"]);
    assert.deepEqual(await news(), []);
  });

  it("notices the truncation where the new log is longer than the old one, and unpacks the copy", async (test) => {
    const { path, news } = makeLog(test, "one\n");
    assert.deepEqual(await news(), ["one"]);
    appendFileSync(path, "two\n");
    copyFileSync(path, `${path}-20261127`);
    execFileSync("gzip", [`${path}-20261127`]);
    truncateSync(path);
    appendFileSync(path, "three and more\nfour\n");
    assert.deepEqual(await news(), ["two", "three and more", "four"]);
  });

  it("takes no former file for a copy, although it has the same bytes at that place", async (test) => {
    const { path, news } = makeLog(test, "same\nsame\nsame\n");
    assert.equal((await news()).length, 3);
    renameSync(path, `${path}.1`);
    writeFileSync(path, "same\n");
    assert.equal((await news()).length, 1);
    truncateSync(path);
    assert.deepEqual(await news(), [], "the former file that is still read");
    renameSync(`${path}.1`, `${path}.2`);
    utimesSync(`${path}.2`, 1_700_000_000, 1_700_000_000);
    writeFileSync(`${path}.3`, "same\nsame\n");
    utimesSync(`${path}.3`, 1_700_000_000, 1_700_000_000);
    appendFileSync(path, "same\n");
    assert.equal((await news()).length, 1);
    truncateSync(path);
    assert.deepEqual(await news(), [], "one of another week");
  });

  it("reads the copies of two truncations between two looks", async (test) => {
    const { path, news } = makeLog(test, "one\n");
    assert.deepEqual(await news(), ["one"]);
    appendFileSync(path, "two\n");
    copyFileSync(path, `${path}.2`);
    writeFileSync(`${path}.1`, "three\n");
    const nowSeconds = Date.now() / 1_000;
    utimesSync(`${path}.2`, nowSeconds + 1, nowSeconds + 1);
    utimesSync(`${path}.1`, nowSeconds + 2, nowSeconds + 2);
    writeFileSync(path, "four\n");
    assert.deepEqual(await news(), ["two", "three", "four"]);
  });

  it("joins no half of a line to another log, where no copy is left", async (test) => {
    const { path, news } = makeLog(test, "one\ntw");
    assert.deepEqual(await news(), ["one"]);
    writeFileSync(`${path}.1`, "a log of another day, which is no copy\n");
    truncateSync(path);
    appendFileSync(path, "three\n");
    assert.deepEqual(await news(), ["three"]);
  });

  it("reads a file that came and went between two looks", async (test) => {
    const { path, news } = makeLog(test, "one\n");
    assert.deepEqual(await news(), ["one"]);
    renameSync(path, `${path}.2`);
    writeFileSync(`${path}.1`, "two\nthree\n");
    writeFileSync(path, "four\n");
    assert.deepEqual(await news(), ["two", "three", "four"]);
  });

  it("does so where the one that it knew is compressed meanwhile, and never reads that again", async (test) => {
    const { path, news } = makeLog(test, "one\n");
    assert.deepEqual(await news(), ["one"]);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    renameSync(path, `${path}.2`);
    execFileSync("gzip", [`${path}.2`]);
    writeFileSync(`${path}.1`, "two\n");
    writeFileSync(path, "three\n");
    assert.deepEqual(await news(), ["two", "three"]);
  });

  it("reads on in the former file for a minute: not all processes of a server open the new one at once", async (test) => {
    let elapsed = 0;
    const { path, news } = makeLog(test, "one\n", { elapsedSeconds: () => elapsed });
    assert.deepEqual(await news(), ["one"]);
    renameSync(path, `${path}.1`);
    writeFileSync(path, "two\n");
    assert.deepEqual(await news(), ["two"]);
    elapsed = 60;
    appendFileSync(`${path}.1`, "late\ncut o");
    assert.deepEqual(await news(), ["late"]);
    elapsed = 61;
    assert.deepEqual(await news(), ["cut o"], "the last line, of a server that ended within it");
    appendFileSync(`${path}.1`, "too late\n");
    assert.deepEqual(await news(), []);
  });

  it("unpacks one that is compressed by gzip, once", async (test) => {
    const { path } = makeLog(test, `one\n${"x".repeat(200_000)}\nlast`);
    execFileSync("gzip", [path]);
    const log = new LogFile(`${path}.gz`, { elapsedSeconds });
    test.after(() => log.close());
    const lines: string[] = [];
    for (let look = 0; look < 2; look += 1) await log.read((line) => lines.push(line));
    assert.deepEqual([lines.length, lines[0], lines[2]], [3, "one", "last"]);
  });

  it("refuses one that is cut off, and has read it up to there", async (test) => {
    const { path } = makeLog(test, "one\n".repeat(10_000));
    execFileSync("gzip", [path]);
    const whole = readFileSync(`${path}.gz`);
    writeFileSync(`${path}.gz`, whole.subarray(0, whole.length - 9));
    const lines: string[] = [];
    const log = new LogFile(`${path}.gz`, { elapsedSeconds });
    test.after(() => log.close());
    await assert.rejects(
      log.read((line) => lines.push(line)),
      { code: "validation_failed", message: /access\.log\.gz is compressed by gzip, and damaged or cut off/ },
    );
    assert.equal(lines[0], "one");
  });

  it("reads the rotated files first where that is asked for, the oldest first, and no other file", async (test) => {
    const { path, news } = makeLog(test, "five\n", { withRotated: true });
    const files = [
      [`${path}-20261101`, "one\n"],
      [`${path}.3`, "two\n"],
      [path.replace(".log", "-20261120.log"), "three\n"],
      [`${path}.1`, "four\n"],
    ] as const;
    for (const [index, [name, content]] of files.entries()) {
      writeFileSync(name, content);
      utimesSync(name, 1_700_000_000 + index, 1_700_000_000 + index);
    }
    for (const name of [`${path}-20261101`, `${path}.3`]) execFileSync("gzip", [name]);
    for (const name of [
      `${path}.1.gz`,
      `${path}.old`,
      `${path}.1~`,
      path.replace("access", "other-access.1"),
    ])
      writeFileSync(name, "not of this log, or half of a file that is being compressed\n");
    assert.deepEqual(await news(), ["one", "two", "three", "four", "five"]);
    assert.deepEqual(await news(), []);
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
    const read = (name: string) => new LogFile(join(scratch, name), { elapsedSeconds }).read(() => undefined);
    await assert.rejects(read("nothing"), { code: "not_found" });
    execFileSync("mkfifo", [join(scratch, "pipe")]);
    for (const name of ["folder", "pipe"]) await assert.rejects(read(name), { code: "validation_failed" });
  });
});

// date -u -d "2026-11-23 07:20:11" +%s
const seconds = 1_795_418_411;
const report = "steward/0.1.0;v=1, product/demo";
// As nginx 1.22 wrote it with the format of docs/updates/publish.md.
const nginx = `192.0.2.7 - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 451 "-" "Steward/0.1.0 (demo; x64)"`;

describe("a line of an access log", () => {
  for (const [what, line, expected] of [
    ["of nginx, with a report", `${nginx} "${report}"`, { seconds, address: "192.0.2.7", report }],
    ["of nginx, without one", `${nginx} "-"`, { seconds, address: "192.0.2.7", report: null }],
    ["in the plain combined format", nginx, { seconds, address: "192.0.2.7", report: null }],
    [
      "of Apache, where a client sends quotation marks",
      `2001:db8::1 - bob [23/Nov/2026:07:20:11 +0000] "GET / HTTP/1.1" 404 196 "-" "a \\"b\\" [c" "evil \\" report"`,
      { seconds, address: "2001:db8::1", report: 'evil \\" report' },
    ],
    [
      "of nginx as JSON",
      JSON.stringify({
        time_iso8601: "2026-11-23T08:20:11+01:00",
        remote_addr: "192.0.2.7",
        request: "GET / HTTP/1.1",
        steward_report: report,
      }),
      { seconds, address: "192.0.2.7", report },
    ],
    [
      "of Caddy",
      JSON.stringify({
        ts: 1795418411.73,
        request: { remote_ip: "192.0.2.7", headers: { "Steward-Report": [report] } },
      }),
      { seconds, address: "192.0.2.7", report },
    ],
    [
      "of nginx as JSON with its seconds, and without a report",
      JSON.stringify({ msec: "1795418411.730", remote_addr: "192.0.2.7" }),
      { seconds, address: "192.0.2.7", report: null },
    ],
    [
      "with a time that is none",
      nginx.replace("Nov/2026", "Brumaire/35"),
      { seconds: null, address: "192.0.2.7", report: null },
    ],
    ["of JSON without an address", JSON.stringify({ steward_report: report }), null],
    ["that is cut off", nginx.slice(0, 60), null],
    ["of JSON that is cut off", '{"remote_addr":"192.0.2.7"', null],
    ["of bytes", "\u0000\u0016\u0003\u0001ÿþ", null],
    ["that is too long", `${nginx} "${"a".repeat(longestLine)}"`, null],
    ["that is empty", "", null],
  ] as const) {
    it(what, () => assert.deepEqual(readLogLine(line), expected));
  }
});

describe("the network of an address", () => {
  for (const [address, expected] of [
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["host.example", "host.example"],
  ] as const) {
    it(address, () => assert.equal(networkOf(address), expected));
  }
});
