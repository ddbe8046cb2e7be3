import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommand } from "../../ports.ts";
import type { ReleaseAtWork } from "../../release-ports.ts";
import {
  environmentOf,
  forRelease,
  lastOf,
  type ProgramEnd,
  type RunForRelease,
} from "../releases/release-programs.ts";

/** The purpose of a product's program, which names the instance of its unit. */
export type ProductProgram = "activate" | "health";

/** Milliseconds for actions that systemd does at once. */
const shortMilliseconds = 2_000;

/** Runs programs of the host file in steward-product@.service, with its rights. Rejects if that cannot be started. */
export function createProductUnit(
  run: RunCommand,
  /** Runs a program as a child where the unit is missing: a release may be newer than the package's units. */
  beside: RunForRelease,
  /** The directory that the unit reads, which belongs only to root. */
  directory = "/run/steward-guard/product",
): (what: ProductProgram) => RunForRelease {
  return (what) => async (command, release, limits) => {
    const unit = `steward-product@${what}.service`;
    const [script, output] = [join(directory, what), join(directory, `${what}.output`)];
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(script, scriptOf(command, release), { mode: 0o600 });
    try {
      // Not `start`: it would join the run of a guard that was ended in the middle.
      const { status, stderr } = await run("systemctl", ["restart", "--", unit], limits);
      if (status === 0) return { status, isTooSlow: false, said: await saidIn(output) };
      if (/\bUnit .+ not found\b/.test(stderr)) return await beside(command, release, limits);
      const end = status === null ? await kill(run, unit) : await endOf(run, unit);
      return { ...end, said: await saidIn(output) };
    } finally {
      await Promise.all([script, output].map((path) => rm(path, { force: true })));
    }
  };
}

/** Replaces the shell with the program; every word is quoted, and `env -i` leaves nothing of systemd's environment. */
function scriptOf(command: readonly string[], release: ReleaseAtWork): string {
  const variables = Object.entries(environmentOf(release)).map(([name, value]) => `${name}=${value}`);
  // The inner shell, because env(1) would take a program with a = in its path for a variable.
  const shell = ["/bin/sh", "-c", 'exec "$@"', "sh"];
  const words = ["/usr/bin/env", "-i", ...variables, ...shell, ...forRelease(command, release)];
  return `exec ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")}\n`;
}

type End = Omit<ProgramEnd, "said">;

/** Ends the program and its children, at the end of its time. */
async function kill(run: RunCommand, unit: string): Promise<End> {
  await brief(run, ["kill", "--signal=KILL", "--", unit]);
  await brief(run, ["stop", "--", unit]);
  await brief(run, ["reset-failed", "--", unit]);
  return { status: null, isTooSlow: true };
}

/** The failure. The unit then does not count as a failed unit of this device, since the guard judges it. */
async function endOf(run: RunCommand, unit: string): Promise<End> {
  const shown = await brief(run, ["show", "--property=Result,ExecMainCode,ExecMainStatus", "--", unit]);
  await brief(run, ["reset-failed", "--", unit]);
  const shownAs = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(shown)?.[1] ?? "";
  // waitid(2): 1 is CLD_EXITED.
  const status = shownAs("ExecMainCode") === "1" ? Number(shownAs("ExecMainStatus")) : null;
  return { status, isTooSlow: shownAs("Result") === "timeout" };
}

async function brief(run: RunCommand, args: readonly string[]): Promise<string> {
  return (await run("systemctl", args, { timeoutMilliseconds: shortMilliseconds })).stdout;
}

/** Empty if it has written nothing, or nothing could be written. */
async function saidIn(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return "";
  try {
    return await lastOf(file);
  } finally {
    await file.close();
  }
}
