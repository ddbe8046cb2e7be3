import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Attempts } from "../../src/auth/attempts.ts";
import { attemptsAt, codesRefused, type Host, tried } from "./attempts-at.ts";

function wrong(attempts: Attempts, name: string, times: number): void {
  for (let count = 0; count < times; count += 1) attempts.wrongCode(name);
}

describe("wrong codes", () => {
  it("are ten in a row, then codes are refused for 15 min, doubling to 4 h", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    wrong(attempts, "ana", 9);
    assert.equal(codesRefused(attempts, "ana"), 0);
    for (const seconds of [900, 1_800, 3_600, 7_200, 14_400, 14_400]) {
      attempts.wrongCode("ana");
      assert.equal(codesRefused(attempts, "ana"), seconds);
      host.now += seconds - 1;
      assert.equal(codesRefused(attempts, "ana"), 1);
      host.now += 1;
      assert.equal(codesRefused(attempts, "ana"), 0);
    }
    assert.equal(codesRefused(attempts, "bob"), 0);
  });

  it("during a lock do not move its end", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    wrong(attempts, "ana", 10);
    host.now += 100;
    wrong(attempts, "ana", 10);
    assert.equal(codesRefused(attempts, "ana"), 800);
  });

  it("begin anew after a right one", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    wrong(attempts, "ana", 9);
    attempts.rightCode("ana");
    wrong(attempts, "ana", 9);
    assert.equal(codesRefused(attempts, "ana"), 0);
  });

  it("are forgotten after a week without one, and not after a day", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    wrong(attempts, "ana", 9);
    host.now += 86_400;
    wrong(attempts, "ana", 1);
    assert.equal(codesRefused(attempts, "ana"), 900);
    host.now += 7 * 86_400;
    wrong(attempts, "ana", 9);
    assert.equal(codesRefused(attempts, "ana"), 0);
  });

  it("lock no password: recovery codes go on", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    wrong(attempts, "ana", 10);
    assert.equal(tried(attempts, "ana", "192.0.2.7", "succeed"), 0);
    assert.equal(codesRefused(attempts, "ana"), 900);
  });

  it("say that a recovery code works", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    wrong(attempts, "ana", 10);
    assert.throws(() => attempts.checkCodes("ana"), /for 15 minutes\. A recovery code works now/);
  });
});

describe("while the clock is not trusted", () => {
  it("wrong codes do not count, now or later: the clock may have made them wrong", async () => {
    const host: Host = { now: 500, isClockTrusted: false };
    const { attempts } = await attemptsAt(host);
    wrong(attempts, "ana", 50);
    assert.equal(codesRefused(attempts, "ana"), 0);
    host.isClockTrusted = true;
    assert.equal(codesRefused(attempts, "ana"), 0);
  });

  it("a lock from before does not hold and is not shown", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    wrong(attempts, "ana", 10);
    host.isClockTrusted = false;
    assert.equal(codesRefused(attempts, "ana"), 0);
    assert.equal(attempts.lockOf("ana"), null);
  });

  it("its locks are cleared when it becomes trusted", async () => {
    const host: Host = { now: 500 };
    const { attempts } = await attemptsAt(host);
    wrong(attempts, "ana", 10);
    host.isClockTrusted = false;
    attempts.clearCodeLocks();
    host.isClockTrusted = true;
    assert.equal(codesRefused(attempts, "ana"), 0);
    wrong(attempts, "ana", 9);
    assert.equal(codesRefused(attempts, "ana"), 0);
  });

  it("passwords are throttled as ever", async () => {
    const { attempts } = await attemptsAt({ now: 500, isClockTrusted: false });
    for (let count = 0; count < 5; count += 1) assert.equal(tried(attempts, "ana", "192.0.2.7"), 0);
    assert.equal(tried(attempts, "ana", "192.0.2.7"), 30);
  });
});
