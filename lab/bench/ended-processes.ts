import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Row, ratioRow } from "./row.ts";

/** Milliseconds: of a processor, all threads and the children counted, and of the wall. */
export interface Spent {
  readonly processor: number;
  readonly wall: number;
}

/** Bash's own `time` counts what the system charged to the children that have ended. */
const timed = 'TIMEFORMAT="%R %U %S"; time for ((turn = 0; turn < TURNS; turn++)); do "$@" || exit; done';

/**
 * Runs a command on the first processor, from its spawn to its end, and returns what it printed on stderr as well. It is run
 * `times`, one after the other, and what one took is given: the shell counts in milliseconds.
 */
export async function spentBy(
  command: readonly string[],
  { env = process.env, times = 1 }: { env?: NodeJS.ProcessEnv; times?: number } = {},
): Promise<Spent & { readonly stderr: string }> {
  const words = ["--cpu-list", "0", "bash", "-c", timed, "bash", ...command];
  const surroundings = { env: { ...env, TURNS: String(times), LC_ALL: "C" }, timeout: 120_000 };
  const { stderr } = await promisify(execFile)("taskset", words, surroundings);
  const seconds = stderr.trimEnd().split("\n").at(-1)?.split(" ") ?? [];
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = seconds.map(
    (one) => (Number(one) * 1_000) / times,
  );
  return { processor: user + system, wall, stderr };
}

/** Runs commands one after the other. */
export async function spentByAll(...commands: readonly (readonly string[])[]): Promise<Spent> {
  let [processor, wall] = [0, 0];
  for (const command of commands) {
    const spent = await spentBy(command);
    processor += spent.processor;
    wall += spent.wall;
  }
  return { processor, wall };
}

/** The processor time against the bound, and beside it the wall time. */
export function timeRows(what: string, [own, peer]: readonly [Spent[], Spent[]], bound: string): Row[] {
  const series = (of: keyof Spent) => [own.map((one) => one[of]), peer.map((one) => one[of])] as const;
  return [
    ratioRow(what, "ms", series("processor"), bound),
    ratioRow("the same in wall time", "ms", series("wall")),
  ];
}
