import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills the processes that have `variable` in their environment, and all that they have started, as other users too; gives
 * back the command line of each.
 */
export function killMarked(variable: string): string[] {
  const marked = processes().filter(
    ({ id }) => id !== process.pid && textOf(id, "environ").split("\0").includes(variable),
  );
  const doomed = new Set(marked.map(({ id }) => id));
  // A set gives what is added to it while it is gone through.
  for (const parent of doomed) for (const one of processes()) if (one.parent === parent) doomed.add(one.id);
  return [...doomed].flatMap((id) => {
    const words = textOf(id, "cmdline").split("\0").join(" ").trim();
    return kill(id) ? [words] : [];
  });
}

/** All that run now, those that have ended and are not waited for left out. */
function processes(): { readonly id: number; readonly parent: number }[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    // proc(5): behind the name, which may hold blanks and brackets, are state and parent.
    const [state, parent] = textOf(Number(id), "stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return parent === undefined || state === "Z" ? [] : [{ id: Number(id), parent: Number(parent) }];
  });
}

function textOf(id: number, file: string): string {
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
