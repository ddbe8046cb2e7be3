import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A build with what it does not bundle, as it stands in /usr/lib/steward and in releases of Steward. */
export function putProgram(dist: string, home: string): void {
  cpSync(dist, home, { recursive: true });
  // Native code for this machine's kind alone.
  for (const name of ["@node-rs/argon2", "@node-rs/argon2-linux-x64-gnu", "node-ntp-client"]) {
    const from = join(root, "node_modules", name);
    if (!existsSync(from))
      throw new Error(`node_modules/${name} is missing: the machine is x86-64 with glibc`);
    cpSync(from, join(home, "node_modules", name), { recursive: true });
  }
}
