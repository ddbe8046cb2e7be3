import {
  applyRequest,
  dismissRequest,
  historyQuery,
  postponeRequest,
  rollbackRequest,
  updateHistory,
} from "../schemas/update-applying.ts";
import { trustRequest } from "../schemas/update-trust.ts";
import { checkRequest, updates } from "../schemas/updates.ts";
import { admins, everyone, type Operation } from "./operation.ts";

/** Changes of the installed releases, and of when they are applied. */
const applying = { method: "POST", access: admins, stepUp: true, scope: "updates:apply" } as const;

/** Signed updates: status, checks, applying, and the root of trust. */
export const updateOperations = {
  getUpdates: {
    method: "GET",
    path: "/api/updates",
    summary: "Installed and available releases, the root of trust, and the schedule of checks",
    description:
      "`summary` says in one code how updates are. `available` has the releases on offer and, in `hold`, why they are not applied unattended; `blockers` the kinds whose metadata could not be verified.",
    access: everyone,
    scope: "system:read",
    response: { status: 200, schema: updates, weakEtag: ["/schedule/next_check_at"] },
  },
  checkForUpdates: {
    method: "POST",
    path: "/api/updates/check",
    summary: "Begin a check, or join the one in progress; schedule.last_check has its result",
    description:
      "Answers at once, with `schedule.check_id`. The result is in `schedule.last_check` of GET /api/updates once its `id` is that one. What was found is fetched and applied as the settings say. `repository` is a directory on the device, for a stick with a copy of the repository.",
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
      "pinned_by_host",
    ],
    event: "update.check_requested",
  },
  checkUploadedRepository: {
    method: "PUT",
    path: "/api/updates/repository",
    summary:
      "Begin a check of a repository that is sent as a tar, and stage the releases that it has for this device",
    description:
      "For a device without a network. The tar has `metadata/` and `targets/`, at its top or in one folder; it is verified as a server's files are, and removed after the check. The rest is as for POST /api/updates/check.",
    access: { roles: ["admin", "operator"] },
    scope: "updates:check",
    upload: { maximumBytes: 4 * 1024 ** 3 },
    response: { status: 202, schema: updates },
    errors: [
      "rate_limited",
      "update_archive_unusable",
      "update_trust_not_established",
      "update_root_unusable",
      "signature_verification_required",
      "pinned_by_host",
    ],
    event: "update.check_requested",
  },
  listUpdateHistory: {
    method: "GET",
    path: "/api/updates/history",
    summary: "Attempts to apply or undo releases, newest first",
    description:
      "`outcome` and `reason.code` say how an attempt ended; `log` has the last lines of a release that failed.",
    access: everyone,
    scope: "system:read",
    query: historyQuery,
    response: { status: 200, schema: updateHistory },
  },
  applyUpdates: {
    ...applying,
    path: "/api/updates/apply",
    summary:
      "Apply the available releases now, regardless of waves, windows and automatic updates; the status shows the progress",
    description:
      "Answers at once; `trial` of GET /api/updates and the stream of events show the progress. A release that does not become healthy is undone without a request.",
    body: applyRequest,
    response: { status: 202, schema: updates },
    errors: [
      "rate_limited",
      "forbidden",
      "update_busy",
      "no_update_available",
      "update_not_acceptable",
      "update_not_configured",
      "update_not_set_up",
      "state_damaged",
      "update_trust_not_established",
      "update_root_unusable",
      "signature_verification_required",
      "pinned_by_host",
    ],
    event: "update.apply_requested",
  },
  rollBackUpdate: {
    ...applying,
    path: "/api/updates/rollback",
    summary: "Go back to the previous release; the current one is held, and applied again only on request",
    description:
      "Answers at once. The release that is left is held: it is not applied again without a request. A version below a signed floor is refused with `below_floor`; after a reboot, or 72 hours, only root on the device can go back.",
    body: rollbackRequest,
    response: { status: 202, schema: updates },
    errors: [
      "update_busy",
      "nothing_to_roll_back",
      "below_floor",
      "rollback_needs_root",
      "update_not_set_up",
      "state_damaged",
    ],
    event: "update.rollback_requested",
  },
  postponeUpdate: {
    ...applying,
    path: "/api/updates/postpone",
    summary: "Postpone the automatic updates to available releases; newer releases are not postponed",
    description:
      "`for` counts from now; `0s` ends a postponement. A release that is newer than the postponed one is not affected, and a request to apply it is not either.",
    body: postponeRequest,
    response: { status: 202, schema: updates },
    errors: ["no_update_available", "validation_failed", "storage_full", "storage_unwritable"],
    event: "update.postponed",
  },
  dismissFailedUpdate: {
    ...applying,
    path: "/api/updates/dismiss",
    summary: "End the need `update_failed` of a release that failed here, and of those before it",
    description:
      "The release stays on the blocklist, and in `failed` with the state `dismissed`. Should it be tried again and fail again, that is a need anew.",
    body: dismissRequest,
    response: { status: 200, schema: updates },
    errors: ["not_found", "storage_full", "storage_unwritable"],
    event: "update.failure_dismissed",
  },
  confirmUpdateTrust: {
    method: "POST",
    path: "/api/updates/trust",
    summary: "Confirm that the installed root of trust is the publisher's, by its whole fingerprint",
    description:
      "Compare the fingerprint with the publisher's by another way than this network, then send all of it. New binaries are applied unattended only under a confirmed root of trust.",
    access: admins,
    stepUp: true,
    body: trustRequest,
    response: { status: 200, schema: updates },
    errors: ["update_trust_not_established", "update_root_unusable", "storage_full", "storage_unwritable"],
    event: "update.trust_confirmed",
  },
} as const satisfies Record<string, Operation>;
