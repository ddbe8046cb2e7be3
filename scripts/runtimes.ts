/** The releases of Node.js that `scripts/runtimes` pins. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import type { Machine } from "./package/machines.ts";

const root = join(import.meta.dirname, "..");
const here: Machine = arch() === "arm64" ? "arm64" : "amd64";

export function pinnedVersion(name: string, machine = here): string {
  const text = readFileSync(join(root, "scripts/runtimes"), "utf8");
  const [, amd64, arm64] = new RegExp(`^${name} +(\\S+) +(\\S+)$`, "m").exec(text) ?? [];
  const version = machine === "amd64" ? amd64 : arm64;
  if (version === undefined) throw new Error(`scripts/runtimes pins no "${name}"`);
  return version;
}

/** The path of the program, which is fetched the first time. */
export function pinnedRuntime(name: string, machine = here): string {
  const words = [join(root, "scripts/runtime.sh"), name, machine];
  return execFileSync("sh", words, { cwd: root, encoding: "utf8" }).trim();
}
