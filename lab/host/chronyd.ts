import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakedTime } from "../basics/faketime.ts";
import { heldPort, heldUdpPort } from "../basics/held-ports.ts";
import type { ServerCertificate } from "./certificates.ts";

/** A server of the tests: Debian's chronyd, which with -x never touches the machine's clock. */
export type Chronyd = Awaited<ReturnType<typeof startChronyd>>;

export interface ChronydOptions {
  /** It announces this stratum, 1 to 15; default 2. */
  stratum?: number;
  /** Its time is so far from this machine's, as libfaketime writes it, such as `+3s`. */
  fakeTime?: string;
  /** It also serves Network Time Security, with this certificate. */
  nts?: ServerCertificate;
  /** It listens here; by default at a free port. */
  port?: number;
}

const root = join(import.meta.dirname, "../..");

/** The path of a program of chrony's, which is unpacked where it is not yet. */
export function chronyProgram(name: "chronyd" | "chronyc"): string {
  const directory = execFileSync("sh", [join(root, "scripts/unpack-chrony.sh")], { encoding: "utf8" }).trim();
  return join(directory, name === "chronyd" ? "usr/sbin/chronyd" : "usr/bin/chronyc");
}

/** Starts chronyd on a free port of 127.0.0.1 and ::1 and waits until it answers on both. */
export async function startChronyd(options: ChronydOptions = {}) {
  const { stratum = 2, fakeTime, nts, ...at } = options;
  const program = chronyProgram("chronyd");
  // Its own folder is 0700, as mkdtemp makes it: chronyd refuses a wider one for its socket.
  const directory = mkdtempSync(join(tmpdir(), "steward-chronyd-"));
  const port = at.port ?? (await heldUdpPort());
  /** The TCP port of its NTS key exchange on 127.0.0.1; null: it has none. */
  const ntsPort = nts === undefined ? null : await heldPort();
  const configuration = join(directory, "chrony.conf");
  writeFileSync(
    configuration,
    `local stratum ${stratum}
allow
port ${port}
bindaddress 127.0.0.1
bindaddress ::1
cmdport 0
bindcmdaddress ${directory}/chronyd.sock
pidfile ${directory}/chronyd.pid
user ${process.getuid?.() === 0 ? "root" : execFileSync("id", ["-un"], { encoding: "utf8" }).trim()}
${nts === undefined || ntsPort === null ? "" : ntsLines(directory, ntsPort, nts)}`,
  );
  // -U: it needs no root, as it sets no clock and binds no low port.
  const child = spawn(program, ["-x", "-d", "-U", "-f", configuration], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(fakeTime !== undefined && fakedTime(fakeTime)) },
  });
  let log = "";
  child.stdout.on("data", (text) => (log += text));
  child.stderr.on("data", (text) => (log += text));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  for (const address of ["127.0.0.1", "::1"]) {
    if (await answers(address, port, () => child.exitCode === null)) continue;
    await stop();
    throw new Error(`chronyd does not answer on ${address}: ${log}`);
  }
  return { port, ntsPort, stop };
}

/** Lines of chronyd's configuration for a server of Network Time Security, whose key and certificate they put there. */
export function ntsLines(directory: string, port: number, { key, cert }: ServerCertificate): string {
  writeFileSync(join(directory, "nts.key"), key, { mode: 0o600 });
  writeFileSync(join(directory, "nts.pem"), cert);
  // Without processes of its own for key exchanges, of which one that is killed would leave some behind.
  const where = [`ntsport ${port}`, "ntsprocesses 0"];
  return `${[...where, `ntsserverkey ${directory}/nts.key`, `ntsservercert ${directory}/nts.pem`].join("\n")}\n`;
}

/** Asks once in 50 ms, for two minutes at most: a limit for one that hangs, not for a slow machine. */
async function answers(address: string, port: number, isAlive: () => boolean): Promise<boolean> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const request = Buffer.alloc(48);
  request[0] = 0x23;
  request[47] = 1;
  // A port that is still closed makes no error here: the socket is not connected.
  const answered = new Promise<boolean>((resolve) => socket.once("message", () => resolve(true)));
  try {
    for (let tries = 0; tries < 2_400 && isAlive(); tries += 1) {
      socket.send(request, port, address);
      const pause = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 50));
      if (await Promise.race([answered, pause])) return true;
    }
    return false;
  } finally {
    socket.close();
  }
}
