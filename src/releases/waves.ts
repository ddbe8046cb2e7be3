import { createHmac } from "node:crypto";

/** The rollout of a release to all devices, as its publisher signed it. */
export interface WaveSchedule {
  /** Seconds since 1970. */
  readonly startSeconds: number;
  /** In rising order; the last one is of all devices. */
  readonly steps: readonly WaveStep[];
}

/** From `afterSeconds` after the start on, this share of all devices may have it. */
export interface WaveStep {
  /** 1 to 100, of all devices together. */
  readonly percent: number;
  readonly afterSeconds: number;
}

/** 48 bits are what a double holds exactly, with room to spare. */
const positionBytes = 6;

/** A device's place in line for a release, [0, 1): evenly spread, different each time, secret with the seed (16 bytes). */
export function wavePosition(seed: Uint8Array, releaseId: string): number {
  const digest = createHmac("sha256", seed).update(releaseId, "ascii").digest();
  return digest.readUIntBE(0, positionBytes) / 2 ** (8 * positionBytes);
}

/**
 * The time of a device's wave, in seconds since 1970; null: at once, because the release is urgent or has no waves.
 * Devices of one wave all come due together: their own checks spread them over a check interval.
 */
export function waveDueSeconds(
  release: { readonly waves: WaveSchedule | null; readonly urgent: boolean },
  position: number,
): number | null {
  const { waves, urgent } = release;
  if (waves === null || urgent) return null;
  const step = waves.steps.find(({ percent }) => position * 100 < percent) ?? waves.steps.at(-1);
  return step === undefined ? null : waves.startSeconds + step.afterSeconds;
}
