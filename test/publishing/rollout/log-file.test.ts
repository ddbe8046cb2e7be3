import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import { longestLine, networkOf, readLogLine } from "../../../src/publishing/rollout/access-log.ts";
import { LogFile, type LogFileOptions } from "../../../src/publishing/rollout/log-file.ts";

/** A log in a directory of its own, as `log` for the scripts that change it. */
function makeLog(
  test: TestContext,
  { name = "log", ...options }: Partial<LogFileOptions & { name: string }> = {},
) {
  const directory = makeScratch(test);
  const path = join(directory, name);
  const log = new LogFile(path, { elapsedSeconds: () => 0, ...options });
  test.after(() => log.close());
  const lines: string[] = [];
  return {
    path,
    lines,
    news: async (script = ""): Promise<string[]> => {
      execFileSync("sh", ["-euc", script], { cwd: directory });
      lines.length = 0;
      await log.read((line) => lines.push(line));
      return [...lines];
    },
  };
}

/** The changes that a server and logrotate make, and the lines that a look at the log gives after each. */
const walks: readonly (readonly [name: string, ...(readonly [script: string, lines: string])[]])[] = [
  [
    "gives whole lines, each once, and the end of one when it is written",
    [String.raw`printf 'one\r\ntwo\nthr' > log`, "one two"],
    ["", ""],
    [String.raw`printf 'ee\nfour\n' >> log`, "three four"],
  ],
  [
    "follows a rotation by renaming, with what was written to the old file until then",
    ["echo one > log", "one"],
    ["mv log log.1; echo two >> log.1", "two"],
    // The server has not opened the new file yet.
    [": > log; echo three >> log.1", "three"],
    ["echo four >> log.1; echo five >> log", "four five"],
  ],
  [
    "begins again when it was truncated",
    ["echo one > log; echo two >> log", "one two"],
    ["echo three > log", "three"],
  ],
  [
    "joins no half of a line to another log, where no copy is left",
    [String.raw`printf 'one\ntw' > log`, "one"],
    ["echo a log of another day, which is no copy > log.1; echo three > log", "three"],
  ],
  [
    "loses no line that was written before a copy and a truncation in place",
    [String.raw`printf 'one\ntw' > log`, "one"],
    [String.raw`printf 'o\nthree\n' >> log; cp log log.1; echo four > log`, "two three four"],
    ["", ""],
  ],
  [
    "notices the truncation where the new log is longer than the old one, and unpacks the copy",
    ["echo one > log", "one"],
    ["echo two >> log; cp log log-20261127; gzip log-20261127; seq 3 9 > log", "two 3 4 5 6 7 8 9"],
  ],
  [
    "takes no former file for a copy, although it has the same bytes at that place, and none of another week",
    ["yes same | head -3 > log", "same same same"],
    ["mv log log.1; echo same > log", "same"],
    [": > log", ""],
    [
      "mv log.1 log.2; yes same | head -2 > log.3; touch -d @1700000000 log.2 log.3; echo same >> log",
      "same",
    ],
    [": > log", ""],
  ],
  [
    "reads the copies of two truncations between two looks",
    ["echo one > log", "one"],
    [
      "echo two >> log; cp log log.2; echo three > log.1; touch -d '1 second' log.2; touch -d '2 seconds' log.1; echo four > log",
      "two three four",
    ],
  ],
  [
    "reads a file that came and went between two looks",
    ["echo one > log", "one"],
    ["mv log log.2; echo two > log.1; echo three >> log.1; echo four > log", "two three four"],
  ],
  [
    "does so where the one that it knew is compressed meanwhile, and never reads that again",
    ["echo one > log", "one"],
    ["touch -d @1700000000 log; mv log log.2; gzip log.2; echo two > log.1; echo three > log", "two three"],
  ],
];

