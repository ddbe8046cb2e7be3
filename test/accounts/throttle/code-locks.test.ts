import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codesRefused } from "../../../lab/simulated/throttle-at.ts";
import type { Throttle } from "../../../src/accounts/throttle/throttle.ts";
import { play, plays } from "./script.ts";

describe("wrong codes", () => {
  it(
    "begin anew after a right one, of that user alone",
    plays(
      "ana codes wrong 9, bob codes wrong 9, ana code right, ana codes wrong 9, ana codes wait 0, bob codes wrong 1, bob codes wait 900",
    ),
  );
  it(
    "are forgotten after a week without one, and not after a day",
    plays(
      "ana codes wrong 9, 86400 s, ana codes wrong 1, ana codes wait 900, 604800 s, ana codes wrong 9, ana codes wait 0",
    ),
  );
  it("lock no password, and say that a recovery code works", async () => {
    const { throttle } = await play("ana codes wrong 10, ana home succeeds, ana codes wait 900");
    assert.throws(() => throttle.checkCodes("ana"), /for 15 minutes\. A recovery code works now/);
  });
  it("end with a clock that becomes trusted: they may have been wrong by the one before", async () => {
    const { throttle, more } = await play("ana codes wrong 10");
    throttle.clearCodeLocks();
    more("ana codes wait 0, ana codes wrong 9, ana codes wait 0");
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
    const { throttle, more } = await play("1 s");
    assert.equal(judged(throttle, "ana"), 30);
    assert.deepEqual(throttle.lockOf("ana"), { password: false, totp: true, untilSeconds: 3_600 });
    more("bob codes wait 0, 3599 s, ana codes wait 1, 1 s");
    assert.equal(judged(throttle, "ana"), 30);
  });
  it("do not count when they are right", async () => {
    const { throttle } = await play("1 s");
    for (let count = 0; count < 200; count += 1) throttle.checkCodes("ana")();
    assert.equal(judged(throttle, "ana"), 30);
  });
  it("are forgotten by an unlock and with the factor, not by a right code or a trusted clock", async () => {
    const { throttle, more } = await play("1 s");
    for (const forget of ["unlock", "forgetCodes"] as const) {
      judged(throttle, "ana");
      more("ana code right");
      throttle.clearCodeLocks();
      more("ana codes wait 3600");
      throttle[forget]("ana");
      more("ana codes wait 0");
    }
  });
});
