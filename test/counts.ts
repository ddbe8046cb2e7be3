/** How often something is tried: fewer times in `make test`, undiminished in `make test-all` (STEWARD_TEST_ALL=1). */
export function counted({ usual, all }: { usual: number; all: number }): number {
  return process.env.STEWARD_TEST_ALL === "1" ? all : usual;
}

/**
 * The parameters of a property test. fast-check prints the seed of one that fails; STEWARD_SEED replays it.
 */
export function runs(counts: { usual: number; all: number }): { numRuns: number; seed?: number } {
  const seed = process.env.STEWARD_SEED;
  return { numRuns: counted(counts), ...(seed !== undefined && { seed: Number(seed) }) };
}
