import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { heldUdpPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { chronyProgram } from "../../lab/host/chronyd.ts";

export type ChronyClient = Awaited<ReturnType<typeof startChronyClient>>;

const chronyd = chronyProgram("chronyd");
const chronycProgram = chronyProgram("chronyc");

/** A chronyd with these lines in its configuration, which answers chronyc and, with -x, never touches the machine's clock. */
export async function startChronyClient(...lines: string[]) {
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
  const client = {
    commandPort,
    /** The path of its own socket, over which it takes orders from its user. */
    socket,
    /** Over loopback, as any user may. */
    ask: (...args: string[]) => chronyc(["-h", "127.0.0.1", "-p", String(commandPort)], args),
    /** Over its own socket, as its own user may. */
    order: (...args: string[]) => chronyc(["-h", socket], args),
    stop: async (): Promise<void> => {
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

/** The states of its sources, each a character of chronyc's. */
function statesOf(client: ChronyClient): string {
  const lines = client.ask("-c", "sources").trim().split("\n");
  return lines.map((line) => line.split(",")[1]).join("");
}

export async function selecting(client: ChronyClient, states: RegExp): Promise<void> {
  await until(`chronyd selects its sources as ${states}`, () => states.test(statesOf(client)));
}

/**
 * The report of a moment before and after which chronyd selects its sources like this. On a busy machine it changes its
 * mind about a source whose answers are late, between what the test asks and what the report asks.
 */
export async function readWhile<T>(client: ChronyClient, states: RegExp, read: () => Promise<T>): Promise<T> {
  let report: T | undefined;
  await until(`chronyd goes on selecting its sources as ${states}`, async () => {
    if (!states.test(statesOf(client))) return false;
    report = await read();
    return states.test(statesOf(client));
  });
  return report ?? assert.fail("no report");
}

function succeeds(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}
