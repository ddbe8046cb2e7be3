import type { ClockReading } from "../../host/ports.ts";
import type { NtpReply } from "./ntp-packet.ts";
import { phi, type Sample } from "./sample.ts";

/** Seconds that a reading may be off: about 4 µs between its two clocks, and 0.24 µs as the quantum of a double. */
const ownPrecisionSeconds = 2 ** -18;

/** When the request went out (monotonic seconds) and the reading when its reply arrived. */
export interface Passage {
  readonly sentMonotonicSeconds: number;
  readonly arrived: ClockReading;
  /** A reply that took longer is not believed: the host slept meanwhile, or the packet waited somewhere. */
  readonly longestSeconds: number;
}

/** Seconds between two readings' clocks that are no step: real ones are far greater, errors far smaller. */
const steadySeconds = 1e-4;

/** The reading when a packet arrived, `ageSeconds` ago. The kernel's age is of the wall clock: none after a step. */
export function readingAtArrival(sent: ClockReading, now: ClockReading, ageSeconds: number): ClockReading {
  const stepSeconds = now.wallSeconds - sent.wallSeconds - (now.monotonicSeconds - sent.monotonicSeconds);
  if (!(Math.abs(stepSeconds) <= steadySeconds)) return now;
  return { wallSeconds: now.wallSeconds - ageSeconds, monotonicSeconds: now.monotonicSeconds - ageSeconds };
}

/** The sample that a reply makes (RFC 5905 §8), or null where the server held the packet longer than it was away. */
export function sampleOf(reply: NtpReply, passage: Passage): Sample | null {
  const { sentMonotonicSeconds, arrived, longestSeconds } = passage;
  const { stratum, leap, refid, rootDelaySeconds, rootDispersionSeconds } = reply;
  const elapsedSeconds = arrived.monotonicSeconds - sentMonotonicSeconds;
  if (!(elapsedSeconds >= 0 && elapsedSeconds <= longestSeconds)) return null;
  const dispersionSeconds = reply.precisionSeconds + ownPrecisionSeconds + phi * elapsedSeconds;
  const delaySeconds = elapsedSeconds - reply.heldSeconds;
  if (delaySeconds < -dispersionSeconds) return null;
  // One look at the wall clock and a monotonic difference, never two looks: a step between them would be taken for an
  // offset. The look is the later one, so that the offset is that of the clock as it stood at the arrival.
  const t4 = arrived.wallSeconds;
  const t1 = t4 - elapsedSeconds;
  return {
    atSeconds: arrived.monotonicSeconds,
    offsetSeconds: (reply.receiveSeconds - t1 + (reply.transmitSeconds - t4)) / 2,
    delaySeconds: Math.max(delaySeconds, ownPrecisionSeconds),
    dispersionSeconds,
    ...{ stratum, leap, refid, rootDelaySeconds, rootDispersionSeconds },
  };
}
