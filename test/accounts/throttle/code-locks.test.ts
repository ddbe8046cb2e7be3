import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codesRefused, type Host, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";
import type { Throttle } from "../../../src/accounts/throttle/throttle.ts";

function wrong(throttle: Throttle, name: string, times: number): void {
  for (let count = 0; count < times; count += 1) throttle.wrongCode(name);
}

describe("wrong codes", () => {
  it("begin anew after a right one, of that user alone", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    wrong(throttle, "ana", 9);
    wrong(throttle, "bob", 9);
    throttle.rightCode("ana");
    wrong(throttle, "ana", 9);
    assert.equal(codesRefused(throttle, "ana"), 0);
    wrong(throttle, "bob", 1);
    assert.equal(codesRefused(throttle, "bob"), 900);
  });

  it("are forgotten after a week without one, and not after a day", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    wrong(throttle, "ana", 9);
    host.now += 86_400;
    wrong(throttle, "ana", 1);
    assert.equal(codesRefused(throttle, "ana"), 900);
    host.now += 7 * 86_400;
    wrong(throttle, "ana", 9);
    assert.equal(codesRefused(throttle, "ana"), 0);
  });

  it("lock no password: recovery codes go on", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    wrong(throttle, "ana", 10);
    assert.equal(tried(throttle, "ana", "192.0.2.7", "succeed"), 0);
    assert.equal(codesRefused(throttle, "ana"), 900);
  });

  it("say that a recovery code works", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    wrong(throttle, "ana", 10);
    assert.throws(() => throttle.checkCodes("ana"), /for 15 minutes\. A recovery code works now/);
  });
});

describe("codes that are judged", () => {
  /** Asks as often as codes are looked at; none of them is right, nor one in a row. */
  function judged(throttle: Throttle, name: string): number {
    let count = 0;
    while (count < 1_000 && codesRefused(throttle, name) === 0) {
      throttle.checkCodes(name);
      count += 1;
    }
    return count;
  }

  it("are thirty within an hour, whatever else is known of them", async () => {
    const host: Host = { now: 5_000 };
    const { throttle } = await throttleAt(host);
    assert.equal(judged(throttle, "ana"), 30);
    assert.deepEqual(throttle.lockOf("ana"), { password: false, totp: true, untilSeconds: 3_600 });
    assert.equal(codesRefused(throttle, "bob"), 0);
    host.now += 3_599;
    assert.equal(codesRefused(throttle, "ana"), 1);
    host.now += 1;
    assert.equal(judged(throttle, "ana"), 30);
  });

  it("do not count when they are right", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    for (let count = 0; count < 200; count += 1) throttle.checkCodes("ana")();
    assert.equal(judged(throttle, "ana"), 30);
  });

  it("are forgotten by an unlock and with the factor, not by a right code or a trusted clock", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    for (const forget of ["unlock", "forgetCodes"] as const) {
      judged(throttle, "ana");
      throttle.rightCode("ana");
      throttle.clearCodeLocks();
      assert.equal(codesRefused(throttle, "ana"), 3_600);
      throttle[forget]("ana");
      assert.equal(codesRefused(throttle, "ana"), 0);
    }
  });
});

describe("a clock that becomes trusted", () => {
  it("ends the locks of codes that may have been wrong by it", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    wrong(throttle, "ana", 10);
    throttle.clearCodeLocks();
    assert.equal(codesRefused(throttle, "ana"), 0);
    wrong(throttle, "ana", 9);
    assert.equal(codesRefused(throttle, "ana"), 0);
  });
});
