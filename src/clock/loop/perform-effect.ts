import { boundedPpm } from "../discipline/discipline.ts";
import type { ClockRecord } from "../trust/clock-record.ts";
import type { ClockOptions, ClockParts } from "./clock-parts.ts";
import type { Effect } from "./effects.ts";

/** Effects on the parts of the clock; the others are the loop's own. */
export type PartEffect = Exclude<
  Effect,
  { kind: "read_rtc" } | { kind: "measure_soon" } | { kind: "tell" } | { kind: "tell_checked" }
>;

export function performEffect(options: ClockOptions, parts: ClockParts, effect: PartEffect): void {
  const { steering, floor, pool, trusted, counters, history } = parts;
  const { monotonicSeconds } = steering.read();
  switch (effect.kind) {
    case "take_clock":
      takeClock(parts, effect);
      break;
    case "step_to_floor":
      stepToFloor(parts);
      break;
    case "forget_samples":
      pool.forget();
      break;
    case "hold_down_floor":
      floor.stepped();
      break;
    case "raise_floor":
      floor.raise(effect.trust, options.wall() / 1_000 + trusted.seconds(), monotonicSeconds);
      break;
    case "trust_steered_clock":
      trusted.set(steering.hostOffsetSeconds());
      break;
    case "trust_host_clock":
      trusted.forget();
      break;
    case "tell_kernel":
      steering.setQuality(effect.quality);
      break;
    case "add_history":
      history.add({ ...effect.point, atMonotonic: monotonicSeconds });
      break;
    case "keep_record":
      keepRecord(options, parts);
      break;
    case "count":
      counters.add(effect.counter);
  }
}

function stepToFloor({ steering, floor }: ClockParts): void {
  const missing = floor.atSeconds() - steering.read().wallSeconds;
  if (missing > 0) steering.step(missing);
}

/** Two clocks that are read one after the other seem to differ by less than so many seconds. */
const leastCarriedSeconds = 1e-3;

function takeClock({ steering }: ClockParts, effect: Extract<Effect, { kind: "take_clock" }>): void {
  const lackedSeconds = steering.hostOffsetSeconds() - effect.externalSeconds;
  steering.take(effect.clock, effect.isFresh);
  const isCarried = effect.carriesOffset && Math.abs(lackedSeconds) > leastCarriedSeconds;
  if (isCarried && steering.isVirtual()) steering.step(lackedSeconds);
}

/** ppm: an oscillator's error known so well is worth keeping. */
const keptPpm = 5;

/** Seconds within which a new figure of the oscillator is on the disk. */
const keepWithinSeconds = 3_600;

/** ppm: a change of the oscillator that is worth a write. */
const keptChangePpm = 0.1;

function keepRecord({ record, bootId }: ClockOptions, { steering }: ClockParts): void {
  const stored = record.read();
  const believed = steering.believed();
  const isKnown = believed !== null && believed.frequencyDeviationPpm < keptPpm;
  const frequency_ppm = isKnown ? boundedPpm(believed.frequencyPpm) : stored.frequency_ppm;
  const isOther = Math.abs((frequency_ppm ?? 0) - (stored.frequency_ppm ?? 0)) > keptChangePpm;
  const isFirst = stored.synchronised_boot_id !== bootId;
  if (!isOther && !isFirst) return;
  const kept = (present: ClockRecord) => ({ ...present, frequency_ppm, synchronised_boot_id: bootId });
  record.note(kept, isFirst ? 0 : keepWithinSeconds);
}
