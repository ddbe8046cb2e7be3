import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Row, ratioRow } from "./row.ts";

const run = promisify(execFile);

/** Milliseconds. */
export interface Spent {
  /** All threads, and the children, are counted. */
  readonly processor: number;
  readonly wall: number;
}

export interface SpendOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Runs it as often as this, one after the other, and says what one took: the shell counts in milliseconds. */
  readonly times?: number;
}

/** Bash's own `time` counts what the system charged to the children that have ended. */
const timed = 'TIMEFORMAT="%R %U %S"; time for ((turn = 0; turn < TURNS; turn++)); do "$@" || exit; done';

/** Runs a command on the first processor, from its spawn to its end, and returns what it printed on stderr as well. */
export async function spentBy(
  command: readonly string[],
  { env = process.env, times = 1 }: SpendOptions = {},
): Promise<Spent & { readonly stderr: string }> {
  const { stderr } = await run("taskset", ["--cpu-list", "0", "bash", "-c", timed, "bash", ...command], {
    env: { ...env, TURNS: String(times), LC_ALL: "C" },
    timeout: 120_000,
  });
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = (
    stderr.trimEnd().split("\n").at(-1) ?? ""
  )
    .split(" ")
    .map((seconds) => (Number(seconds) * 1_000) / times);
  return { processor: user + system, wall, stderr };
}

/** Runs commands one after the other. */
export async function spentByAll(commands: readonly (readonly string[])[]): Promise<Spent> {
  let [processor, wall] = [0, 0];
  for (const command of commands) {
    const spent = await spentBy(command);
    processor += spent.processor;
    wall += spent.wall;
  }
  return { processor, wall };
}

/** The processor time against the bound, and beside it the wall time. */
export function timeRows(what: string, [own, peer]: readonly [Spent[], Spent[]], most: number): Row[] {
  const series = (of: keyof Spent) => [own.map((one) => one[of]), peer.map((one) => one[of])] as const;
  return [
    ratioRow(what, "ms", series("processor"), { side: "most", value: most }),
    ratioRow("the same in wall time", "ms", series("wall")),
  ];
}
