import assert from "node:assert/strict";
import { describe, it } from "node:test";
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
  const slow = answered(firstPoll, 100);
  const unsettled = { ...steady, isFrequencySettled: false };
  const rows: [string, PollState, number][] = [
    ["at first", firstPoll, 64],
    ["after four steady polls", answered(firstPoll, 4), 64],
    ["after five steady polls", answered(firstPoll, 5), 128],
    ["after a hundred", slow, 1_024],
    ["after a poll with an offset of four jitters", answered(slow, 1, off), 1_024],
    ["after two", answered(slow, 2, off), 512],
    ["after a hundred of those", answered(slow, 100, off), 64],
    ["while the frequency is not settled", answered(firstPoll, 20, unsettled), 64],
    ["after seven lost packets", answered(silent(slow, 7), 1), 1_024],
    ["after eight lost packets", answered(silent(slow, 8), 1), 64],
  ];
  for (const [when, state, seconds] of rows)
    it(`waits ${seconds} s ${when}`, () => assert.equal(waitSeconds(state, even), seconds));

  it("tries again 15 s after a failure, then ever later up to 360 s, spread by a tenth to either side", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => waitSeconds(silent(firstPoll, failures), even));
    assert.deepEqual(waits, [15, 30, 60, 120, 240, 360, 360, 360]);
    const found = [0, 1].map((random) => waitSeconds(silent(firstPoll, 1), random));
    assert.deepEqual(found, [13.5, 16.5]);
  });
});
