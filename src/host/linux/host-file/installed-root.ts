import { dirname, join } from "node:path";
import { StewardError } from "../../../contract/errors.ts";
import type { TrustedOwners } from "../../host.ts";
import { readTrustedFile } from "./trusted-file.ts";

/** The path of the root of trust of updates, beside the host file. */
export function updateRootFile(hostFile: string): string {
  return join(dirname(hostFile), "update-root.json");
}

/** The installed root of trust; null: none. Throws `update_root_unusable` beyond `maximumBytes`, or if others write it. */
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
