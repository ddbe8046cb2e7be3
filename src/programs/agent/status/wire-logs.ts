import type { Host } from "../../../host/host.ts";
import { createLogHandlers } from "../../../http/handlers/logs.ts";
import { createKeptLines } from "../../../journal/logs/kept-lines.ts";
import { createLogs } from "../../../journal/logs/logs.ts";
import type { RoomsConfig } from "../config.ts";

interface LogRooms {
  readonly config: RoomsConfig;
  readonly host: Pick<Host, "systemd" | "time">;
}

/** The journal, or the agent's own lines, which are kept here only if no journal keeps them. */
export function openLogs({ config, host: { systemd, time } }: LogRooms) {
  const { ownLines, logUnits, isLogInJournal, stateDirectory, readsOnly } = config;
  const { timers, wall } = time;
  const kept = createKeptLines(stateDirectory);
  if (!isLogInJournal) ownLines.keepIn(readsOnly ? { ...kept, append: async () => undefined } : kept, timers);
  // By the host's own clock, right or wrong, which stamps the lines.
  return {
    handlers: createLogHandlers(
      createLogs({ ...systemd, timers, ownLines, logUnits }),
      () => new Date(wall()),
    ),
  };
}
