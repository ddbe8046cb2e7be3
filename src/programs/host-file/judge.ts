import type { TrustedOwners } from "../../host/host.ts";
import { checkHostFile } from "./check.ts";
import { namedFileFaults } from "./named-files.ts";

/** All that can be wrong with a host file. It is a part of its own, which a device without a host file does not load. */
export async function judgeHostFile(text: string, owners: TrustedOwners) {
  const checked = checkHostFile(text);
  // The faults of the certificates and programs that a file without faults names, checked now, and not days later at the first check of the update server.
  const ofNamedFiles = checked.document === null ? [] : await namedFileFaults(checked.document, owners);
  return { ...checked, ofNamedFiles };
}
