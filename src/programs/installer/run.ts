import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { InstallerPaths } from "../../cli/client/context.ts";
import { StewardError } from "../../contract/errors.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import type { InstallerAccess, InstallerProgram } from "../agent/installer-client.ts";

/** Runs the installer, its output on standard error. Returns its exit code, 1 for a signal. Throws `internal_error`. */
export function runInstaller(
  { node, script }: Pick<InstallerProgram, "node" | "script">,
  words: readonly string[],
  places: InstallerPaths,
): Promise<number> {
  const { releasesDirectory, trustDirectory, stateDirectory, hostFile } = places;
  const isUsual = releasesDirectory === usualDirectories.releases;
  const options = [
    // The option makes it a trial run, without systemd.
    ...(isUsual ? [] : ["--releases", releasesDirectory]),
    ...["--trust", trustDirectory, "--state", stateDirectory, "--host-file", hostFile],
  ];
  return new Promise((resolve, reject) => {
    // Standard output is the command's own, for programs to read.
    const child = spawn(node, [script, ...words, ...options], { stdio: ["ignore", 2, 2] });
    child.once("error", (cause) =>
      reject(new StewardError("internal_error", `${script} cannot be started: ${cause.message}.`, { cause })),
    );
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** A trial's installer, as a process of our own user, in the directories that the environment names; null: none. */
export function installerAccessOf(
  { STEWARD_RELEASES: releases, STEWARD_TRUST: trust }: Readonly<Record<string, string | undefined>>,
  { node, script, state, hostFile }: InstallerProgram,
): InstallerAccess | null {
  if (!releases) return null;
  const directories = { releases: resolve(releases), trust: resolve(trust || usualDirectories.trust) };
  return { directories, program: { node, script, state: resolve(state), hostFile: resolve(hostFile) } };
}
