import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd, type Ending } from "../basics/ending.ts";

/**
 * A directory in memory where there is one that programs may be run from, else a temporary one; it goes with the test. What
 * a killed process leaves behind is the same there, and hundreds of devices do not wait for the disk.
 */
export async function quickDirectory(ending: Ending): Promise<string> {
  for (const place of ["/dev/shm", tmpdir()]) {
    const directory = await mkdtemp(join(place, "steward-installing-")).catch(() => null);
    if (directory === null) continue;
    atEnd(ending, () => rm(directory, { recursive: true, force: true }));
    // Others look into it: a self-test runs as an unused user.
    await chmod(directory, 0o755);
    if (await mayRunFrom(directory)) return directory;
  }
  throw new Error("there is no directory that programs may be run from");
}

async function mayRunFrom(directory: string): Promise<boolean> {
  const program = join(directory, "program");
  await writeFile(program, "#!/bin/sh\n", { mode: 0o755 });
  try {
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    await rm(program);
  }
}
