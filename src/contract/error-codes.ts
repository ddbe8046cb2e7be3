/**
 * Every error code of the agent: its HTTP status, the exit code of the command line, and the title that
 * a person reads. The code is the contract; the title may be reworded.
 *
 * Exit codes: 1 failed, 2 usage, 3 not found, 4 not permitted, 5 conflict, 6 invalid input,
 * 7 locked or rate-limited, 8 agent unreachable, 9 clock not synchronised.
 */
export const errorCodes = {
  malformed_request: { status: 400, exit: 6, title: "Malformed request" },
  malformed_json: { status: 400, exit: 6, title: "Malformed JSON" },
  malformed_path: { status: 400, exit: 6, title: "Malformed path" },
  validation_failed: { status: 400, exit: 6, title: "Validation failed" },
  unknown_field: { status: 400, exit: 6, title: "Unknown field" },
  invalid_cursor: { status: 400, exit: 6, title: "Invalid cursor" },

  authentication_required: { status: 401, exit: 4, title: "Authentication required" },
  invalid_credentials: { status: 401, exit: 4, title: "Wrong user name or password" },
  totp_required: { status: 401, exit: 4, title: "Code required" },
  totp_invalid: { status: 401, exit: 4, title: "Invalid token" },
  totp_reused: { status: 401, exit: 4, title: "Code used before" },
  recovery_code_invalid: { status: 401, exit: 4, title: "Wrong recovery code" },
  challenge_invalid: { status: 401, exit: 4, title: "Challenge not valid" },
  step_up_required: { status: 401, exit: 4, title: "Password required again" },
  invalid_token: { status: 401, exit: 4, title: "Invalid token" },
  setup_token_invalid: { status: 401, exit: 4, title: "Wrong setup token" },

  forbidden: { status: 403, exit: 4, title: "Not permitted" },
  insufficient_scope: { status: 403, exit: 4, title: "Not in the token's scope" },
  token_not_allowed: { status: 403, exit: 4, title: "Not for API tokens" },
  two_factor_enrolment_required: { status: 403, exit: 4, title: "Two-factor enrolment required" },
  password_wrong: { status: 403, exit: 4, title: "Wrong current password" },
  password_change_required: { status: 403, exit: 4, title: "Password change required" },

  not_found: { status: 404, exit: 3, title: "Not found" },
  method_not_allowed: { status: 405, exit: 2, title: "Method not allowed" },
  not_acceptable: { status: 406, exit: 2, title: "Not acceptable" },
  request_timeout: { status: 408, exit: 1, title: "Request timed out" },

  username_taken: { status: 409, exit: 5, title: "User name taken" },
  last_admin: { status: 409, exit: 5, title: "Last administrator" },
  two_factor_already_enabled: { status: 409, exit: 5, title: "Two-factor already enabled" },
  two_factor_not_enabled: { status: 409, exit: 5, title: "Two-factor not enabled" },
  two_factor_not_pending: { status: 409, exit: 5, title: "No two-factor setup pending" },
  two_factor_required_by_policy: { status: 409, exit: 5, title: "Two-factor required by policy" },
  token_limit_reached: { status: 409, exit: 5, title: "Too many API tokens" },
  clock_not_synchronised: { status: 409, exit: 9, title: "Clock not synchronised" },
  time_sync_disabled: { status: 409, exit: 5, title: "Time synchronisation disabled" },
  conflict_discipliner: { status: 409, exit: 5, title: "Another program sets the clock" },
  setup_already_done: { status: 409, exit: 5, title: "Setup already done" },
  update_trust_not_established: { status: 409, exit: 5, title: "Update trust not established" },
  update_root_unusable: { status: 409, exit: 5, title: "Root of trust not usable" },
  update_not_configured: { status: 409, exit: 5, title: "No update server set" },
  repository_conflict: { status: 409, exit: 5, title: "Repository in another state" },
  repository_unsigned: { status: 409, exit: 5, title: "Signatures missing" },

  etag_mismatch: { status: 412, exit: 5, title: "Changed by someone else" },
  payload_too_large: { status: 413, exit: 6, title: "Payload too large" },
  unsupported_media_type: { status: 415, exit: 6, title: "Unsupported media type" },
  misdirected_request: { status: 421, exit: 2, title: "Misdirected request" },

  password_too_short: { status: 422, exit: 6, title: "Password too short" },
  password_too_long: { status: 422, exit: 6, title: "Password too long" },
  password_blocklisted: { status: 422, exit: 6, title: "Password too common" },
  password_contains_identity: { status: 422, exit: 6, title: "Password derived from a name" },
  panic_threshold: { status: 422, exit: 9, title: "Clock too far off" },
  time_implausible: { status: 422, exit: 6, title: "Time not plausible" },
  signature_verification_required: { status: 422, exit: 6, title: "Signature verification required" },

  too_many_attempts: { status: 429, exit: 7, title: "Too many attempts" },
  rate_limited: { status: 429, exit: 7, title: "Too many requests" },
  account_locked: { status: 429, exit: 7, title: "Account locked" },

  headers_too_large: { status: 431, exit: 6, title: "Headers too large" },
  internal_error: { status: 500, exit: 1, title: "Internal error" },

  update_server_refused: { status: 502, exit: 1, title: "Update server not acceptable" },
  update_file_missing: { status: 502, exit: 1, title: "File missing on the update server" },
  update_too_large: { status: 502, exit: 1, title: "Update server sent too much" },
  update_metadata_malformed: { status: 502, exit: 1, title: "Update metadata malformed" },
  update_signature_invalid: { status: 502, exit: 1, title: "Update metadata not signed by enough keys" },
  update_rollback_refused: { status: 502, exit: 1, title: "Update metadata older than known" },
  update_metadata_mismatch: { status: 502, exit: 1, title: "Update metadata do not belong together" },
  update_metadata_expired: { status: 502, exit: 1, title: "Update metadata expired" },
  update_limit_exceeded: { status: 502, exit: 1, title: "Update metadata beyond a limit" },
  update_payload_mismatch: { status: 502, exit: 1, title: "Update payload is not what was signed" },
  update_server_unreachable: { status: 503, exit: 1, title: "Update server unreachable" },
  update_too_slow: { status: 504, exit: 1, title: "Update server too slow" },

  setup_required: { status: 503, exit: 1, title: "Setup required" },
  no_time_source: { status: 503, exit: 9, title: "No time source" },
  no_majority: { status: 503, exit: 9, title: "Time sources disagree" },
  hashing_busy: { status: 503, exit: 7, title: "Busy with other sign-ins" },
  second_factor_unavailable: { status: 503, exit: 1, title: "Second factor unavailable" },
  state_damaged: { status: 503, exit: 1, title: "State damaged" },
  state_locked: { status: 503, exit: 5, title: "State in use" },
  shutting_down: { status: 503, exit: 8, title: "Shutting down" },

  storage_full: { status: 507, exit: 1, title: "Storage full" },
  storage_unwritable: { status: 507, exit: 1, title: "Storage not writable" },
} as const satisfies Record<string, { status: number; exit: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;
