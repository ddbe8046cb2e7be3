/** Compiles the clock's addon with the machine's own C compiler. */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const sources = ["addon.c", "clock-steering.c", "process-standing.c", "timed-datagrams.c"].map((name) =>
  join(import.meta.dirname, "../src/host/linux/native", name),
);

const flags = [
  "-std=gnu11",
  "-O2",
  "-shared",
  "-fPIC",
  "-fvisibility=hidden",
  "-DNAPI_VERSION=8",
  ..."-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror".split(" "),
  // Stripped, without a page of padding around the code, bound at load.
  ..."-s -Wl,-z,noseparate-code -Wl,-z,relro -Wl,-z,now -Wl,--build-id=none".split(" "),
];

/**
 * Makes `target` out of the C sources in src/host/linux/native; a warning is an error and throws. Where there is no `cc`, it
 * says so in one line and makes nothing: the agent then measures its clock and never steers it. True: it was made.
 */
export function buildAddon(target: string): boolean {
  const headers = join(dirname(createRequire(import.meta.url).resolve("node-api-headers")), "include");
  const { error, status, stderr } = spawnSync(
    "cc",
    [...flags, "-isystem", headers, "-o", target, ...sources],
    {
      encoding: "utf8",
    },
  );
  if (error && "code" in error && error.code === "ENOENT") {
    console.warn(
      "There is no C compiler (cc): built without clock-steering.node, so the agent only observes its clock.",
    );
    return false;
  }
  if (error) throw error;
  if (status !== 0) throw new Error(`the clock's addon does not compile:\n${stderr}`);
  return true;
}
