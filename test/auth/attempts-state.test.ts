import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { becomes } from "../store/state-directory.ts";
import { attemptsAt, codesRefused, fail, type Host, tried } from "./attempts-at.ts";

const home = "192.0.2.7";
const away = "198.51.100.9";
const file = ({ directory = "" }: Host) => join(directory, "attempts.json");

describe("a restart of the agent", () => {
  it("keeps delays, windows, accounts, codes and known sources; the time it was down counts", async () => {
    const host: Host = { now: 5_000 };
    const before = await attemptsAt(host);
    tried(before.attempts, "ana", home, "succeed");
    fail(before.attempts, "ana", home, 6 - 1);
    fail(before.attempts, null, away, 20);
    for (let count = 0; count < 100; count += 1) fail(before.attempts, "bob", `2001:db8:${count}::/64`, 1);
    for (let count = 0; count < 10; count += 1) before.attempts.wrongCode("ana");
    await before.stop();
    host.now += 10;
    const { attempts } = await attemptsAt(host);
    assert.equal(tried(attempts, "ana", home), 20);
    assert.equal(tried(attempts, null, away), 590);
    assert.equal(tried(attempts, "bob", "2001:db8:7::/64"), 50);
    assert.equal(codesRefused(attempts, "ana"), 890);
    assert.equal(attempts.isKnownSource(home), true);
    assert.equal(attempts.isKnownSource(away), false);
    assert.deepEqual(attempts.lockOf("ana"), { password: true, totp: true, untilSeconds: 890 });
  });

  it("goes on counting where it was", async () => {
    const host: Host = { now: 5_000 };
    const before = await attemptsAt(host);
    fail(before.attempts, "ana", home, 4);
    await before.stop();
    const { attempts } = await attemptsAt(host);
    fail(attempts, "ana", home, 1);
    assert.equal(tried(attempts, "ana", home), 30);
  });
});

describe("a reboot", () => {
  async function locked(host: Host) {
    const before = await attemptsAt(host);
    fail(before.attempts, "ana", home, 5);
    for (let count = 0; count < 10; count += 1) before.attempts.wrongCode("ana");
    host.now += 10;
    await before.stop();
  }

  for (const [what, uptime] of [
    ["neither ends nor lengthens a lock", 12],
    ["with a longer uptime than before does not either", 900_000],
  ] as const) {
    it(what, async () => {
      const host: Host = { now: 5_000 };
      await locked(host);
      host.bootId = "boot-2";
      host.now = uptime;
      const { attempts } = await attemptsAt(host);
      assert.equal(tried(attempts, "ana", home), 20);
      assert.equal(codesRefused(attempts, "ana"), 890);
      host.now += 20;
      assert.equal(tried(attempts, "ana", home), 0);
    });
  }

  it("after a reboot goes on from where the last one was", async () => {
    const host: Host = { now: 5_000 };
    await locked(host);
    for (const boot of ["boot-2", "boot-3", "boot-4"]) {
      host.bootId = boot;
      host.now = 7;
      const { attempts, stop } = await attemptsAt(host);
      host.now += 200;
      attempts.isKnownSource(home);
      await stop();
    }
    host.bootId = "boot-5";
    const { attempts } = await attemptsAt(host);
    assert.equal(codesRefused(attempts, "ana"), 290);
  });

  it("goes on from the stop of an agent that had nothing else to write", async () => {
    const host: Host = { now: 5_000 };
    await locked(host);
    const { stop } = await attemptsAt(host);
    host.now += 200;
    await stop();
    host.bootId = "boot-2";
    host.now = 12;
    const { attempts } = await attemptsAt(host);
    assert.equal(codesRefused(attempts, "ana"), 690);
  });

  it("is written down, so that a power cut in the new boot loses no more than in any other", async (test) => {
    const host: Host = { now: 5_000 };
    await locked(host);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    host.bootId = "boot-2";
    host.now = 12;
    const { document } = await attemptsAt(host);
    test.mock.timers.tick(15_000);
    assert.equal(document.read().moment.boot_id, "boot-2");
  });

  it("in a container whose boot id cannot be read is told by its lower uptime", async () => {
    const host: Host = { now: 5_000, bootId: "unknown" };
    await locked(host);
    host.now = 12;
    const { attempts } = await attemptsAt(host);
    assert.equal(tried(attempts, "ana", home), 20);
  });

  it("by a power cut lengthens a lock by what was not written, and never ends it", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 5_000 };
    const { attempts, document } = await attemptsAt(host);
    for (let count = 0; count < 10; count += 1) attempts.wrongCode("ana");
    for (let passed = 0; passed < 700; passed += 1) {
      host.now += 1;
      test.mock.timers.tick(1_000);
    }
    test.mock.timers.reset();
    await document.save();
    host.bootId = "boot-2";
    host.now = 12;
    const later = await attemptsAt(host);
    const left = codesRefused(later.attempts, "ana");
    assert.ok(left >= 200 && left <= 200 + 300, `${left} s left of 900 after 700`);
  });
});

