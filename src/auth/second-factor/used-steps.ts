/**
 * Time steps whose codes are spent, as they are stored with an account. Pure: each function returns what to
 * stored instead.
 */
export interface UsedSteps {
  /** At most 64, the latest use last; accepted and burnt ones alike. */
  readonly steps: readonly number[];
  /** The highest step accepted in `epoch`; null before the first. */
  readonly highest: number | null;
  /**
   * The clock epoch that `highest` was accepted in. Two runs of the agent must never share an epoch's number: the counter must not repeat it over the
   * clock, not even across a reboot: `highest` would then be held against a clock that it knows nothing of.
   */
  readonly epoch: number;
}

/** Where every secret begins. */
export const noUsedSteps: UsedSteps = { steps: [], highest: null, epoch: 0 };

/**
 * Steps remembered. Two demands set it: what a stepped clock may bring back (each sign-in with a code takes one), and
 * the 62 steps that can be used at all, ±20 around a clock that runs, before a burnt one 20 ahead has gone by.
 */
const remembered = 64;

/**
 * False when the code of `step` was used or burnt, or, while the clock runs on without a step, lies at or below one that
 * was accepted (RFC 6238 §5.2). After a step of the clock only remembered steps decide: with `highest` a clock that
 * had been a year ahead would lock its user out for a year.
 */
export function isUsable(used: UsedSteps, step: number, epoch: number): boolean {
  if (used.steps.includes(step)) return false;
  return epoch !== used.epoch || used.highest === null || step > used.highest;
}

/** `step` was accepted in `epoch`. Steps that the same code matched besides are to be burnt with `withBurnt`. */
export function withUsed(used: UsedSteps, step: number, epoch: number): UsedSteps {
  const highest = epoch === used.epoch && used.highest !== null ? Math.max(used.highest, step) : step;
  return { ...used, steps: remember(used.steps, [step]), highest, epoch };
}

/**
 * Codes of `steps` were shown to us and not accepted, so that a person who saw or guessed them cannot use them later. The
 * highest stays: a guess at a step ahead must not shut out the steps before it.
 */
export function withBurnt(used: UsedSteps, steps: readonly number[]): UsedSteps {
  return { ...used, steps: remember(used.steps, steps) };
}

/**
 * The one used longest ago goes first, whatever its number: then no step comes back before 64 others were used, wherever
 * the clock is moved to and in whatever order, and 64 places cannot promise more. By number it would be less: keeping
 * the highest, 64 sign-ins under a clock a year ahead would let each later one be forgotten at once; keeping the lowest,
 * the same with a clock that began in 1970; keeping the nearest to now, with each step of the clock.
 *
 * Without any step of the clock, the danger is a burnt step ahead, at most 20. It is past after 21 more; until
 * then the clock can reach 61 others, so it is never pushed out. An attacker cannot push one out: every entry is the code of a
 * step of its own, found behind the right password.
 */
function remember(steps: readonly number[], added: readonly number[]): readonly number[] {
  return [...steps.filter((step) => !added.includes(step)), ...added].slice(-remembered);
}
