/**
 * Runs a part of the program as its entry would, and at the end of the process writes the code caches of the parts that
 * were loaded: warm-run HOME PART WORD…. What was compiled on the way is in them.
 */
import { chmodSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Script } from "node:vm";
import { codeCachePath, createPartLoader } from "./part-loader.ts";

const [node = "", , home = "", program = "", ...words] = process.argv;
const scripts = new Map<string, Script>();
process.on("exit", () => {
  for (const [name, script] of scripts) {
    const path = codeCachePath(home, name);
    writeFileSync(`${path}.new`, script.createCachedData());
    // The programs make their files for their own user alone.
    chmodSync(`${path}.new`, 0o644);
    renameSync(`${path}.new`, path);
  }
});
process.argv = [node, join(home, "main.js"), ...words];
const first = readdirSync(join(home, "parts")).find((name) =>
  new RegExp(`^${program}-\\w+\\.js$`).test(name),
);
createPartLoader(home, createRequire(join(home, "main.js")), (name, script) => scripts.set(name, script))(
  String(first),
);
