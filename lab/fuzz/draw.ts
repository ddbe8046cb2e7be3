import fc, { type Arbitrary } from "fast-check";
import type { Chance } from "../basics/chance.ts";

/** A whole number from 0 to `below` - 1. */
export function draw(chance: Chance, below: number): number {
  return Math.floor(chance.uniform() * below);
}

/** One of them. Throws where there is none. */
export function oneOf<T>(chance: Chance, items: readonly T[]): T {
  const item = items[draw(chance, items.length)];
  if (items.length === 0) throw new Error("there is nothing to draw from");
  return item as T;
}

/** True so many times in a hundred. */
export function percent(chance: Chance, share: number): boolean {
  return chance.uniform() * 100 < share;
}

export function randomBytes(chance: Chance, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => draw(chance, 256)));
}

/** A value of fast-check's, for what goes on from one to the next by what came of it. */
export function drawn<T>(chance: Chance, values: Arbitrary<T>): T {
  const [value] = fc.sample(values, { seed: draw(chance, 2 ** 31), numRuns: 1 });
  return value as T;
}
