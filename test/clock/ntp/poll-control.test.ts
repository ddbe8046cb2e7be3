import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  afterAnswer,
  afterSilence,
  firstPoll,
  type PollState,
  waitSeconds,
} from "../../../src/clock/ntp/poll-control.ts";

const steady = { offsetSeconds: 0.000_01, jitterSeconds: 0.000_01, isFrequencySettled: true };
const off = { ...steady, offsetSeconds: -0.000_041 };

/** The middle of the retry's jitter. */
const even = 0.5;

function repeated(state: PollState, times: number, next: (state: PollState) => PollState): PollState {
  return Array.from({ length: times }).reduce<PollState>(next, state);
}

const answered = (state: PollState, times: number, clock = steady) =>
  repeated(state, times, (one) => afterAnswer(one, clock));
const silent = (state: PollState, times: number) => repeated(state, times, afterSilence);

describe("poll control", () => {
  it("begins at 64 s", () => {
    assert.equal(waitSeconds(firstPoll, even), 64);
  });

  it("doubles after five steady polls at 64 s", () => {
    assert.equal(waitSeconds(answered(firstPoll, 4), even), 64);
    assert.equal(waitSeconds(answered(firstPoll, 5), even), 128);
  });

  it("goes to 1024 s and no further", () => {
    assert.equal(waitSeconds(answered(firstPoll, 100), even), 1024);
  });

  it("halves after a few polls with an offset of four jitters or more, down to 64 s", () => {
    const slow = answered(firstPoll, 100);
    assert.equal(waitSeconds(answered(slow, 1, off), even), 1024);
    assert.equal(waitSeconds(answered(slow, 2, off), even), 512);
    assert.equal(waitSeconds(answered(slow, 100, off), even), 64);
  });

  it("does not double while the frequency is not settled", () => {
    assert.equal(waitSeconds(answered(firstPoll, 20, { ...steady, isFrequencySettled: false }), even), 64);
  });

  it("tries again 15 s after a failure, then after 30, 60, 120, 240 and from then on 360 s", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => waitSeconds(silent(firstPoll, failures), even));
    assert.deepEqual(waits, [15, 30, 60, 120, 240, 360, 360, 360]);
  });

  it("spreads retries by a tenth to either side", () => {
    const failed = silent(firstPoll, 1);
    assert.equal(waitSeconds(failed, 0), 13.5);
    assert.equal(waitSeconds(failed, 1), 16.5);
  });

  it("keeps the interval through a lost packet, and begins again at 64 s after eight", () => {
    const slow = answered(firstPoll, 100);
    assert.equal(waitSeconds(answered(silent(slow, 7), 1), even), 1024);
    assert.equal(waitSeconds(answered(silent(slow, 8), 1), even), 64);
  });
});

describe("whatever happens to the sources", () => {
  it("they are asked between every 13.5 s and every 1024 s", () => {
    const happening = fc.oneof(
      fc.constant<(state: PollState) => PollState>(afterSilence),
      fc.constant<(state: PollState) => PollState>((state) => afterAnswer(state, steady)),
      fc.constant<(state: PollState) => PollState>((state) => afterAnswer(state, off)),
    );
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (all, random) => {
          const wait = waitSeconds(
            all.reduce((state, next) => next(state), firstPoll),
            random,
          );
          assert.ok(wait >= 13.5 && wait <= 1_024, `${wait} s`);
        },
      ),
    );
  });
});
