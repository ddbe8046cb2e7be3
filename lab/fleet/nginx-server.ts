/** Debian's nginx, from its binary and on loopback, with the log format of docs/updates/rollouts.md. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { until } from "../basics/until.ts";

export interface NginxServer {
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly accessLog: string;
  /** nginx opens its logs again, as logrotate has it do. */
  reopenLogs(): void;
}

/** Serves the files of `root` until the test ends. `more`: directives of its server. */
export async function startNginx(test: Ending, root: string, more = ""): Promise<NginxServer> {
  const place = execFileSync("sh", ["scripts/unpack-packages.sh", "nginx", "usr/sbin/nginx", "nginx"], {
    encoding: "utf8",
  }).trim();
  const directory = await temporaryDirectory(test);
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, "tmp"));
  const accessLog = join(directory, "access.log");
  const port = await heldPort();
  const file = join(directory, "nginx.conf");
  writeFileSync(file, configuration({ directory, root, port, accessLog, more }));
  const child = spawn(join(place, "usr/sbin/nginx"), ["-p", directory, "-c", file], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  await listens(test, child, port);
  return { url: `http://127.0.0.1:${port}`, accessLog, reopenLogs: () => void child.kill("SIGUSR1") };
}

/** The block of the page, with the log of the test. */
function logFormat(accessLog: string): string {
  const block = blockOf("docs/updates/rollouts.md");
  assert.match(block, /\$http_steward_report/);
  return block.replace("/var/log/nginx/updates.log", accessLog);
}

function blockOf(page: string): string {
  return /```nginx\n([\s\S]*?)```/.exec(readFileSync(page, "utf8"))?.[1] ?? "";
}

interface Places {
  readonly directory: string;
  readonly root: string;
  readonly port: number;
  readonly accessLog: string;
  readonly more: string;
}

function configuration({ directory, root, port, accessLog, more }: Places): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${directory}/tmp/${name};`)
    .join("\n");
  return `daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 512; }
http {
${temporary}
${logFormat(accessLog)}
types { application/json json; }
${blockOf("docs/updates/publish.md")}
server { listen 127.0.0.1:${port}; root ${root}; ${more} }
}
`;
}

/** Waits until a server answers, which is ended at the end of the test. */
export async function listens(test: Ending, child: ChildProcess, port: number): Promise<void> {
  test.after(() => ended(child));
  await until(`${child.spawnfile} listens`, () => {
    assert.equal(child.exitCode, null, `${child.spawnfile} has ended`);
    return answers(port);
  });
}

export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** SIGTERM ends nginx at once, its workers included. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

/** Requests of a log in the format of the page: status, bytes of the body and path of each. */
export function requestsIn(accessLog: string): { path: string; status: number; bytes: number }[] {
  if (!existsSync(accessLog)) return [];
  return readFileSync(accessLog, "latin1")
    .split("\n")
    .flatMap((line) => {
      const [, path = "", status, bytes] = /"GET (\S+) HTTP\/1\.1" (\d{3}) (\d+) /.exec(line) ?? [];
      return path === "" ? [] : [{ path, status: Number(status), bytes: Number(bytes) }];
    });
}
