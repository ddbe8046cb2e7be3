/** Debian's nginx, from its binary and on loopback, with the log format of docs/updates/rollouts.md. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { unpacked } from "../host/debian-packages.ts";
import { serving } from "./programs.ts";

export interface NginxServer {
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly accessLog: string;
  /** nginx opens its logs again, as logrotate has it do. */
  reopenLogs(): void;
}

export function nginxProgram(): string {
  return join(unpacked("nginx", "usr/sbin/nginx", "nginx"), "usr/sbin/nginx");
}

/** Serves the files of `root` until the test ends. `more`: directives of its server. */
export async function startNginx(test: Ending, root: string, more = ""): Promise<NginxServer> {
  const program = nginxProgram();
  const directory = await temporaryDirectory(test);
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, "tmp"));
  const accessLog = join(directory, "access.log");
  const port = await heldPort();
  const file = join(directory, "nginx.conf");
  writeFileSync(file, configuration({ directory, root, port, accessLog, more }));
  const child = await serving(test, port, [program, "-p", directory, "-c", file]);
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

/** The configuration of every nginx here, in a directory with a folder `tmp`, around the lines of its `http`. */
export function nginxConfiguration(directory: string, http: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${directory}/tmp/${name};`)
    .join("\n");
  return `daemon off; worker_processes 1; ${process.getuid?.() === 0 ? "user root;" : ""}
pid ${directory}/nginx.pid; error_log ${directory}/error.log;
events { worker_connections 512; }
http {
${temporary}
${http}
}
`;
}

interface Places {
  readonly directory: string;
  readonly root: string;
  readonly port: number;
  readonly accessLog: string;
  readonly more: string;
}

function configuration({ directory, root, port, accessLog, more }: Places): string {
  return nginxConfiguration(
    directory,
    `${logFormat(accessLog)}
types { application/json json; }
${blockOf("docs/updates/publish.md")}
server { listen 127.0.0.1:${port}; root ${root}; ${more} }
`,
  );
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
