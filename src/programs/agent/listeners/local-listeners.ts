import { lstatSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import { finding, line } from "../../../contract/finding.ts";
import type { Finding } from "../../../contract/types.ts";
import type { HostTime } from "../../../host/host.ts";
import { tried } from "../../../host/linux/tried.ts";
import type { BoundBuffers, Timers } from "../../../host/ports.ts";
import type { RequestListener } from "../../../http/wire/connections.ts";
import { type Listener, listenTcp, listenUnix } from "../../../http/wire/listeners.ts";
import type { Log } from "../../../journal/logs/log.ts";
import { makeDirectory } from "../../../store/files/durable-file.ts";
import type { AgentConfig } from "../config.ts";

/** The unix socket and the port of loopback, kept while the agent runs. */
export type LocalListeners = ReturnType<typeof createLocalListeners>;

interface LocalPlaces extends Pick<AgentConfig, "runDirectory" | "listen" | "log"> {
  readonly time: Pick<HostTime, "wall" | "timers">;
  readonly boundBuffers: BoundBuffers;
}

export function agentSocket(runDirectory: string): string {
  return join(runDirectory, "steward.sock");
}

/** The socket first: commands on the device work even if another program holds the port. */
export function createLocalListeners({ runDirectory, listen, time, boundBuffers, log }: LocalPlaces) {
  const path = agentSocket(runDirectory);
  const now = () => new Date(time.wall());
  const { timers } = time;
  let socket: KeptListener | undefined;
  let port: KeptListener | undefined;
  let lose = (): void => undefined;
  const socketLost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const both = () => [socket, port].filter((one) => one !== undefined);
  return {
    addresses: (): readonly string[] => both().flatMap((one) => one.address() ?? []),
    /** Null: both can be reached. */
    trouble: (): Finding | null => socketTrouble(socket, path) ?? portTrouble(port, listen),
    /** Settles when the socket is gone and this process cannot make it again. */
    socketLost,
    /** Throws if the socket cannot be made; the port is tried again each minute. */
    open: async (handle: RequestListener): Promise<void> => {
      let inode: number | null = null;
      const unix = async (): Promise<Listener> => {
        await makeDirectory(runDirectory);
        const listener = await listenUnix(handle, path, now);
        inode = inodeOf(path);
        return listener;
      };
      const isReached = () => inodeOf(path) === inode;
      const first = await unix();
      socket = keepListening(unix, timers, log, first, isReached, lose);
      port = keepListening(
        () => listenTcp(handle, listen.host, listen.port, { now, boundBuffers }),
        timers,
        log,
      );
      await Promise.all([socket.tried, port.tried]);
    },
    stop: async (milliseconds: number): Promise<void> => {
      await Promise.all(both().map((one) => one.stop(milliseconds)));
    },
  };
}

/** Null: nothing is there. */
function inodeOf(path: string): number | null {
  return tried(() => lstatSync(path).ino);
}

function socketTrouble(socket: KeptListener | undefined, path: string): Finding | null {
  const problem = socket?.problem() ?? null;
  if (problem === null) return null;
  return finding("socket_unavailable", { path }, problem, line("systemctl restart steward.service"));
}

function portTrouble(
  port: KeptListener | undefined,
  { host, port: number }: LocalPlaces["listen"],
): Finding | null {
  const problem = port?.problem() ?? null;
  if (problem === null) return null;
  const address = host.includes(":") ? `[${host}]:${number}` : `${host}:${number}`;
  const particulars = `${problem} Browsers and proxies on this device do not reach the agent, or reach that program. The agent tries the port again each minute.`;
  return finding("port_unavailable", { address }, particulars, line(`ss -ltnp 'sport = :${number}'`));
}

/** A listener that is restored when it is gone, and tried again while its place is taken. */
type KeptListener = ReturnType<typeof keepListening>;

/** Seconds between two checks that it is reached, and between two tries. */
const lookSeconds = 60;

/** Milliseconds for the requests of a listener that clients no longer reach. */
const goneMilliseconds = 4_000;

function keepListening(
  listen: () => Promise<Listener>,
  timers: Timers,
  log: Log,
  /** A listener that already listens. */
  first?: Listener,
  /** Resolves to true while clients reach the listener. */
  isReached: () => boolean = () => true,
  /** Called at each try that fails. */
  onFailure?: () => void,
) {
  let listener = first;
  let problem: string | null = null;
  let isStopped = false;
  let cancel = (): void => undefined;
  const look = async (): Promise<void> => {
    if (listener !== undefined && isReached()) return;
    const isAgain = listener !== undefined || problem !== null;
    // First: closing a unix socket removes the file of its name.
    await listener?.stop(goneMilliseconds);
    listener = undefined;
    try {
      listener = await listen();
      problem = null;
      if (isAgain) log("notice", "listens again", { address: listener.address });
    } catch (error) {
      const found = messageOf(error);
      if (found !== problem) log("error", "does not listen, and tries again each minute", { detail: found });
      problem = found;
      onFailure?.();
    }
  };
  const lookAgain = (): void => {
    if (!isStopped) cancel = timers.after(lookSeconds, () => void begin());
  };
  const begin = (): Promise<void> => {
    last = look().then(lookAgain);
    return last;
  };
  let last = Promise.resolve();
  if (listener === undefined) void begin();
  else lookAgain();
  return {
    /** Undefined: it does not listen now. */
    address: (): string | undefined => listener?.address,
    /** The reason why it does not listen, with advice; null: it does. */
    problem: (): string | null => problem,
    /** Settles after the first try, with any result. */
    tried: last,
    stop: async (milliseconds: number): Promise<void> => {
      isStopped = true;
      cancel();
      await last;
      await listener?.stop(milliseconds);
    },
  };
}
