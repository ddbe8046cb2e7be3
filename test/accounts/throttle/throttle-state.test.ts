import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codesRefused, fail, type Host, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";

const home = "192.0.2.7";
const away = "198.51.100.9";

describe("a restart of the agent", () => {
  it("keeps delays, windows, accounts, codes and known clients; the time it was down counts", async () => {
    const host: Host = { now: 5_000 };
    const before = await throttleAt(host);
    tried(before.throttle, "ana", home, "succeed");
    fail(before.throttle, "ana", home, 6 - 1);
    fail(before.throttle, null, away, 20);
    for (let count = 0; count < 100; count += 1) fail(before.throttle, "bob", `2001:db8:${count}::/64`, 1);
    for (let count = 0; count < 10; count += 1) before.throttle.wrongCode("ana");
    await before.stop();
    host.now += 10;
    const { throttle } = await throttleAt(host);
    assert.equal(tried(throttle, "ana", home), 20);
    assert.equal(tried(throttle, null, away), 590);
    assert.equal(tried(throttle, "bob", "2001:db8:7::/64"), 50);
    assert.equal(codesRefused(throttle, "ana"), 890);
    assert.equal(throttle.isKnownClient(home), true);
    assert.equal(throttle.isKnownClient(away), false);
    assert.deepEqual(throttle.lockOf("ana"), { password: true, totp: true, untilSeconds: 890 });
  });
});

describe("a reboot", () => {
  async function locked(host: Host) {
    const before = await throttleAt(host);
    fail(before.throttle, "ana", home, 5);
    for (let count = 0; count < 10; count += 1) before.throttle.wrongCode("ana");
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
      const { throttle } = await throttleAt(host);
      assert.equal(tried(throttle, "ana", home), 20);
      assert.equal(codesRefused(throttle, "ana"), 890);
      host.now += 20;
      assert.equal(tried(throttle, "ana", home), 0);
    });
  }

  it("goes on from the stop of an agent that had nothing else to write", async () => {
    const host: Host = { now: 5_000 };
    await locked(host);
    const { stop } = await throttleAt(host);
    host.now += 200;
    await stop();
    host.bootId = "boot-2";
    host.now = 12;
    const { throttle } = await throttleAt(host);
    assert.equal(codesRefused(throttle, "ana"), 690);
  });

  it("is written down, so that a power cut in the new boot loses no more than in any other", async (test) => {
    const host: Host = { now: 5_000 };
    await locked(host);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    host.bootId = "boot-2";
    host.now = 12;
    const { document } = await throttleAt(host);
    test.mock.timers.tick(15_000);
    assert.equal(document.read().moment.boot_id, "boot-2");
  });

  it("in a container whose boot id cannot be read is told by its lower uptime", async () => {
    const host: Host = { now: 5_000, bootId: "unknown" };
    await locked(host);
    host.now = 12;
    const { throttle } = await throttleAt(host);
    assert.equal(tried(throttle, "ana", home), 20);
  });

  it("by a power cut lengthens a lock by what was not written, and never ends it", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 5_000 };
    const { throttle, document } = await throttleAt(host);
    for (let count = 0; count < 10; count += 1) throttle.wrongCode("ana");
    for (let passed = 0; passed < 700; passed += 1) {
      host.now += 1;
      test.mock.timers.tick(1_000);
    }
    test.mock.timers.reset();
    await document.save();
    host.bootId = "boot-2";
    host.now = 12;
    const later = await throttleAt(host);
    const left = codesRefused(later.throttle, "ana");
    assert.ok(left >= 200 && left <= 200 + 300, `${left} s left of 900 after 700`);
  });
});

describe("what an administrator sees and does", () => {
  it("is no lock where nothing runs, and the end of the last where something does", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    assert.equal(throttle.lockOf("ana"), null);
    fail(throttle, "ana", home, 4);
    assert.equal(throttle.lockOf("ana"), null);
    fail(throttle, "ana", home, 1);
    host.now += 10;
    fail(throttle, "ana", away, 5);
    assert.deepEqual(throttle.lockOf("ana"), { password: true, totp: false, untilSeconds: 30 });
    assert.equal(throttle.lockOf("bob"), null);
    host.now += 30;
    assert.equal(throttle.lockOf("ana"), null);
  });

  it("is the minute of strangers, and none for a slip from a known client", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    tried(throttle, "ana", home, "succeed");
    for (let count = 0; count < 100; count += 1) fail(throttle, "ana", `2001:db8:${count}::/64`, 1);
    assert.deepEqual(throttle.lockOf("ana"), { password: true, totp: false, untilSeconds: 60 });
    host.now += 60;
    fail(throttle, "ana", home, 1);
    assert.equal(throttle.lockOf("ana"), null);
  });

  it("is the lock of codes alone", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    for (let count = 0; count < 10; count += 1) throttle.wrongCode("ana");
    assert.deepEqual(throttle.lockOf("ana"), { password: false, totp: true, untilSeconds: 900 });
  });

  it("unlocks: every count and lock of the account goes, of others none, and known clients stay", async () => {
    const host: Host = { now: 500 };
    const { throttle, stop } = await throttleAt(host);
    tried(throttle, "ana", home, "succeed");
    for (let count = 0; count < 100; count += 1) fail(throttle, "ana", `2001:db8:${count}::/64`, 1);
    fail(throttle, "ana", home, 5);
    fail(throttle, "bob", home, 5);
    for (let count = 0; count < 10; count += 1) throttle.wrongCode("ana");
    throttle.unlock("ana");
    assert.equal(throttle.lockOf("ana"), null);
    assert.equal(codesRefused(throttle, "ana"), 0);
    assert.equal(tried(throttle, "ana", home), 0);
    fail(throttle, "ana", away, 5);
    assert.equal(tried(throttle, "bob", home), 30);
    assert.equal(throttle.isKnownClient(home), true);
    throttle.unlock("ana");
    await stop();
    const restarted = await throttleAt(host);
    assert.equal(restarted.throttle.lockOf("ana"), null);
  });

  it("deletes: a later user of that name begins with nothing", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    tried(throttle, "ana", home, "succeed");
    fail(throttle, "ana", home, 5);
    throttle.forget("ana");
    assert.equal(throttle.isKnownClient(home), false);
    assert.equal(throttle.lockOf("ana"), null);
    fail(throttle, "ana", home, 5);
  });
});
