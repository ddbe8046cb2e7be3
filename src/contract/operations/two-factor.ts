import * as twoFactor from "../schemas/two-factor.ts";
import { user } from "../schemas/users.ts";
import { userId } from "../shapes.ts";
import { admins, type Operation } from "./operation.ts";

const byId = { id: userId } as const;

/** For the user only, who gives the password again. */
const owning = { access: "self", stepUp: true, pathParameters: byId } as const;

export const twoFactorOperations = {
  getTwoFactor: {
    method: "GET",
    path: "/api/users/{id}/2fa",
    summary: "Second factor of a user, and the number of recovery codes that they have left",
    description: "`sealing_key` is present when the device cannot check codes because a key is missing.",
    access: { ...admins, self: true },
    beforeEnrolment: true,
    pathParameters: byId,
    response: { status: 200, schema: twoFactor.twoFactor },
  },
  setUpTwoFactor: {
    ...owning,
    method: "POST",
    path: "/api/users/{id}/2fa/setup",
    summary: "Generate a secret for your authenticator; nothing changes until you enable it",
    description:
      "Show `qr_svg` or `secret` to the user, then call enable with the first code that their authenticator shows. Another call replaces the secret that is not enabled yet.",
    beforeEnrolment: true,
    response: { status: 200, schema: twoFactor.enrolment },
    errors: ["two_factor_already_enabled", "second_factor_unavailable", "account_of_provider"],
    event: "two_factor.set_up",
  },
  enableTwoFactor: {
    method: "POST",
    path: "/api/users/{id}/2fa/enable",
    summary: "Enable the second factor with a first code; returns the recovery codes, and other sessions end",
    description:
      "The ten recovery codes are shown this once. While the device's clock is not trusted the answer is `clock_not_synchronised`, unless `allow_unsynchronised_clock` is true.",
    access: "self",
    beforeEnrolment: true,
    pathParameters: byId,
    body: twoFactor.enable,
    response: { status: 200, schema: twoFactor.enabled },
    errors: [
      "two_factor_already_enabled",
      "two_factor_not_pending",
      "clock_not_synchronised",
      "totp_invalid",
      "too_many_attempts",
      "second_factor_unavailable",
    ],
    event: "two_factor.enabled",
  },
  disableTwoFactor: {
    method: "POST",
    path: "/api/users/{id}/2fa/disable",
    summary: "Remove your second factor with password and code; other sessions end",
    description:
      "Needs password and code, or a recovery code, whatever the session has given before. Refused where `security.require_2fa` asks the user for a second factor.",
    access: "self",
    insteadForAdmins:
      "removes another user's second factor with POST /api/users/{id}/2fa/recover and a `reason`, which is recorded; on the device: `steward user 2fa reset NAME --reason TEXT`",
    pathParameters: byId,
    body: twoFactor.disable,
    response: { status: 200, schema: user },
    errors: [
      "two_factor_required_by_policy",
      "two_factor_not_enabled",
      "password_wrong",
      "totp_required",
      "totp_invalid",
      "totp_reused",
      "recovery_code_invalid",
      "passkey_invalid",
      "too_many_attempts",
      "account_locked",
      "hashing_busy",
      "second_factor_unavailable",
    ],
    event: "two_factor.disabled",
  },
  recoverTwoFactor: {
    method: "POST",
    path: "/api/users/{id}/2fa/recover",
    summary:
      "Remove a lost second factor: with password and recovery code, or as an administrator with a reason",
    description:
      "`{id}` is the user's id or name. With password and recovery code no session is needed, and the answer is a new one; an administrator gives a `reason`, which is recorded, and gets the user. An unknown user is answered like a wrong password.",
    access: "open",
    pathParameters: { id: twoFactor.userReference },
    body: twoFactor.recover,
    response: { status: 200, schema: twoFactor.recovered },
    errors: [
      "invalid_credentials",
      "authentication_required",
      "invalid_token",
      "forbidden",
      "token_not_allowed",
      "password_change_required",
      "two_factor_enrolment_required",
      "step_up_required",
      "two_factor_not_enabled",
      "too_many_attempts",
      "hashing_busy",
      "storage_full",
      "storage_unwritable",
    ],
    event: "two_factor.recovered",
  },
  beginPasskey: {
    ...owning,
    method: "POST",
    path: "/api/users/{id}/2fa/passkeys/begin",
    summary: "Begin to add a passkey; nothing changes until it is added",
    description:
      "A passkey belongs to the host name in the request's Origin, and its user keeps the codes for other names. Good once, for five minutes.",
    response: { status: 200, schema: twoFactor.passkeyCreation },
    errors: ["two_factor_not_enabled", "passkey_not_possible"],
  },
  addPasskey: {
    ...owning,
    method: "POST",
    path: "/api/users/{id}/2fa/passkeys",
    summary: "Add a passkey that your browser has made",
    description: "Ten a user at most. Attestation is not looked at: ask for `none`.",
    body: twoFactor.newPasskey,
    response: { status: 200, schema: twoFactor.passkey },
    errors: ["two_factor_not_enabled", "passkey_not_possible", "passkey_invalid"],
    event: "two_factor.passkey_added",
  },
  removePasskey: {
    method: "DELETE",
    path: "/api/users/{id}/2fa/passkeys/{passkey}",
    summary: "Remove one of your passkeys",
    description: "Codes and recovery codes stay.",
    access: "self",
    stepUp: true,
    insteadForAdmins: "removes it with the whole second factor: POST /api/users/{id}/2fa/recover",
    pathParameters: { ...byId, passkey: twoFactor.passkeyId },
    response: { status: 204 },
    errors: ["not_found", "last_admin"],
    event: "two_factor.passkey_removed",
  },
  makeRecoveryCodes: {
    ...owning,
    method: "POST",
    path: "/api/users/{id}/2fa/recovery-codes",
    summary: "Generate new recovery codes; the old ones become invalid",
    description: "The ten codes are shown this once.",
    response: { status: 200, schema: twoFactor.recoveryCodes },
    errors: ["two_factor_not_enabled"],
    event: "two_factor.recovery_codes_made",
  },
} as const satisfies Record<string, Operation>;
