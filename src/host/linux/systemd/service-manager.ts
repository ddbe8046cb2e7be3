import { type ClockAddon, openClockAddon } from "../clock/clock-addon.ts";

/** Notifies systemd about the service. Does nothing if systemd did not ask for it, or cannot be reached. */
export type ServiceManager = ReturnType<typeof openServiceManager>;

/** Milliseconds between two looks at the text for `systemctl status`. */
const usualMilliseconds = 30_000;

/** Bytes of a status line: the addon sends less than a kilobyte. */
const mostStatusBytes = 800;

/** By systemd's variables (sd_notify(3), sd_watchdog_enabled(3)). `pid`: of this process, for they may be inherited. */
export function openServiceManager(
  environment: NodeJS.ProcessEnv,
  { addon, pid }: { addon: string; pid: number },
) {
  const { NOTIFY_SOCKET: socket } = environment;
  let notify: ClockAddon["notify"] | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let told: string | undefined;
  const tell = (text: string): void => {
    try {
      if (socket) notify?.(socket, text);
    } catch {
      // systemd is busy or gone: the next heartbeat tries again.
    }
  };
  /** The line for `systemctl status`, if it has changed. */
  const statusOf = (describe: () => string): string[] => {
    try {
      const status = `STATUS=${oneLine(describe())}`;
      if (status === told) return [];
      told = status;
      return [status];
    } catch {
      // The watchdog is for a blocked event loop, not for a fault in these words.
      return [];
    }
  };
  const beat = (describe: () => string): void => {
    const milliseconds = watchdogMilliseconds(environment, pid);
    const isWatched = milliseconds !== undefined;
    clearInterval(heartbeat);
    // Twice within the time, as sd_watchdog_enabled(3) advises. A blocked event loop sends none.
    heartbeat = setInterval(
      () => {
        const words = [...(isWatched ? ["WATCHDOG=1"] : []), ...statusOf(describe)];
        if (words.length > 0) tell(words.join("\n"));
      },
      Math.min(usualMilliseconds, isWatched ? milliseconds / 2 : usualMilliseconds),
    ).unref();
  };
  return {
    /** Ready: the watchdog is notified from now on, and `systemctl status` shows `describe`, called every 30 s. */
    ready: (describe: () => string): void => {
      notify ??= socket ? openClockAddon(addon)?.notify : undefined;
      if (!notify) return;
      told = undefined;
      tell(["READY=1", ...statusOf(describe)].join("\n"));
      beat(describe);
    },
    stopping: (): void => {
      clearInterval(heartbeat);
      heartbeat = undefined;
      tell("STOPPING=1\nSTATUS=Stopping");
    },
  };
}

function watchdogMilliseconds(
  { WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv,
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
