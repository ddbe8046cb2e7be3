import type { StewardError } from "../../contract/errors.ts";
import type { UpdateTrust } from "../../contract/types.ts";
import type { Root } from "../../tuf/metadata.ts";
import type { UpdateRecord } from "../update-record.ts";

/** What stands of the installed root. */
export type Standing =
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly error: StewardError }
  | {
      readonly kind: "usable";
      readonly fingerprint: string;
      /** After all rotations that were followed. */
      readonly inForce: Root;
    };

/** What people and settings go by: established is installed, confirmed, and proven by the present server. */
export function trustView(standing: Standing, record: UpdateRecord, server: string): UpdateTrust {
  if (standing.kind !== "usable") return { ...nothing, detail: missingTrust(standing) };
  const { fingerprint, inForce } = standing;
  const confirmation = record.confirmation?.fingerprint === fingerprint ? record.confirmation : null;
  const isProven =
    server !== "" && record.proof?.fingerprint === fingerprint && record.proof.server === server;
  return {
    installed: true,
    fingerprint,
    root_version: inForce.version,
    root_expires_at: new Date(inForce.expires).toISOString(),
    keys: Object.entries(inForce.roles).map(([role, { threshold, keyids }]) => ({
      role,
      threshold,
      key_ids: [...keyids],
    })),
    confirmed: confirmation !== null,
    confirmed_at: confirmation?.at ?? null,
    confirmed_by: confirmation?.by ?? null,
    proven: isProven,
    established: confirmation !== null && isProven,
    detail: nextStep(confirmation !== null, isProven, server),
  };
}

const nothing: UpdateTrust = {
  installed: false,
  fingerprint: null,
  root_version: null,
  root_expires_at: null,
  keys: [],
  confirmed: false,
  confirmed_at: null,
  confirmed_by: null,
  proven: false,
  established: false,
  detail: null,
};

function missingTrust(standing: Exclude<Standing, { kind: "usable" }>): string {
  if (standing.kind === "unusable") return standing.error.message;
  return "No root of trust is installed, so no update can be verified. As root on this device, run `steward update trust install FILE` with your publisher's root.json.";
}

function nextStep(isConfirmed: boolean, isProven: boolean, server: string): string | null {
  if (!isConfirmed) {
    return "Nobody has compared this root's fingerprint yet. An administrator compares it with the one that the publisher gives out elsewhere, and confirms it with `steward update trust confirm FINGERPRINT` or in the console.";
  }
  if (isProven) return null;
  if (server === "") return "No update server is set. Set update.ota.server, then check for updates.";
  return "The update server has not delivered one complete refresh under this root yet. Check for updates.";
}
