import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Attempts } from "../../../src/auth/throttle/throttle.ts";
import { attemptsAt, codesRefused, type Host, tried } from "../throttle-at.ts";

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

describe("codes that are judged", () => {
  /** Asks as often as codes are looked at; none of them is right, nor one in a row. */
  function judged(attempts: Attempts, name: string): number {
    let count = 0;
    while (count < 1_000 && codesRefused(attempts, name) === 0) {
      attempts.checkCodes(name);
      count += 1;
    }
    return count;
  }

  it("are thirty within an hour, whatever else is known of them", async () => {
    const host: Host = { now: 5_000 };
    const { attempts } = await attemptsAt(host);
    assert.equal(judged(attempts, "ana"), 30);
    assert.deepEqual(attempts.lockOf("ana"), { password: false, totp: true, untilSeconds: 3_600 });
    assert.equal(codesRefused(attempts, "bob"), 0);
    host.now += 3_599;
    assert.equal(codesRefused(attempts, "ana"), 1);
    host.now += 1;
    assert.equal(judged(attempts, "ana"), 30);
  });

  it("do not count when they are right", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    for (let count = 0; count < 200; count += 1) attempts.checkCodes("ana")();
    assert.equal(judged(attempts, "ana"), 30);
  });

  it("are forgotten by an unlock and with the factor, not by a right code or a trusted clock", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    for (const forget of ["unlock", "forgetCodes"] as const) {
      judged(attempts, "ana");
      attempts.rightCode("ana");
      attempts.clearCodeLocks();
      assert.equal(codesRefused(attempts, "ana"), 3_600);
      attempts[forget]("ana");
      assert.equal(codesRefused(attempts, "ana"), 0);
    }
  });
});

describe("a clock that becomes trusted", () => {
  it("ends the locks of codes that may have been wrong by it", async () => {
    const { attempts } = await attemptsAt({ now: 500 });
    wrong(attempts, "ana", 10);
    attempts.clearCodeLocks();
    assert.equal(codesRefused(attempts, "ana"), 0);
    wrong(attempts, "ana", 9);
    assert.equal(codesRefused(attempts, "ana"), 0);
  });
});
