/** How often, or in what, something is tried: less in `make test`, undiminished in `make test-all` (STEWARD_TEST_ALL=1). */
export function counted<T>({ usual, all }: { usual: T; all: T }): T {
  return process.env.STEWARD_TEST_ALL === "1" ? all : usual;
}

/**
 * The parameters of a property test. fast-check prints the seed of one that fails; STEWARD_SEED replays it.
 */
export function runs(counts: { usual: number; all: number }): { numRuns: number; seed?: number } {
  const seed = process.env.STEWARD_SEED;
  return { numRuns: counted(counts), ...(seed !== undefined && { seed: Number(seed) }) };
}
