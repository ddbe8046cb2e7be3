import { join } from "node:path";
import { createTimers } from "../../src/host/linux/timers.ts";
import { openEventLog } from "../../src/journal/events/event-log.ts";
import { openDocuments } from "../../src/programs/agent/documents.ts";
import { openState, type State } from "../../src/programs/agent/state.ts";

/** The state in a directory as the agent opens it, without its other rooms. */
export async function openStateAt(stateDirectory: string): Promise<State> {
  const log = () => undefined;
  const stored = await openDocuments({ stateDirectory, initialSettings: {} });
  const directory = join(stateDirectory, "events");
  const events = await openEventLog({
    directory,
    log,
    now: () => new Date(),
    reserve: stored.reserve,
    timers: createTimers(),
    uptime: () => performance.now() / 1_000,
  });
  return openState(stored, events, log);
}
