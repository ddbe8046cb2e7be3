/**
 * Every error code of the agent: its HTTP status, the exit code of the command line, and the title that
 * a person reads. The code is the contract; the title may be reworded.
 *
 * Exit codes: 1 failed, 2 usage, 3 not found, 4 not permitted, 5 conflict, 6 invalid input,
 * 7 locked or rate-limited, 8 agent unreachable.
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
  invalid_token: { status: 401, exit: 4, title: "Invalid token" },
  setup_token_invalid: { status: 401, exit: 4, title: "Wrong setup token" },

  forbidden: { status: 403, exit: 4, title: "Not permitted" },
  password_wrong: { status: 403, exit: 4, title: "Wrong current password" },
  password_change_required: { status: 403, exit: 4, title: "Password change required" },

  not_found: { status: 404, exit: 3, title: "Not found" },
  method_not_allowed: { status: 405, exit: 2, title: "Method not allowed" },
  not_acceptable: { status: 406, exit: 2, title: "Not acceptable" },
  request_timeout: { status: 408, exit: 1, title: "Request timed out" },

  username_taken: { status: 409, exit: 5, title: "User name taken" },
  last_admin: { status: 409, exit: 5, title: "Last administrator" },
  setup_already_done: { status: 409, exit: 5, title: "Setup already done" },
  update_trust_not_established: { status: 409, exit: 5, title: "Update trust not established" },

  etag_mismatch: { status: 412, exit: 5, title: "Changed by someone else" },
  payload_too_large: { status: 413, exit: 6, title: "Payload too large" },
  unsupported_media_type: { status: 415, exit: 6, title: "Unsupported media type" },
  misdirected_request: { status: 421, exit: 2, title: "Misdirected request" },

  password_too_short: { status: 422, exit: 6, title: "Password too short" },
  password_too_long: { status: 422, exit: 6, title: "Password too long" },
  password_blocklisted: { status: 422, exit: 6, title: "Password too common" },
  password_contains_identity: { status: 422, exit: 6, title: "Password derived from a name" },
  signature_verification_required: { status: 422, exit: 6, title: "Signature verification required" },

  rate_limited: { status: 429, exit: 7, title: "Too many requests" },

  headers_too_large: { status: 431, exit: 6, title: "Headers too large" },
  internal_error: { status: 500, exit: 1, title: "Internal error" },

  setup_required: { status: 503, exit: 1, title: "Setup required" },
  hashing_busy: { status: 503, exit: 7, title: "Busy with other sign-ins" },
  state_damaged: { status: 503, exit: 1, title: "State damaged" },
  state_locked: { status: 503, exit: 5, title: "State in use" },
  shutting_down: { status: 503, exit: 8, title: "Shutting down" },

  storage_full: { status: 507, exit: 1, title: "Storage full" },
  storage_unwritable: { status: 507, exit: 1, title: "Storage not writable" },
} as const satisfies Record<string, { status: number; exit: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;
