import { join } from "node:path";
import type { RunCommand } from "../../host/ports.ts";
import type { UnpackPatch } from "../../releases/download/patched-part.ts";

/** A slow device packs 62 MiB in two minutes. A process that has not ended by then is killed, and the whole is fetched. */
const longestMilliseconds = 300_000;

/** Objects that live for one piece are collected before they take up the memory that both archives leave. */
const options = ["--max-semi-space-size=1"];

export function createUnpackPatch(node: string, assetsDirectory: string, run: RunCommand): UnpackPatch {
  const script = join(assetsDirectory, "unpack-patch.js");
  return async (order, signal) => {
    const limits = { timeoutMilliseconds: longestMilliseconds, signal };
    const { status, stderr } = await run(node, [...options, script, JSON.stringify(order)], limits);
    if (status !== 0) throw new Error(`The patch was not applied: ${stderr.trim() || "it took too long"}`);
  };
}
