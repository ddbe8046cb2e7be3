import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { atEnd, type Ending } from "../basics/ending.ts";
import type { Device } from "./device.ts";
import type { Behaviour } from "./releases.ts";

/** Ends the pump's service that a device has started, if it runs, so that no other process is mistaken for it. */
export function endPump({ run }: Device): void {
  const pid = pumpPid(run);
  if (pid === null) return;
  rmSync(join(run, "pid"));
  try {
    // A session of its own: whatever it has started goes with it.
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function pumpPid(run: string): number | null {
  try {
    const pid = Number(readFileSync(join(run, "pid"), "utf8"));
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

/**
 * The pump's engine, which goes by the rules that `load.sh` has named in RUN/loaded: `/RUN` answers as those rules make it.
 * One for all devices of a test: it runs on, whatever becomes of the agent. Gives back its origin.
 */
export async function startEngine(ending: Ending): Promise<string> {
  const server = createServer(async (request, response) => {
    const rules = await loadedRules(request.url ?? "");
    if (rules?.does === "hangs") return;
    const isWell = rules !== null && rules.does !== "is unwell";
    response.writeHead(isWell ? 200 : 503, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ version: rules?.version ?? null }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(ending, async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** null: it has been given none, or none that is there. */
async function loadedRules(run: string): Promise<{ version: string; does: Behaviour } | null> {
  try {
    const release = await readFile(join(run, "loaded"), "utf8");
    return JSON.parse(await readFile(join(release, "release.json"), "utf8"));
  } catch {
    return null;
  }
}
