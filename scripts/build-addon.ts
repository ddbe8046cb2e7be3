/** Compiles what is written in C: the clock's addon, the root helper, the reader of logs. */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const machinesOwn = "cc";

/** The C files of a folder of the sources, by their names. */
const filesIn = (folder: string, names: string): string[] =>
  names.split(" ").map((name) => join(import.meta.dirname, "../src", folder, `${name}.c`));

const sources = filesIn(
  "host/linux/native",
  "addon clock-steering credentials file-locks process-standing socket-buffers timed-datagrams",
);
const helperSources = filesIn("programs/root-helper", "main orders limits system-files units");
const logReaderSources = filesIn("programs/log-reader", "main serve request allowed-units json");

const flags = [
  "-std=gnu11",
  "-O2",
  ..."-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror".split(" "),
  // The compiler guards against faults of their own memory: they read input from the network, or from the agent.
  ..."-fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2 -Wformat=2".split(" "),
  // Stripped, without a page of padding around the code, bound at load.
  ..."-s -Wl,-z,noseparate-code -Wl,-z,relro -Wl,-z,now -Wl,--build-id=none".split(" "),
];

const addonFlags = ["-shared", "-fPIC", "-fvisibility=hidden", "-DNAPI_VERSION=8"];

const programFlags = ["-D_GNU_SOURCE", "-fPIE", "-pie"];

/**
 * Makes `target` out of the C sources in src/host/linux/native; a warning is an error and throws. Where there is no `cc`, it
 * says so in one line and makes nothing: the agent then measures its clock and never steers it. True: it was made.
 */
export function buildAddon(target: string, compiler = machinesOwn): boolean {
  const headers = join(dirname(createRequire(import.meta.url).resolve("node-api-headers")), "include");
  const args = [...flags, ...addonFlags, "-isystem", headers, "-o", target, ...sources];
  if (compile("the clock's addon", args, compiler)) return true;
  console.warn(
    "There is no C compiler (cc): built without clock-steering.node, steward-helper and steward-logs, so the agent only observes its clock, asks nothing of root, and shows its own log alone.",
  );
  return false;
}

/**
 * Makes the root helper (src/programs/root-helper) at `target`; false: there is no `cc`. `defines` are for tests, which must not
 * touch the machine: other places than /etc, and another program than systemctl.
 */
export function buildHelper(
  target: string,
  defines: Readonly<Record<string, string>> = {},
  compiler = machinesOwn,
): boolean {
  const defined = Object.entries(defines).map(([name, value]) => `-D${name}=${value}`);
  const args = [...flags, ...programFlags, ...defined, "-o", target, ...helperSources];
  return compile("the root helper", args, compiler);
}

/** Makes the reader of logs (src/programs/log-reader) at `target`; false: there is no `cc`. `defines` are for tests. */
export function buildLogReader(
  target: string,
  compiler = machinesOwn,
  ...defines: readonly string[]
): boolean {
  const args = [...flags, ...programFlags, ...defines, "-o", target, ...logReaderSources];
  return compile("the reader of logs", args, compiler);
}

/** False: this machine has no compiler. Throws where the compiler complains, or another one is not there. */
function compile(what: string, args: readonly string[], compiler: string): boolean {
  const { error, status, stderr } = spawnSync(compiler, args, { encoding: "utf8" });
  if (compiler === machinesOwn && error && "code" in error && error.code === "ENOENT") return false;
  if (error) throw error;
  if (status !== 0) throw new Error(`${what} does not compile:\n${stderr}`);
  return true;
}