describe("a log file", () => {
  for (const [name, ...steps] of walks)
    it(name, async (test) => {
      const { news } = makeLog(test);
      for (const [script, lines] of steps) assert.equal((await news(script)).join(" "), lines);
    });

  it("misses no line that is written between its reading of the old file and the look at the new one", async (test) => {
    const { path, news } = makeLog(test);
    assert.deepEqual(await news("echo one > log"), ["one"]);
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

  it("reads on in the former file for a minute: not all processes of a server open the new one at once", async (test) => {
    let elapsed = 0;
    const { news } = makeLog(test, { elapsedSeconds: () => elapsed });
    assert.deepEqual(await news("echo one > log"), ["one"]);
    assert.deepEqual(await news("mv log log.1; echo two > log"), ["two"]);
    elapsed = 60;
    assert.deepEqual(await news("echo late >> log.1; printf 'cut o' >> log.1"), ["late"]);
    elapsed = 61;
    assert.deepEqual(await news(), ["cut o"], "the last line, of a server that ended within it");
    assert.deepEqual(await news("echo too late >> log.1"), []);
  });

  it("unpacks one that is compressed by gzip, once, and one that is cut off up to there", async (test) => {
    const { news } = makeLog(test, { name: "log.gz" });
    const [first, ...others] = await news(
      "echo one > log; yes two | head -50000 >> log; printf last >> log; gzip log",
    );
    assert.deepEqual([first, others.length, others.at(-1)], ["one", 50_001, "last"]);
    assert.deepEqual(await news(), []);
    const cut = makeLog(test, { name: "log.gz" });
    const script = "yes one | head -10000 > log; gzip log; truncate -s -9 log.gz";
    await assert.rejects(cut.news(script), {
      code: "validation_failed",
      message: /log\.gz is compressed by gzip, and damaged or cut off/,
    });
    assert.equal(cut.lines[0], "one");
  });

  it("reads the rotated files first where that is asked for, the oldest first, and no other file", async (test) => {
    const { news } = makeLog(test, { name: "access.log", withRotated: true });
    const names = ["access.log-20261101", "access.log.3", "access-20261120.log", "access.log.1"];
    const scripts = names.map((name, at) => `echo ${at} > ${name}; touch -d @${1_700_000_000 + at} ${name}`);
    const packed = "gzip access.log-20261101 access.log.3";
    // Not of this log, or half of a file that is being compressed.
    const others =
      "for n in access.log.1.gz access.log.old access.log.1~ other-access.1.log; do echo x > $n; done";
    assert.deepEqual(await news([...scripts, packed, others, "echo 4 > access.log"].join("; ")), [
      ..."01234",
    ]);
    assert.deepEqual(await news(), []);
  });

  it("reads a line without an end in a bounded memory, and goes on after it", async (test) => {
    const [long = "", ...others] = await makeLog(test).news(
      "yes x | tr -d '\\n' | head -c 5000000 > log; echo >> log; echo after >> log",
    );
    assert.ok(long.length > longestLine && long.length < 200_000, `${long.length} characters`);
    assert.deepEqual(others, ["after"]);
  });

  it("is refused where there is none, and where it is a directory or a pipe, which it does not wait for", async (test) => {
    const { news } = makeLog(test);
    await assert.rejects(news(), { code: "not_found" });
    for (const script of ["mkdir log", "rmdir log; mkfifo log"])
      await assert.rejects(news(script), { code: "validation_failed" });
  });
});

// date -u -d "2026-11-23 07:20:11" +%s
const seconds = 1_795_418_411;
const report = "steward/0.1.0;v=1, product/demo";
// As nginx 1.22 wrote it with the format of docs/updates/publish.md.
const nginx = `192.0.2.7 - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 451 "-" "Steward/0.1.0 (demo; x64)"`;

const request = "GET / HTTP/1.1";
const [time_iso8601, remote_addr] = ["2026-11-23T08:20:11+01:00", "192.0.2.7"];
const headers = { "Steward-Report": [report] };
const apache = `2001:db8::1 - bob [23/Nov/2026:07:20:11 +0000] "${request}" 404 196 "-" "a \\"b\\" [c" "evil \\" report"`;
const seen = { seconds, address: remote_addr, report };
const silent = { ...seen, report: null };

describe("a line of an access log", () => {
  for (const [what, line, expected] of [
    ["of nginx, with a report", `${nginx} "${report}"`, seen],
    ["of nginx, without one", `${nginx} "-"`, silent],
    ["in the plain combined format", nginx, silent],
    [
      "of Apache, where a client sends quotation marks",
      apache,
      { seconds, address: "2001:db8::1", report: 'evil \\" report' },
    ],
    ["of nginx as JSON", { time_iso8601, remote_addr, request, steward_report: report }, seen],
    ["of Caddy", { ts: 1795418411.73, request: { remote_ip: remote_addr, headers } }, seen],
    [
      "of nginx as JSON with its seconds, and without a report",
      { msec: "1795418411.730", remote_addr },
      silent,
    ],
    ["with a time that is none", nginx.replace("Nov/2026", "Brumaire/35"), { ...silent, seconds: null }],
    ["of JSON without an address", { steward_report: report }, null],
    ["that is cut off", nginx.slice(0, 60), null],
    ["of JSON that is cut off", '{"remote_addr":"192.0.2.7"', null],
    ["of bytes", "\u0000\u0016\u0003\u0001ÿþ", null],
    ["that is too long", `${nginx} "${"a".repeat(longestLine)}"`, null],
    ["that is empty", "", null],
  ] as const)
    it(what, () => {
      const text = typeof line === "string" ? line : JSON.stringify(line);
      assert.deepEqual(readLogLine(text), expected);
    });
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
