import { join } from "node:path";
import type { Build } from "../system/version.ts";

/** JSON that the build defines; a program run from its sources has no version. */
declare const STEWARD_BUILD: string | undefined;
export const build: Build =
  typeof STEWARD_BUILD === "undefined"
    ? { version: "0.0.0-source", commit: null, date: null }
    : (JSON.parse(STEWARD_BUILD) as Build);

/** The directory of this file; for a program run from its sources, that of the last build. */
export const assetsDirectory = import.meta.filename.endsWith(".ts")
  ? join(import.meta.dirname, "../../dist")
  : import.meta.dirname;

/** The native module that reads and sets the clock, changes the user of a process, locks files, and speaks to systemd. */
export function clockAddon(assets: string): string {
  return join(assets, "clock-steering.node");
}

/** The path of the installer, which is next to this program. */
export function installerScript({ assetsDirectory: assets }: { readonly assetsDirectory: string }): string {
  return join(assets, "installer.js");
}

/** The version of the package, which the launcher passes to the program that it starts; empty: it is not known. */
export const packagedVersion = process.env.STEWARD_PACKAGED ?? "";
