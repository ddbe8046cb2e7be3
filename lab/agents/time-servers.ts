import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chronyd, type ChronydOptions, startChronyd } from "../host/chronyd.ts";
import type { InProcessOptions } from "./agent-in-process.ts";
import { type CheckedAgent, startCheckedAgent } from "./checked-agent.ts";

/** An agent that measures, and never sets, this machine's clock by servers of the test. */
export async function startObservingAgent(
  time: object,
  environment: Record<string, string> = {},
  surroundings: Pick<InProcessOptions, "time" | "openClock"> = {},
): Promise<CheckedAgent> {
  const directory = mkdtempSync(join(tmpdir(), "steward-settings-"));
  const file = join(directory, "settings.json");
  writeFileSync(file, JSON.stringify({ time: { mode: "observe", servers: [], ...time } }));
  const own = { ...environment, STEWARD_INITIAL_SETTINGS: file };
  const agent = await startCheckedAgent({ environment: own, ...surroundings });
  return {
    ...agent,
    dispose: async () => {
      await agent.dispose();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Servers of the test, by how far off each is; ended together. */
export async function startTimeServers(all: readonly ChronydOptions[]) {
  const servers: Chronyd[] = [];
  for (const options of all) servers.push(await startChronyd(options));
  return {
    /** They have the form of `time.servers`. */
    names: servers.map(({ port }) => `127.0.0.1:${port}`),
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}
