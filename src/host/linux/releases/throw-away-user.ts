import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import type { RunCommand } from "../../ports.ts";

/** The range of systemd's dynamic users (UIDs, GIDs: 61184–65519 in systemd's documentation). */
const range = { first: 61_184, end: 65_520 } as const;

const tries = 100;
const getentMilliseconds = 5_000;

/** An unused id of a user and a group: without an entry and without a process. Throws `internal_error` if none is found. */
export async function freeUserId(run: RunCommand): Promise<number> {
  const taken = await usersOfProcesses();
  for (let turn = 0; turn < tries; turn += 1) {
    const id = randomInt(range.first, range.end);
    if (taken.has(id)) continue;
    if (!(await isKnown(run, "passwd", id)) && !(await isKnown(run, "group", id))) return id;
  }
  throw new StewardError("internal_error", "No unused user id was found for the self-test of the release.");
}

/** By the name services, including that of systemd; without getent by the file. */
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
    // The process may have ended meanwhile.
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    for (const id of /^Uid:(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []) ids.add(Number(id));
  }
  return ids;
}
