import { type ClockAddon, openClockAddon } from "../clock/clock-addon.ts";

/** What systemd has told a service about itself in its environment (sd_notify(3), sd_watchdog_enabled(3)). */
export interface ServiceEnvironment {
  NOTIFY_SOCKET?: string | undefined;
  WATCHDOG_USEC?: string | undefined;
  WATCHDOG_PID?: string | undefined;
}

/** Tells systemd how the service is. Where it did not ask, or cannot be told, nothing happens. */
export interface ServiceManager {
  /** The service answers; `status` is the line that `systemctl status` shows. From here on the watchdog is fed. */
  ready(status: string): void;
  stopping(): void;
}

/** Bytes of a status line: a datagram of ours has less than a kilobyte. */
const mostStatusBytes = 800;

/** `pid` is this process's own: the variables may be another's, handed down. */
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
      // systemd is busy or has gone: the service goes on, and the next heartbeat comes.
    }
  };
  const feedWatchdog = (): void => {
    const milliseconds = watchdogMilliseconds(environment, pid);
    if (milliseconds === undefined) return;
    // Twice within the time, as sd_watchdog_enabled(3) advises. A loop that is stuck sends none.
    heartbeat ??= setInterval(() => tell("WATCHDOG=1"), milliseconds / 2).unref();
  };
  return {
    ready: (status) => {
      notify ??= socket ? openClockAddon(addon)?.notify : undefined;
      tell(`READY=1\nSTATUS=${oneLine(status)}`);
      feedWatchdog();
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
