/** The programs of other makers: where they come from, how they are run and ended, and what was measured of them. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import type { Ending } from "../basics/ending.ts";
import { until } from "../basics/until.ts";
import { unpacked } from "../host/debian-packages.ts";
import { addRow } from "./table.ts";

/** The folder of Prometheus's programs: `prometheus`, `promtool`. */
export function prometheusPrograms(): string {
  return join(unpacked("prometheus", "usr/bin/prometheus usr/bin/promtool", "prometheus"), "usr/bin");
}

/** Writes the certificate of an authority that signs nothing, for a configuration that names one. */
export function writeUnusedAuthority(path: string): void {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null"];
  const words = ["req", "-x509", ...key, "-subj", "/CN=example", "-days", "1", "-out", path];
  execFileSync("openssl", words, { stdio: "ignore" });
}

/** Runs a server until the test ends; gives it back when it answers at `port`. `said`: its words where it does not start. */
export async function serving(
  test: Ending,
  port: number,
  command: readonly string[],
  options: SpawnOptions = {},
  said = () => "it has ended",
): Promise<ChildProcess> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { stdio: ["ignore", "inherit", "inherit"], ...options });
  test.after(() => ended(child));
  await until(`${program} listens`, () => {
    assert.equal(child.exitCode, null, said());
    return answers(port);
  });
  return child;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** Ends a process that the test has started, and waits for its end. */
export async function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

/** Adds rows of a subject to the table. */
export function rowsOf(subject: string): (what: string, value: string | number) => void {
  return (what, value) => addRow({ subject, what, value: String(value) });
}

/**
 * Runs a server until the test ends, as root: its users and files are mounted for it, and are not on this machine. Of the
 * script the last line becomes the server; `args` are `$1` and on.
 */
export async function servingMounted(
  test: Ending,
  port: number,
  [script, ...args]: readonly [script: string, ...args: string[]],
  said: () => string,
): Promise<void> {
  await serving(test, port, ["unshare", "--mount", "sh", "-euc", script, "sh", ...args], {}, said);
}
