import { dirname, join } from "node:path";
import { StewardError } from "../../../contract/errors.ts";
import type { TrustedOwners } from "../../host.ts";
import { readTrustedFile } from "./trusted-file.ts";

/** Where the root of trust of updates lies: beside the host file. */
export function updateRootFile(hostFile: string): string {
  return join(dirname(hostFile), "update-root.json");
}

/**
 * The root of trust as root has installed it; null: there is none. Throws `update_root_unusable` when it is larger than
 * `maximumBytes`, or when anybody but root could have written it.
 */
export function readInstalledRoot(
  path: string,
  { maximumBytes, ...owners }: TrustedOwners & { maximumBytes: number },
): Promise<Uint8Array | null> {
  return readTrustedFile(
    path,
    { ...owners, maximumBytes },
    (where, what) =>
      new StewardError(
        "update_root_unusable",
        `The root of trust of updates cannot be used: ${where} ${what}.`,
      ),
  );
}
