import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills the processes that have `variable` in their environment, and all that they have started, as other users too; gives
 * back the command line of each.
 */
export function killMarked(variable: string): string[] {
  const isMarked = ({ id }: { id: number }): boolean =>
    id !== process.pid && textOf(id, "environ").split("\0").includes(variable);
  const doomed = new Set(
    processes()
      .filter(isMarked)
      .map(({ id }) => id),
  );
  // A set gives what is added to it while it is gone through.
  for (const parent of doomed) for (const one of processes()) if (one.parent === parent) doomed.add(one.id);
  return [...doomed].flatMap((id) => {
    const words = textOf(id, "cmdline").split("\0").join(" ").trim();
    try {
      return process.kill(id, "SIGKILL") ? [words] : [];
    } catch {
      return [];
    }
  });
}

/** All that run now, those that have ended and are not waited for left out. */
function processes(): { readonly id: number; readonly parent: number }[] {
  const ids = readdirSync("/proc").map(Number).filter(Boolean);
  return ids.flatMap((id) => {
    // proc(5): behind the name, which may hold blanks and brackets, are state and parent.
    const [, state, parent] = /^.*\) (\w) (\d+)/s.exec(textOf(id, "stat")) ?? [];
    return parent === undefined || state === "Z" ? [] : [{ id, parent: Number(parent) }];
  });
}

function textOf(id: number, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "utf8");
  } catch {
    return "";
  }
}
