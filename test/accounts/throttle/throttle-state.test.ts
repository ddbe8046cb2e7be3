import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codesRefused, type Host, throttleAt } from "../../../lab/simulated/throttle-at.ts";
import { play } from "./script.ts";

const [home, away] = ["192.0.2.7", "198.51.100.9"];

it("a restart keeps delays, windows, accounts, codes and known clients; the time it was down counts", async () => {
  const host: Host = { now: 5_000 };
  const before = await play(
    "ana home succeeds, ana home fails 5, token away fails 20, 100 networks at bob, ana codes wrong 10",
    host,
  );
  await before.stop();
  const { throttle } = await play(
    "10 s, ana home waits 20, token away waits 590, bob 2001:db8:7::/64 waits 50, ana codes wait 890",
    host,
  );
  assert.deepEqual([throttle.isKnownClient(home), throttle.isKnownClient(away)], [true, false]);
  assert.deepEqual(throttle.lockOf("ana"), { password: true, totp: true, untilSeconds: 890 });
});

describe("a reboot", () => {
  async function locked(host: Host) {
    const { stop } = await play("ana home fails 5, ana codes wrong 10, 10 s", host);
    await stop();
  }

  for (const [what, uptime, bootId] of [
    ["neither ends nor lengthens a lock", 12, ["boot-1", "boot-2"]],
    ["with a longer uptime than before does not either", 900_000, ["boot-1", "boot-2"]],
    ["in a container whose boot id cannot be read is told by its lower uptime", 12, ["unknown", "unknown"]],
  ] as const)
    it(what, async () => {
      const host: Host = { now: 5_000, bootId: bootId[0] };
      await locked(host);
      Object.assign(host, { bootId: bootId[1], now: uptime });
      await play("ana home waits 20, ana codes wait 890, 20 s, ana home waits 0", host);
    });

  it("goes on from the stop of an agent that had nothing else to write", async () => {
    const host: Host = { now: 5_000 };
    await locked(host);
    const { stop } = await play("200 s", host);
    await stop();
    Object.assign(host, { bootId: "boot-2", now: 12 });
    await play("ana codes wait 690", host);
  });

  it("is written down, so that a power cut in the new boot loses no more than in any other", async (test) => {
    const host: Host = { now: 5_000 };
    await locked(host);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    Object.assign(host, { bootId: "boot-2", now: 12 });
    const { document } = await throttleAt(host);
    test.mock.timers.tick(15_000);
    assert.equal(document.read().moment.boot_id, "boot-2");
  });

  it("by a power cut lengthens a lock by what was not written, and never ends it", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const host: Host = { now: 5_000 };
    const { document } = await play("ana codes wrong 10", host);
    for (let passed = 0; passed < 700; passed += 1) {
      host.now += 1;
      test.mock.timers.tick(1_000);
    }
    test.mock.timers.reset();
    await document.save();
    Object.assign(host, { bootId: "boot-2", now: 12 });
    const left = codesRefused((await throttleAt(host)).throttle, "ana");
    assert.ok(left >= 200 && left <= 200 + 300, `${left} s left of 900 after 700`);
  });
});

describe("what an administrator sees and does", () => {
  const password = (untilSeconds: number) => ({ password: true, totp: false, untilSeconds });

  it("is no lock where nothing runs, and the end of the last where something does", async () => {
    const { throttle, more } = await play("ana home fails 4");
    assert.equal(throttle.lockOf("ana"), null);
    more("ana home fails 1, 10 s, ana away fails 5");
    assert.deepEqual([throttle.lockOf("ana"), throttle.lockOf("bob")], [password(30), null]);
    more("30 s");
    assert.equal(throttle.lockOf("ana"), null);
  });

  it("is the minute of strangers, and none for a slip from a known client", async () => {
    const { throttle, more } = await play("ana home succeeds, 100 networks at ana");
    assert.deepEqual(throttle.lockOf("ana"), password(60));
    more("60 s, ana home fails 1");
    assert.equal(throttle.lockOf("ana"), null);
  });

  it("is the lock of codes alone", async () => {
    const { throttle } = await play("ana codes wrong 10");
    assert.deepEqual(throttle.lockOf("ana"), { password: false, totp: true, untilSeconds: 900 });
  });

  it("unlocks: every count and lock of the account goes, of others none, and known clients stay", async () => {
    const { throttle, host, stop, more } = await play(
      "ana home succeeds, 100 networks at ana, ana home fails 5, bob home fails 5, ana codes wrong 10",
    );
    throttle.unlock("ana");
    assert.equal(throttle.lockOf("ana"), null);
    more("ana codes wait 0, ana home waits 0, ana away fails 5, bob home waits 30");
    assert.equal(throttle.isKnownClient(home), true);
    throttle.unlock("ana");
    await stop();
    assert.equal((await throttleAt(host)).throttle.lockOf("ana"), null);
  });

  it("deletes: a later user of that name begins with nothing", async () => {
    const { throttle, more } = await play("ana home succeeds, ana home fails 5");
    throttle.forget("ana");
    assert.deepEqual([throttle.isKnownClient(home), throttle.lockOf("ana")], [false, null]);
    more("ana home fails 5");
  });
});
