/**
 * Runs a part of the program as its entry would, and writes the code caches of the parts that were loaded, at a SIGUSR2
 * or else at the end of the process: warm-run HOME PART WORD…. What was compiled until then is in them, and no more: it
 * would take memory at each start.
 */
import { chmodSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Script } from "node:vm";
import { codeCachePath, createPartLoader } from "./part-loader.ts";

const [node = "", , home = "", program = "", ...words] = process.argv;
const scripts = new Map<string, Script>();
let isWritten = false;
const write = (): void => {
  if (isWritten) return;
  isWritten = true;
  for (const [name, script] of scripts) {
    const path = codeCachePath(home, name);
    writeFileSync(`${path}.new`, script.createCachedData());
    // The programs make their files readable only for their own user.
    chmodSync(`${path}.new`, 0o644);
    renameSync(`${path}.new`, path);
  }
};
process.on("SIGUSR2", write);
process.on("exit", write);
process.argv = [node, join(home, "main.js"), ...words];
const first = readdirSync(join(home, "parts")).find((name) =>
  new RegExp(`^${program}-\\w+\\.js$`).test(name),
);
createPartLoader(home, createRequire(join(home, "main.js")), (name, script) => scripts.set(name, script))(
  String(first),
);
