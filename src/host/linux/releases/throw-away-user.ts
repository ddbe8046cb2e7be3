import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import type { RunCommand } from "../../ports.ts";

/** Users that systemd makes for units of a moment (UIDs, GIDs: 61184–65519 in systemd's documentation). */
const range = { first: 61_184, end: 65_520 } as const;

const tries = 100;
const getentMilliseconds = 5_000;

/** An id of a user and of a group that nobody has: no entry, no process. Throws `internal_error` where none is found. */
export async function freeUserId(run: RunCommand): Promise<number> {
  const taken = await usersOfProcesses();
  for (let turn = 0; turn < tries; turn += 1) {
    const id = randomInt(range.first, range.end);
    if (taken.has(id)) continue;
    if (!(await isKnown(run, "passwd", id)) && !(await isKnown(run, "group", id))) return id;
  }
  throw new StewardError("internal_error", "There is no free user id for the release's self-test.");
}

/** As the name services say, systemd's own among them; where getent is not installed, as the file says. */
async function isKnown(run: RunCommand, database: "passwd" | "group", id: number): Promise<boolean> {
  try {
    // 2: "one or more supplied key could not be found" (getent(1)).
    const limits = { timeoutMilliseconds: getentMilliseconds };
    return (await run("getent", [database, String(id)], limits)).status !== 2;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    const text = await readFile(`/etc/${database}`, "utf8");
    return text.split("\n").some((line) => line.split(":")[2] === String(id));
  }
}

async function usersOfProcesses(): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  for (const name of await readdir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    // Gone in the meantime.
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    for (const id of /^Uid:(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []) ids.add(Number(id));
  }
  return ids;
}
