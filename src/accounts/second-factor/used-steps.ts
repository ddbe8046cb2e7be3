/** Spent time steps, as they are stored with an account. Pure: each function returns the value to store instead. */
export interface UsedSteps {
  /** At most 64, the latest use last; accepted and burnt ones alike. */
  readonly steps: readonly number[];
  /** The highest step that was accepted in `epoch`; null before the first. */
  readonly highest: number | null;
  /** The clock epoch of `highest`. Two runs, even across a reboot, share no number: `highest` belongs to one clock. */
  readonly epoch: number;
}

/** The value for a new secret. */
export const noUsedSteps: UsedSteps = { steps: [], highest: null, epoch: 0 };

/**
 * Steps remembered. Two demands set the number: the steps that a stepped clock may bring back (each sign-in with a code
 * takes one), and the 62 steps that can be used at all, ±20 around a running clock, before a burnt one 20 ahead is
 * past.
 */
const remembered = 64;

/**
 * False if the code of `step` was used or burnt, or if `step`, while the clock runs without a step, is not above an
 * accepted one (RFC 6238 §5.2). After a step of the clock only remembered steps decide: with `highest` a clock that had
 * been a year ahead would lock its user out for a year.
 */
export function isUsable(used: UsedSteps, step: number, epoch: number): boolean {
  if (used.steps.includes(step)) return false;
  return epoch !== used.epoch || used.highest === null || step > used.highest;
}

/** Marks `step` as accepted in `epoch`. Mark the other steps that the same code matches with `withBurnt`. */
export function withUsed(used: UsedSteps, step: number, epoch: number): UsedSteps {
  const highest = epoch === used.epoch && used.highest !== null ? Math.max(used.highest, step) : step;
  return { ...used, steps: remember(used.steps, [step]), highest, epoch };
}

/** Marks steps of codes seen but refused: none can use them later. `highest` stays, so a guess locks no earlier step. */
export function withBurnt(used: UsedSteps, steps: readonly number[]): UsedSteps {
  return { ...used, steps: remember(used.steps, steps) };
}

/**
 * Drops the step that was used longest ago, whatever its number. No step comes back before 64 others were used,
 * wherever the clock is moved to and in whatever order, and 64 places cannot promise more. An order by number would
 * promise less: if the highest were kept, after 64 sign-ins under a clock a year ahead each later one would be dropped
 * at once; if the lowest were kept, the same with a clock that began in 1970; if the nearest to now were kept, with
 * each step of the clock.
 *
 * Without a step of the clock, only a burnt step ahead is in danger, at most 20 ahead. It is past after 21 more; until
 * then the clock can reach 61 others, so it is never dropped. An attacker cannot push one out: every entry is the code
 * of a step of its own, found after the right password.
 */
function remember(steps: readonly number[], added: readonly number[]): readonly number[] {
  return [...steps.filter((step) => !added.includes(step)), ...added].slice(-remembered);
}
