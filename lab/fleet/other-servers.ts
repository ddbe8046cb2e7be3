/** Web servers beside nginx, as Debian has them, each on loopback and with the files of a directory until the test ends. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { unpacked } from "../host/debian-packages.ts";
import { serving } from "./programs.ts";

/** The address of Apache. `more`: lines of its configuration. */
export async function startApache(test: Ending, root: string, more = ""): Promise<string> {
  const packages = ["apache2-bin", "libapr1", "libaprutil1"];
  const place = unpacked("apache", "usr/sbin/apache2", ...packages);
  const [directory, port] = [await temporaryDirectory(test), await heldPort()];
  const modules = "mpm_event authz_core mime headers alias deflate filter proxy proxy_http"
    .split(" ")
    .map((name) => `LoadModule ${name}_module ${place}/usr/lib/apache2/modules/mod_${name}.so`)
    .join("\n");
  const file = join(directory, "apache.conf");
  writeFileSync(join(directory, "mime.types"), "application/json json\n");
  writeFileSync(
    file,
    `${modules}
Listen 127.0.0.1:${port}
ServerName localhost
PidFile ${directory}/pid
Mutex file:${directory}
ErrorLog ${directory}/error.log
TypesConfig ${directory}/mime.types
DocumentRoot ${root}
${more}
`,
  );
  const env = { ...process.env, LD_LIBRARY_PATH: librariesIn(place) };
  await serving(test, port, [join(place, "usr/sbin/apache2"), "-X", "-d", directory, "-f", file], { env });
  return `http://127.0.0.1:${port}`;
}

/**
 * HAProxy in front of a server, which it compresses, with two backends: one asks for its health by HAProxy's default, the
 * other for the device's own. `states` are theirs, as HAProxy's statistics have them.
 */
export async function startHaproxy(test: Ending, serverPort: number) {
  const packages = ["haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"];
  const place = unpacked("haproxy", "usr/sbin/haproxy", ...packages);
  const [directory, port] = [await temporaryDirectory(test), await heldPort()];
  const [file, socketPath] = [join(directory, "haproxy.cfg"), join(directory, "socket")];
  const server = `server edge 127.0.0.1:${serverPort} check inter 100ms`;
  writeFileSync(
    file,
    `global
  stats socket ${socketPath} mode 600
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend people
  option forwardfor
  bind 127.0.0.1:${port}
  compression algo gzip
  compression type application/json text/plain
  default_backend usual
backend usual
  option httpchk
  ${server}
backend named
  option httpchk GET /api/health/ready
  ${server}
`,
  );
  const env = { ...process.env, LD_LIBRARY_PATH: librariesIn(place) };
  await serving(test, port, [join(place, "usr/sbin/haproxy"), "-db", "-f", file], { env, stdio: "ignore" });
  const states = async (): Promise<string[]> => {
    const socket = connect(socketPath).setEncoding("utf8");
    socket.write("show stat\n");
    const rows = (await socket.toArray()).join("").split("\n");
    return rows.flatMap((row) => /^\w+,edge,(?:[^,]*,){15}([^,]*),/.exec(row)?.slice(1) ?? []);
  };
  return { url: `http://127.0.0.1:${port}`, states };
}

function librariesIn(place: string): string {
  const machine = execFileSync("uname", ["-m"], { encoding: "utf8" }).trim();
  return join(place, "usr/lib", `${machine}-linux-gnu`);
}

/** The address of Caddy, which serves files without further configuration. */
export async function startCaddy(test: Ending, root: string): Promise<string> {
  const place = unpacked("caddy", "usr/bin/caddy", "caddy");
  const [directory, port] = [await temporaryDirectory(test), await heldPort()];
  mkdirSync(join(directory, "home"));
  const file = join(directory, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {\n\troot * ${root}\n\tfile_server\n}\n`);
  const env = { ...process.env, HOME: join(directory, "home") };
  const command = [join(place, "usr/bin/caddy"), "run", "--config", file, "--adapter", "caddyfile"];
  await serving(test, port, command, { env, stdio: "ignore" });
  return `http://127.0.0.1:${port}`;
}

/** The address of Python's `http.server`. */
export async function startPython(test: Ending, root: string): Promise<string> {
  const port = await heldPort();
  const command = ["python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", root, String(port)];
  await serving(test, port, command, { stdio: "ignore" });
  return `http://127.0.0.1:${port}`;
}
