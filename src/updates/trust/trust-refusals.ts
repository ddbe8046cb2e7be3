import { StewardError } from "../../contract/errors.ts";
import type { Root } from "../../tuf/metadata.ts";
import type { Standing } from "./trust-view.ts";

/** Throws `update_trust_not_established`, `update_root_unusable` and what else kept it from being followed. */
export function usable(standing: Standing): { fingerprint: string; inForce: Root } {
  if (standing.kind === "usable") return standing;
  if (standing.kind === "unusable") throw standing.error;
  throw new StewardError(
    "update_trust_not_established",
    "No root of trust is installed on this device. As root, run `steward update trust install FILE` with your publisher's root.json.",
  );
}

/** `validation_failed`: another fingerprint than that of the installed root. */
export function otherFingerprint(installed: string): StewardError {
  const detail = `must be that of the installed root, which begins with ${installed.slice(0, 8)}`;
  return new StewardError(
    "validation_failed",
    "This is not the fingerprint of the installed root of trust. Compare it with your publisher's, digit by digit, and install the publisher's root if this is another one. Nothing was confirmed.",
    { details: { errors: [{ pointer: "/fingerprint", code: "mismatch", detail }] } },
  );
}