describe("what an administrator sees and does", () => {
  it("is no lock where nothing runs, and the end of the last where something does", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    assert.equal(attempts.lockOf("ana"), null);
    fail(attempts, "ana", home, 4);
    assert.equal(attempts.lockOf("ana"), null);
    fail(attempts, "ana", home, 1);
    host.now += 10;
    fail(attempts, "ana", away, 5);
    assert.deepEqual(attempts.lockOf("ana"), { password: true, totp: false, untilSeconds: 30 });
    assert.equal(attempts.lockOf("bob"), null);
    host.now += 30;
    assert.equal(attempts.lockOf("ana"), null);
  });

  it("is the minute of strangers, and none for a slip from a known source", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    tried(attempts, "ana", home, "succeed");
    for (let count = 0; count < 100; count += 1) fail(attempts, "ana", `2001:db8:${count}::/64`, 1);
    assert.deepEqual(attempts.lockOf("ana"), { password: true, totp: false, untilSeconds: 60 });
    host.now += 60;
    fail(attempts, "ana", home, 1);
    assert.equal(attempts.lockOf("ana"), null);
  });

  it("is the lock of codes by itself", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    for (let count = 0; count < 10; count += 1) attempts.wrongCode("ana");
    assert.deepEqual(attempts.lockOf("ana"), { password: false, totp: true, untilSeconds: 900 });
  });

  it("unlocks: every count and lock of the account goes, of others none, and known sources stay", async () => {
    const host: Host = { now: 500 };
    const { attempts, stop } = await attemptsAt(host);
    tried(attempts, "ana", home, "succeed");
    for (let count = 0; count < 100; count += 1) fail(attempts, "ana", `2001:db8:${count}::/64`, 1);
    fail(attempts, "ana", home, 5);
    fail(attempts, "bob", home, 5);
    for (let count = 0; count < 10; count += 1) attempts.wrongCode("ana");
    attempts.unlock("ana");
    assert.equal(attempts.lockOf("ana"), null);
    assert.equal(codesRefused(attempts, "ana"), 0);
    assert.equal(tried(attempts, "ana", home), 0);
    fail(attempts, "ana", away, 5);
    assert.equal(tried(attempts, "bob", home), 30);
    assert.equal(attempts.isKnownSource(home), true);
    attempts.unlock("ana");
    await stop();
    const restarted = await attemptsAt(host);
    assert.equal(restarted.attempts.lockOf("ana"), null);
  });

  it("deletes: a later user of that name begins with nothing", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    tried(attempts, "ana", home, "succeed");
    fail(attempts, "ana", home, 5);
    attempts.forget("ana");
    assert.equal(attempts.isKnownSource(home), false);
    assert.equal(attempts.lockOf("ana"), null);
    fail(attempts, "ana", home, 5);
  });
});

