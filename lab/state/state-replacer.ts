/**
 * Decides that the state in its place replaces the present one, says so, and carries it out, for the test that cuts its
 * power. Argument: the state directory.
 */
import { writeSync } from "node:fs";
import { decideReplacement, finishReplacement } from "../../src/store/files/replacement.ts";

const [directory = ""] = process.argv.slice(2);

await decideReplacement(directory);
writeSync(1, "decided\n");
await finishReplacement(directory);
