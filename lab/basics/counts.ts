/** Chooses the extent of a test: `usual` in `make test`, `all` in `make test-all` (STEWARD_TEST_ALL=1). */
export function counted<T>({ usual, all }: { usual: T; all: T }): T {
  return process.env.STEWARD_TEST_ALL === "1" ? all : usual;
}

/**
 * Takes one in so many of a long list, evenly spread from a place that STEWARD_SEED draws; all of it in `make
 * test-all`. An item that no run may leave out does not belong into the list.
 */
export function sampled<T>(items: readonly T[], { oneIn }: { oneIn: number }): readonly T[] {
  const step = counted({ usual: oneIn, all: 1 });
  const first = Number(process.env.STEWARD_SEED ?? 0) % Math.min(step, Math.max(items.length, 1));
  return items.filter((_, index) => index % step === first);
}

/**
 * The parameters of a property test. fast-check prints the seed of one that fails; STEWARD_SEED replays it.
 */
export function runs(counts: { usual: number; all: number }): { numRuns: number; seed?: number } {
  const seed = process.env.STEWARD_SEED;
  return { numRuns: counted(counts), ...(seed !== undefined && { seed: Number(seed) }) };
}