describe("attempts.json", () => {
  it("holds neither names nor addresses", async () => {
    const host: Host = { now: 500 };
    const { attempts, stop } = await attemptsAt(host);
    fail(attempts, "ana", home, 3);
    tried(attempts, "ana", away, "succeed");
    attempts.wrongCode("ana");
    await stop();
    const text = await readFile(file(host), "utf8");
    for (const word of ["ana", home, away]) assert.equal(text.includes(word), false, word);
    assert.match(text, /"own": \[\n/);
  });

  it("drops what no longer means anything", async () => {
    const host: Host = { now: 500 };
    const { attempts, document, stop } = await attemptsAt(host);
    fail(attempts, "ana", home, 5);
    fail(attempts, "bob", home, 5);
    tried(attempts, "ana", home, "withdraw" as const);
    host.now += 86_400;
    fail(attempts, "eve", away, 1);
    await stop();
    const { own, accounts, windows } = document.read();
    assert.deepEqual([own.length, accounts.length, windows.length], [1, 1, 1]);
  });

  it("stays below 256 KiB whatever comes", async () => {
    const host: Host = { now: 900_000_000 };
    const { attempts, stop } = await attemptsAt(host);
    for (let user = 0; user < 300; user += 1) {
      for (let source = 0; source < 20; source += 1) {
        tried(attempts, `user${user}`, `2001:db8:${user}:${source}::/64`, "succeed");
        tried(attempts, `user${user}`, `2001:db8:${user}:${source}::/64`);
      }
    }
    for (let count = 0; count < 600 * 20; count += 1) {
      if (count % 600 === 0) host.now += 29;
      tried(attempts, `nobody${count}`, `203.0.113.${count % 600}`);
    }
    for (let count = 0; count < 5_000; count += 1) attempts.wrongCode(`user${count}`);
    await stop();
    const { size } = await stat(file(host));
    assert.ok(size > 128 * 1_024 && size <= 256 * 1_024, `${size} bytes`);
    const restarted = await attemptsAt(host);
    assert.equal(restarted.document.trouble(), null);
  });

  it("with times to come, as a damaged one may have, locks nobody for longer than from now", async () => {
    const host: Host = { now: 500 };
    const { attempts, document, stop } = await attemptsAt(host);
    fail(attempts, "ana", home, 5);
    await stop();
    const again = await attemptsAt(host);
    const future = (line: string) => line.replace(/\d+$/, "999999999999");
    await again.document.update((state) => ({ ...state, own: document.read().own.map(future) }));
    await again.document.close();
    const { attempts: restarted } = await attemptsAt(host);
    assert.equal(tried(restarted, "ana", home), 30);
  });

  it("is written within 15 s for a failure, within 2 s for a lock, at once for an unlock", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 500 };
    const { attempts, document } = await attemptsAt(host);
    const rowsAfter = (seconds: number) => {
      host.now += seconds;
      test.mock.timers.tick(seconds * 1_000);
      return document.read().own.length;
    };
    fail(attempts, "ana", home, 1);
    assert.deepEqual([rowsAfter(14), rowsAfter(1)], [0, 1]);
    fail(attempts, "bob", away, 5);
    assert.deepEqual([rowsAfter(1), rowsAfter(1)], [1, 2]);
    attempts.unlock("bob");
    assert.equal(rowsAfter(0), 1);
  });

  it("is written seldom under attack, although every try makes a lock (flash wear)", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 500 };
    const { attempts, document } = await attemptsAt(host);
    let writes = 0;
    const note = document.note.bind(document);
    document.note = (change, delaySeconds) => {
      writes += 1;
      note(change, delaySeconds);
    };
    for (let second = 0; second < 3_600; second += 1) {
      fail(attempts, `user${second}`, `2001:db8:${second.toString(16)}::/64`, 5);
      host.now += 1;
      test.mock.timers.tick(1_000);
    }
    assert.ok(writes > 200 && writes <= 10 + 60 + 240, `${writes} writes in an hour`);
  });

  it("is not written any more once the last delay is over (an idle agent)", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 500 };
    const { attempts, document } = await attemptsAt(host);
    for (let count = 0; count < 10; count += 1) attempts.wrongCode("ana");
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
    const first = await attemptsAt(host);
    tried(first.attempts, "ana", home, "succeed");
    await first.stop();
    const { mtimeMs } = await stat(file(host));
    host.now += 3_500;
    const second = await attemptsAt(host);
    assert.equal(tried(second.attempts, "ana", home, "withdraw"), 0);
    await second.stop();
    assert.equal((await stat(file(host))).mtimeMs, mtimeMs);
  });

  it("is on the disk by itself, soon after a lock", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    fail(attempts, "ana", home, 5);
    const isWritten = async () => /"own": \[\n/.test(await readFile(file(host), "utf8"));
    assert.equal(await becomes(isWritten, 4), true);
  });
});
