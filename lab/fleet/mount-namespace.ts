import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { Ending } from "../basics/ending.ts";
import { until } from "../basics/until.ts";
import { answers, ended } from "./nginx-server.ts";

export interface MountedServer {
  /** A line of `sh` each, of which the last becomes the server. Mounts are seen by it and its children only. */
  readonly script: string;
  /** `$1` and on. */
  readonly args: readonly string[];
  /** It answers there when it has started. */
  readonly port: number;
  /** Its own words, for the error where it does not start. */
  readonly said: () => string;
}

/** Runs a server until the test ends, as root: its users and files are mounted for it, and are not on this machine. */
export async function startMounted(test: Ending, { script, args, port, said }: MountedServer): Promise<void> {
  const child = spawn("unshare", ["--mount", "sh", "-euc", script, "sh", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  test.after(() => ended(child));
  await until("the server listens", () => {
    assert.equal(child.exitCode, null, said());
    return answers(port);
  });
}
