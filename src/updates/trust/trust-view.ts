import type { StewardError } from "../../contract/errors.ts";
import type { TrustStatus, UpdateReason, UpdateTrust } from "../../contract/types.ts";
import { reasonOfError } from "../../releases/outcome-reasons.ts";
import type { UpdateRecord } from "../../releases/update-record.ts";
import type { Root } from "../../tuf/metadata.ts";
import { trustSentence } from "../facts/update-sentences.ts";

/** The installed root, as last read. */
export type TrustState =
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly error: StewardError }
  | {
      readonly kind: "usable";
      readonly fingerprint: string;
      /** After all rotations that were followed. */
      readonly inForce: Root;
    };

/** The trust as the API has it: established is installed, confirmed, and proven by the present server. */
export function trustView(state: TrustState, record: UpdateRecord, server: string): UpdateTrust {
  if (state.kind === "none") return { ...nothing, status: statusOf("not_installed") };
  if (state.kind === "unusable")
    return { ...nothing, status: statusOf("unusable", reasonOfError(state.error)) };
  const { fingerprint, inForce } = state;
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
    status: statusOf(codeOf(confirmation !== null, isProven, server)),
  };
}

const nothing: Omit<UpdateTrust, "status"> = {
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
};

function codeOf(isConfirmed: boolean, isProven: boolean, server: string): TrustStatus["code"] {
  if (!isConfirmed) return "not_confirmed";
  if (isProven) return "established";
  return server === "" ? "server_not_set" : "not_proven";
}

function statusOf(code: TrustStatus["code"], reason: UpdateReason | null = null): TrustStatus {
  return { code, detail: trustSentence(code, { reason, setting: "/update/ota/server" }), reason };
}
