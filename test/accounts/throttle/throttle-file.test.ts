import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { until } from "../../../lab/basics/until.ts";
import { fail, type Host, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";
import {
  readCounters,
  readKnown,
  readWindows,
  throttleRecordKind,
  writeCounters,
  writeKnown,
  writeWindows,
} from "../../../src/accounts/throttle/throttle-record.ts";
import { validatorOf } from "../../../src/store/documents/document-kind.ts";

const home = "192.0.2.7";
const away = "198.51.100.9";
const file = ({ directory = "" }: Host) => join(directory, "attempts.json");

describe("attempts.json", () => {
  it("holds neither names nor addresses", async () => {
    const host: Host = { now: 500 };
    const { throttle, stop } = await throttleAt(host);
    fail(throttle, "ana", home, 3);
    tried(throttle, "ana", away, "succeed");
    throttle.wrongCode("ana");
    await stop();
    const text = await readFile(file(host), "utf8");
    for (const word of ["ana", home, away]) assert.equal(text.includes(word), false, word);
    assert.match(text, /"own": \[\n/);
  });

  it("stays below 256 KiB whatever comes", async () => {
    const host: Host = { now: 900_000_000 };
    const { throttle, stop } = await throttleAt(host);
    for (let user = 0; user < 300; user += 1) {
      for (let client = 0; client < 20; client += 1) {
        tried(throttle, `user${user}`, `2001:db8:${user}:${client}::/64`, "succeed");
        tried(throttle, `user${user}`, `2001:db8:${user}:${client}::/64`);
      }
    }
    for (let count = 0; count < 600 * 20; count += 1) {
      if (count % 600 === 0) host.now += 29;
      tried(throttle, `nobody${count}`, `203.0.113.${count % 600}`);
    }
    for (let count = 0; count < 5_000; count += 1) throttle.wrongCode(`user${count}`);
    await stop();
    const { size } = await stat(file(host));
    assert.ok(size > 128 * 1_024 && size <= 256 * 1_024, `${size} bytes`);
    const restarted = await throttleAt(host);
    assert.equal(restarted.document.trouble(), null);
  });

  it("is written within 15 s for a failure, within 2 s for a lock or a right code, at once for an unlock", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 500 };
    const { throttle, document } = await throttleAt(host);
    const rowsAfter = (seconds: number) => {
      host.now += seconds;
      test.mock.timers.tick(seconds * 1_000);
      return document.read().own.length;
    };
    fail(throttle, "ana", home, 1);
    assert.deepEqual([rowsAfter(14), rowsAfter(1)], [0, 1]);
    fail(throttle, "bob", away, 5);
    assert.deepEqual([rowsAfter(1), rowsAfter(1)], [1, 2]);
    throttle.unlock("bob");
    assert.equal(rowsAfter(0), 1);
    const codesAfter = (seconds: number) => {
      rowsAfter(seconds);
      return document.read().codes.length;
    };
    throttle.wrongCode("eve");
    assert.deepEqual([codesAfter(14), codesAfter(1)], [0, 1]);
    for (let count = 0; count < 10; count += 1) throttle.wrongCode("ana");
    assert.deepEqual([codesAfter(1), codesAfter(1)], [1, 2]);
    throttle.rightCode("eve");
    assert.deepEqual([codesAfter(1), codesAfter(1)], [2, 1]);
  });

  it("is written seldom under attack, although every try makes a lock (flash wear)", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 500 };
    const { throttle, document } = await throttleAt(host);
    let writes = 0;
    const note = document.note.bind(document);
    document.note = (change, delaySeconds) => {
      writes += 1;
      note(change, delaySeconds);
    };
    for (let second = 0; second < 3_600; second += 1) {
      fail(throttle, `user${second}`, `2001:db8:${second.toString(16)}::/64`, 5);
      host.now += 1;
      test.mock.timers.tick(1_000);
    }
    assert.ok(writes > 200 && writes <= 10 + 60 + 240, `${writes} writes in an hour`);
  });

  it("is not written any more once the last delay is over (an idle agent)", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 500 };
    const { throttle, document } = await throttleAt(host);
    for (let count = 0; count < 10; count += 1) throttle.wrongCode("ana");
    const writtenAfter = (seconds: number) => {
      const before = document.read();
      for (let passed = 0; passed < seconds; passed += 1) {
        host.now += 1;
        test.mock.timers.tick(1_000);
      }
      return document.read() !== before;
    };
    assert.equal(writtenAfter(900), true);
    writtenAfter(600);
    assert.equal(writtenAfter(7_200), false);
  });

  it("is not written when nothing is counted, nor again when nothing has changed", async () => {
    const host: Host = { now: 500 };
    const first = await throttleAt(host);
    tried(first.throttle, "ana", home, "succeed");
    await first.stop();
    const { mtimeMs } = await stat(file(host));
    host.now += 3_500;
    const second = await throttleAt(host);
    assert.equal(tried(second.throttle, "ana", home, "withdraw"), 0);
    await second.stop();
    assert.equal((await stat(file(host))).mtimeMs, mtimeMs);
  });

  it("is on the disk without a stop, soon after a lock", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    fail(throttle, "ana", home, 5);
    const isWritten = async () => /"own": \[\n/.test(await readFile(file(host), "utf8"));
    await until("it is written", isWritten);
  });
});

