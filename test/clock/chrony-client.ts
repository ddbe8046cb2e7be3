import { execFileSync, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { heldUdpPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { chronyProgram } from "../../lab/host/chronyd.ts";

/** A chronyd that reads from the tests' servers and, with -x, never touches the machine's clock. */
export interface ChronyClient {
  readonly commandPort: number;
  /** The path of its own socket, over which it takes orders from its user. */
  readonly socket: string;
  /** Runs chronyc over loopback, as any user may, and returns its output. */
  ask: (...args: string[]) => string;
  /** Gives chronyd an order over its own socket, as its own user may. */
  order: (...args: string[]) => string;
  stop: () => Promise<void>;
}

const chronyd = chronyProgram("chronyd");
const chronycProgram = chronyProgram("chronyc");

/** Starts a chronyd with these lines in its configuration and waits until it answers chronyc. */
export async function startChronyClient(...lines: string[]): Promise<ChronyClient> {
  const directory = scratchDirectory();
  const commandPort = await heldUdpPort();
  const socket = join(directory, "chronyd.sock");
  const configuration = join(directory, "chrony.conf");
  const user = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
  const places = [
    "port 0",
    `cmdport ${commandPort}`,
    "bindcmdaddress 127.0.0.1",
    `bindcmdaddress ${socket}`,
    `pidfile ${directory}/chronyd.pid`,
    `user ${user}`,
  ];
  writeFileSync(configuration, `${[...places, ...lines].join("\n")}\n`);
  const child = spawn(chronyd, ["-x", "-d", "-U", "-f", configuration], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const chronyc = (place: string[], args: string[]): string =>
    execFileSync(chronycProgram, ["-n", ...place, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const client: ChronyClient = {
    commandPort,
    socket,
    ask: (...args) => chronyc(["-h", "127.0.0.1", "-p", String(commandPort)], args),
    order: (...args) => chronyc(["-h", socket], args),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await until("chronyd answers chronyc", () => succeeds(() => client.ask("tracking")));
  return client;
}

/** A server line for a server of the tests, asked every second and four times at first. */
export function serverLine(address: string, port: number): string {
  return `server ${address} port ${port} iburst minpoll 0 maxpoll 0`;
}

function succeeds(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}
