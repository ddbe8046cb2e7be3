import { admins, everyone, type Operation } from "./operation.ts";
import { checkRequest, trustRequest, updates } from "./updates.ts";

/** Signed updates: what there is, looking for more, and whose signatures count. */
export const updateOperations = {
  getUpdates: {
    method: "GET",
    path: "/api/updates",
    summary: "What is installed and available, whose signatures count, and when the next check is",
    access: everyone,
    scope: "system:read",
    response: { status: 200, schema: updates },
  },
  checkForUpdates: {
    method: "POST",
    path: "/api/updates/check",
    summary: "Begin a check, or join the one that runs; how it ends shows in schedule.last_check",
    access: { roles: ["admin", "operator"] },
    scope: "updates:check",
    body: checkRequest,
    bodyOptional: true,
    response: { status: 202, schema: updates },
    errors: [
      "rate_limited",
      "forbidden",
      "update_not_configured",
      "update_trust_not_established",
      "update_root_unusable",
      "signature_verification_required",
    ],
    event: "update.check_requested",
  },
  confirmUpdateTrust: {
    method: "POST",
    path: "/api/updates/trust",
    summary: "Say that the installed root of trust is the publisher's, by its whole fingerprint",
    access: admins,
    stepUp: true,
    body: trustRequest,
    response: { status: 200, schema: updates },
    errors: ["update_trust_not_established", "update_root_unusable", "storage_full", "storage_unwritable"],
    event: "update.trust_confirmed",
  },
} as const satisfies Record<string, Operation>;
