import type { ErrorCode } from "../../contract/error-codes.ts";

/** The errors that a section of the documents is about, which the agent serves at /docs/. */
export const sections: Readonly<Record<string, readonly ErrorCode[]>> = {
  "troubleshooting.html#invalid-token": ["invalid_token", "totp_invalid"],
  "troubleshooting.html#correct-a-wrong-clock-on-the-device": [
    "clock_not_synchronised",
    "no_time_source",
    "no_majority",
    "panic_threshold",
    "time_implausible",
  ],
  "troubleshooting.html#a-user-cannot-sign-in": [
    "too_many_attempts",
    "account_locked",
    "recovery_code_invalid",
    "second_factor_unavailable",
  ],
  "troubleshooting.html#updates-restart-host-name-or-time-zone-are-refused": ["host_right_missing"],
  "state.html#damage": ["state_damaged"],
  "state.html#a-full-or-read-only-disk": ["storage_full", "storage_unwritable"],
  "updates/operate.html#a-failed-check": [
    "update_server_unreachable",
    "update_server_refused",
    "update_too_slow",
    "update_too_large",
    "update_file_missing",
    "update_web_page",
    "update_metadata_expired",
    "update_metadata_mismatch",
    "update_payload_mismatch",
    "update_signature_invalid",
    "update_rollback_refused",
  ],
  "updates/operate.html#what-to-do-when": ["rollback_needs_root", "below_floor"],
};

/** The section about an error; undefined: none. */
export function sectionAbout(code: string): string | undefined {
  return Object.keys(sections).find((section) => sections[section]?.some((one) => one === code));
}
