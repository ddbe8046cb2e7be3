import { readdirSync, readFileSync } from "node:fs";

/** A process as /proc shows it. */
interface Seen {
  readonly id: number;
  readonly parent: number;
}

/** All that run now, those that have ended and are not waited for left out. */
function processes(): Seen[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    // Behind the name, which may hold blanks and brackets: state, parent.
    const [state, parent] = textOf(id, "stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return parent === undefined || state === "Z" ? [] : [{ id: Number(id), parent: Number(parent) }];
  });
}

/** Kills a process with its children and theirs; gives back how many they were. */
export function killTree(id: number): number {
  const all = processes();
  const doomed = [id];
  for (const parent of doomed)
    doomed.push(...all.filter((one) => one.parent === parent).map((one) => one.id));
  return doomed.filter(kill).length;
}

/** The children of a process, each with itself and its descendants. */
export function descendantsOf(parent: number): ReadonlyMap<number, readonly number[]> {
  const all = processes();
  const below = (id: number): number[] => [
    id,
    ...all.filter((one) => one.parent === id).flatMap((one) => below(one.id)),
  ];
  return new Map(all.filter((one) => one.parent === parent).map(({ id }) => [id, below(id)]));
}

/** Processor time of a process itself, in ticks of /proc; 0 where it is gone. */
export function ownTicksOf(id: number): number {
  // proc(5): fields 14 and 15 are utime and stime; the second field, the name, may hold blanks.
  const [user = 0, system = 0] = textOf(id, "stat")
    .replace(/^.*\) /s, "")
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return user + system;
}

/**
 * Finds the processes that were started with `variable` in their environment by this process, and by those that are no
 * more; not the children of such.
 */
export function startedHere(variable: string): number[] {
  const marked = processes().filter(({ id }) => textOf(id, "environ").split("\0").includes(variable));
  const ids = new Set(marked.map(({ id }) => id));
  return [...ids].filter((id) => !marked.some((one) => one.id === id && ids.has(one.parent)));
}

/** Words of its command line, node's own options left out; empty where it is gone. */
export function commandOf(id: number): string {
  const words = textOf(id, "cmdline").split("\0");
  return words
    .filter((word) => !word.startsWith("--"))
    .join(" ")
    .trim();
}

function textOf(id: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function kill(id: number): boolean {
  try {
    return process.kill(id, "SIGKILL");
  } catch {
    return false;
  }
}