const key = fc.stringMatching(/^[A-Za-z0-9_-]{12}$/);
const time = fc.integer({ min: 0, max: 999_999_999 });
const failures = fc.integer({ min: 1, max: 1_000_000 });
const now = 999_999_999;
const isValid = (members: object) =>
  validatorOf(throttleRecordKind)({ ...throttleRecordKind.defaults, ...members }).length === 0;

describe("the lines of attempts.json", () => {
  it("give rows back as they were, also with keys that begin with a hyphen", () => {
    const keys = fc.oneof(
      key,
      fc.tuple(key, key).map((pair) => pair.join(" ")),
    );
    fc.assert(
      fc.property(keys, failures, time, (name, count, at) => {
        const lines = writeCounters([[name, { failures: count, at }]]);
        assert.deepEqual(readCounters(lines, now), [[name, { failures: count, at }]]);
        assert.equal(
          isValid(name.includes(" ") ? { own: lines, own_known: lines } : { accounts: lines, codes: lines }),
          true,
        );
      }),
    );
  });

  it("give windows back as they were", () => {
    const times = fc.array(time, { minLength: 1, maxLength: 20 }).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(key, times, (client, window) => {
        const lines = writeWindows([[client, window]]);
        assert.deepEqual(readWindows(lines, now), [[client, window]]);
        assert.equal(isValid({ windows: lines }), true);
      }),
    );
  });

  it("give known clients back as they were", () => {
    fc.assert(
      fc.property(key, key, time, (account, client, at) => {
        const lines = writeKnown([{ account, client, at }]);
        assert.deepEqual(readKnown(lines, now), [{ account, client, at }]);
        assert.equal(isValid({ known: lines }), true);
      }),
    );
  });

  it("take a time to come for the present", () => {
    assert.deepEqual(readCounters(["AAAAAAAAAAAA 5 900"], 7), [["AAAAAAAAAAAA", { failures: 5, at: 7 }]]);
    assert.deepEqual(readWindows(["AAAAAAAAAAAA 5 900"], 7), [["AAAAAAAAAAAA", [5, 7]]]);
    assert.equal(readKnown(["AAAAAAAAAAAA AAAAAAAAAAAA 900"], 7)[0]?.at, 7);
  });

  for (const line of [
    "",
    "AAAAAAAAAAAA",
    "AAAAAAAAAAAA 5 -1",
    "AAAAAAAAAAAA 5 1e9",
    "AAAAAAAAAAAA 5 900 1",
    "AAA 5 900",
  ]) {
    it(`are refused as ${JSON.stringify(line)}`, () => assert.equal(isValid({ accounts: [line] }), false));
  }
});
