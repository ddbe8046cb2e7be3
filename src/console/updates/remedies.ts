import type { ErrorCode } from "../../contract/error-codes.ts";
import type { UpdateRemedy } from "../../contract/updates/update-summaries.ts";

/** For a check that failed, where asking again is not what helps. */
const checkRemedies: Partial<Record<ErrorCode, UpdateRemedy>> = {
  update_server_refused: "settings",
  update_not_configured: "settings",
  update_root_unusable: "trust",
  update_trust_not_established: "trust",
  update_signature_invalid: "trust",
  clock_not_synchronised: "clock",
};

export function checkRemedy(code: string | null): UpdateRemedy {
  return checkRemedies[code as ErrorCode] ?? "check";
}
