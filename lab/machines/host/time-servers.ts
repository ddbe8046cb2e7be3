import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakedTime } from "../../basics/faketime.ts";

/** Debian's chronyd on the host as an NTP server; it serves the host's clock and never sets it (-x). */
export interface TimeServer {
  /** UDP port on every address of the scenario's own network, IPv4 and IPv6. */
  readonly port: number;
  /** The offset that libfaketime gives its clock, such as "+3s" or "-2000s"; absent: none. */
  readonly fakeTime?: string;
  /** Its key exchange (RFC 8915): TCP port, and its key and certificate as PEM. */
  readonly nts?: { readonly port: number; readonly certificate: () => { key: string; cert: string } };
}

/** The running servers of a scenario. */
export interface TimeServers {
  /** In place of the one on this port, whose ports are free again before. */
  start(server: TimeServer): Promise<void>;
  stopAll(): void;
}

/** Runs time servers with their files in `directory`; `chronyd` is the path of Debian's program. */
export function createTimeServers(directory: string, chronyd: string): TimeServers {
  const running = new Map<number, ChildProcess>();
  return {
    start: async (server) => {
      const former = running.get(server.port);
      if (former && former.exitCode === null && former.signalCode === null) {
        const ended = once(former, "exit");
        former.kill("SIGKILL");
        await ended;
      }
      running.set(server.port, startServer(server, join(directory, `chronyd-${server.port}`), chronyd));
    },
    stopAll: () => {
      for (const server of running.values()) server.kill("SIGKILL");
    },
  };
}

function startServer(server: TimeServer, directory: string, chronyd: string): ChildProcess {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const configuration = [
    `port ${server.port}`,
    "local stratum 2",
    "allow all",
    "cmdport 0",
    "bindcmdaddress /",
    `pidfile ${directory}/pid`,
    "user root",
    ...(server.nts ? keyExchange(server.nts, directory) : []),
  ];
  writeFileSync(join(directory, "chrony.conf"), `${configuration.join("\n")}\n`);
  return spawn(chronyd, ["-x", "-d", "-f", join(directory, "chrony.conf"), "-l", join(directory, "log")], {
    stdio: "ignore",
    env: { ...process.env, ...(server.fakeTime && fakedTime(server.fakeTime)) },
  });
}

function keyExchange({ port, certificate }: NonNullable<TimeServer["nts"]>, directory: string): string[] {
  const { key, cert } = certificate();
  const [keyPath, certPath] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  writeFileSync(keyPath, key, { mode: 0o600 });
  writeFileSync(certPath, cert);
  return [`ntsport ${port}`, `ntsserverkey ${keyPath}`, `ntsservercert ${certPath}`];
}
