import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attemptsAt, codesRefused, fail, type Host, tried } from "../throttle-at.ts";

const home = "192.0.2.7";
const away = "198.51.100.9";

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
