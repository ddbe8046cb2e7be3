import type { InstalledVersions } from "../releases/selection.ts";
import { isVersion } from "../releases/semver.ts";
import { packagedVersion } from "./build.ts";

/** The versions that the package brings; null: none, or it is not known. */
export function packagedVersions(product: string): InstalledVersions {
  const isKnown = product === "steward" && isVersion(packagedVersion);
  return { rules: null, binary: isKnown ? packagedVersion : null };
}
