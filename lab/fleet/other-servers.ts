/** Web servers beside nginx, as Debian has them, each on loopback and with the files of a directory until the test ends. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { listens } from "./nginx-server.ts";

/** The address of Apache. `more`: lines of its configuration. */
export async function startApache(test: Ending, root: string, more = ""): Promise<string> {
  const packages = ["apache2-bin", "libapr1", "libaprutil1"];
  const place = unpacked("apache", "usr/sbin/apache2", ...packages);
  const [directory, port] = [await temporaryDirectory(test), await heldPort()];
  const modules = ["mpm_event", "authz_core", "mime", "headers", "alias", "deflate", "filter"]
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
  const library = join(place, "usr/lib", execFileSync("uname", ["-m"], { encoding: "utf8" }).trim());
  const env = { ...process.env, LD_LIBRARY_PATH: `${library}-linux-gnu` };
  const child = spawn(join(place, "usr/sbin/apache2"), ["-X", "-d", directory, "-f", file], {
    ...{ env, stdio: ["ignore", "inherit", "inherit"] as const },
  });
  await listens(test, child, port);
  return `http://127.0.0.1:${port}`;
}

/** The address of Caddy, which serves files without further configuration. */
export async function startCaddy(test: Ending, root: string): Promise<string> {
  const place = unpacked("caddy", "usr/bin/caddy", "caddy");
  const [directory, port] = [await temporaryDirectory(test), await heldPort()];
  mkdirSync(join(directory, "home"));
  const file = join(directory, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {\n\troot * ${root}\n\tfile_server\n}\n`);
  const env = { ...process.env, HOME: join(directory, "home") };
  const words = ["run", "--config", file, "--adapter", "caddyfile"];
  const child = spawn(join(place, "usr/bin/caddy"), words, { env, stdio: "ignore" });
  await listens(test, child, port);
  return `http://127.0.0.1:${port}`;
}

/** The address of Python's `http.server`. */
export async function startPython(test: Ending, root: string): Promise<string> {
  const port = await heldPort();
  const words = ["-m", "http.server", "--bind", "127.0.0.1", "--directory", root, String(port)];
  await listens(test, spawn("python3", words, { stdio: "ignore" }), port);
  return `http://127.0.0.1:${port}`;
}

function unpacked(name: string, program: string, ...packages: string[]): string {
  const words = ["scripts/unpack-packages.sh", name, program, ...packages];
  return execFileSync("sh", words, { encoding: "utf8" }).trim();
}
