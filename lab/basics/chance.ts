/** Chance that is the same at each run. */
export interface Chance {
  /** 0 to 1, never 1. */
  uniform(): number;
  /** Mean 0, standard deviation 1. */
  normal(): number;
  /** Mean 1. */
  exponential(): number;
  /** A chance of its own, so that one part of a simulation does not disturb another one's. */
  fork(): Chance;
}

/** mulberry32: 32 bits of state are plenty for the noise of a network. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const exponential = (): number => -Math.log(1 - uniform());
  return {
    uniform,
    normal: () => Math.sqrt(2 * exponential()) * Math.cos(2 * Math.PI * uniform()),
    exponential,
    fork: () => createChance(Math.floor(uniform() * 2 ** 32)),
  };
}
/** Bytes that hostile servers put together: parts of true fields in any order. */
export function mutations(count: number, parts: readonly string[]): string[] {
  const { uniform } = createChance(7);
  const pick = (): string => parts[Math.floor(uniform() * parts.length)] ?? "";
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(uniform() * 6) }, pick).join(""),
  );
}
