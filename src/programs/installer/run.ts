import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { InstallerPlaces } from "../../cli/client/context.ts";
import { StewardError } from "../../contract/errors.ts";
import { usualPlaces } from "../../installer/files/release-directories.ts";
import type { InstallingPlaces } from "../agent/installer-client.ts";

/** What is run, and where. */
export interface InstallerProgram {
  /** The runtime, as this process was started with. */
  readonly node: string;
  /** `installer.js` of the same program. */
  readonly program: string;
}

/**
 * Runs root's side of updates until it ends, as the present user; what it says goes to standard error. Its exit code,
 * 1 where a signal ended it. Throws `internal_error` where it cannot be started.
 */
export function runInstaller(
  { node, program }: InstallerProgram,
  words: readonly string[],
  places: InstallerPlaces,
): Promise<number> {
  const { releasesDirectory, trustDirectory, stateDirectory, hostFile } = places;
  const isUsual = releasesDirectory === usualPlaces.releases;
  const options = [
    // Given at all it says that this is a trial run, without systemd.
    ...(isUsual ? [] : ["--releases", releasesDirectory]),
    ...["--trust", trustDirectory, "--state", stateDirectory, "--host-file", hostFile],
  ];
  return new Promise((resolve, reject) => {
    // Standard output is the command's own, for programs to read.
    const child = spawn(node, [program, ...words, ...options], { stdio: ["ignore", 2, 2] });
    child.once("error", (cause) =>
      reject(
        new StewardError("internal_error", `${program} cannot be started: ${cause.message}.`, { cause }),
      ),
    );
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** The places that the environment of a trial names, where the installer is a process of ours; null: it names none. */
export function installingOf(
  { STEWARD_RELEASES: releases, STEWARD_TRUST: trust }: Readonly<Record<string, string | undefined>>,
  { node, script, state, hostFile }: NonNullable<InstallingPlaces["program"]>,
): InstallingPlaces | null {
  if (!releases) return null;
  const places = { releases: resolve(releases), trust: resolve(trust || usualPlaces.trust) };
  return { places, program: { node, script, state: resolve(state), hostFile: resolve(hostFile) } };
}
