import type { Facts } from "../contract/types.ts";
import type { RunCommand } from "../host/ports.ts";

/** Milliseconds; systemctl(1) answers within some hundredths of a second. */
const longestMilliseconds = 8_000;

/**
 * The states of these systemd units, by one process; none is started for none. The names are those of the host file,
 * whose form excludes paths and patterns. Never rejects: without systemd each state is null.
 */
export async function readServices(run: RunCommand, units: readonly string[]): Promise<Facts["services"]> {
  if (units.length === 0) return [];
  const options = ["--no-ask-password", "--no-pager", "show", "--property=LoadState,ActiveState"];
  const limits = { timeoutMilliseconds: longestMilliseconds };
  const answer = await run("systemctl", [...options, "--", ...units], limits).catch(() => null);
  // A block for each unit, in their order; the order of the properties is systemd's.
  const blocks = answer?.status === 0 ? answer.stdout.trim().split("\n\n") : [];
  return units.map((unit, at) => ({ unit, state: stateIn(blocks[at] ?? "") }));
}

/** systemctl shows also units that do not exist. */
function stateIn(block: string): string | null {
  if (/^LoadState=not-found$/m.test(block)) return "not-found";
  return /^ActiveState=([a-z-]+)$/m.exec(block)?.[1] ?? null;
}
