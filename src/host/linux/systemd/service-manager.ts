import { type ClockAddon, openClockAddon } from "../clock/clock-addon.ts";

/** The variables of systemd in the environment of a service (sd_notify(3), sd_watchdog_enabled(3)). */
export interface ServiceEnvironment {
  NOTIFY_SOCKET?: string | undefined;
  WATCHDOG_USEC?: string | undefined;
  WATCHDOG_PID?: string | undefined;
}

/** Notifies systemd about the service. Does nothing if systemd did not ask for it, or cannot be reached. */
export interface ServiceManager {
  /** The service is ready; `systemctl status` shows `status`. From now on the watchdog is notified. */
  ready(status: string): void;
  stopping(): void;
}

/** Bytes of a status line: the addon sends less than a kilobyte. */
const mostStatusBytes = 800;

/** `pid` is the id of this process: the variables may be inherited from another one. */
export function openServiceManager(
  environment: ServiceEnvironment,
  { addon, pid }: { addon: string; pid: number },
): ServiceManager {
  const { NOTIFY_SOCKET: socket } = environment;
  let notify: ClockAddon["notify"] | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  const tell = (text: string): void => {
    try {
      if (socket) notify?.(socket, text);
    } catch {
      // systemd is busy or gone: the next heartbeat tries again.
    }
  };
  const notifyWatchdog = (): void => {
    const milliseconds = watchdogMilliseconds(environment, pid);
    if (milliseconds === undefined) return;
    // Twice within the time, as sd_watchdog_enabled(3) advises. A blocked event loop sends none.
    heartbeat ??= setInterval(() => tell("WATCHDOG=1"), milliseconds / 2).unref();
  };
  return {
    ready: (status) => {
      notify ??= socket ? openClockAddon(addon)?.notify : undefined;
      tell(`READY=1\nSTATUS=${oneLine(status)}`);
      notifyWatchdog();
    },
    stopping: () => {
      clearInterval(heartbeat);
      heartbeat = undefined;
      tell("STOPPING=1\nSTATUS=Stopping");
    },
  };
}

function watchdogMilliseconds(
  { WATCHDOG_USEC, WATCHDOG_PID }: ServiceEnvironment,
  pid: number,
): number | undefined {
  if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid)) return undefined;
  const microseconds = /^\d{1,15}$/.test(WATCHDOG_USEC ?? "") ? Number(WATCHDOG_USEC) : 0;
  return microseconds > 0 ? microseconds / 1_000 : undefined;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return Buffer.from(line)
    .subarray(0, mostStatusBytes)
    .toString("utf8")
    .replace(/\ufffd$/, "…");
}
