/**
 * Runs in the built program: makes its code caches again, for the V8 of this Node. A package does so where it is
 * installed.
 */
import { makeCodeCaches } from "./code-cache.ts";

makeCodeCaches(import.meta.dirname, process.execPath).catch((error: unknown) => {
  process.stderr.write(`make-code-caches: ${String(error)}\n`);
  process.exitCode = 1;
});
