/** The agent as a process: `steward serve`. */
import { openServiceManager, type ServiceManager } from "../../host/linux/systemd/service-manager.ts";
import { end, fail } from "../../terminal/ending.ts";
import { clockAddon } from "../build.ts";
import { begin, program } from "../program.ts";
import { serve } from "./serve.ts";

begin();
serve(
  process.argv.slice(3),
  { ...program, serviceManager: serviceManager(), onReload: reloads() },
  stopRequested(),
).then(end, fail);

function serviceManager(): ServiceManager {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = process.env;
  // systemd notifies this process, not its children.
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete process.env[name];
  const own = { addon: clockAddon(program.assetsDirectory), pid: process.pid };
  return openServiceManager({ NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID }, own);
}

function stopRequested(): Promise<"stop"> {
  return new Promise((resolve) => {
    // `on`, not `once`: conf brings when-exit, which sends a signal again when its own handler has run.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve("stop"));
  });
}

/** `systemctl reload` sends SIGHUP, also to an agent that is still starting: that one reads the files anyhow. */
function reloads(): (reload: () => void) => void {
  let reload = (): void => undefined;
  process.on("SIGHUP", () => reload());
  return (next) => {
    reload = next;
  };
}
