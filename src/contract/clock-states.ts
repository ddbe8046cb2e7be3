/** The clock in one word, for people. `unknown`: its time has not been measured yet. */
export const clockWords = ["in_sync", "set_by_hand", "not_in_sync", "unknown"] as const;

export const clockTrusts = ["trusted", "accepted", "none"] as const;

export const clockStates = [
  "unsynchronised",
  "acquiring",
  "synchronised",
  "holdover",
  "freerun",
  "delegated",
  "manual",
  "faulty",
] as const;

export const sourceStates = [
  "selected",
  "candidate",
  "outlier",
  "falseticker",
  "unreachable",
  "kod",
  "suspect",
  "unused",
] as const;

/** The reasons for the state of a source, or for a last poll that brought no sample. */
export const sourceReasonCodes = [
  "not_asked",
  "not_heard",
  "same_server",
  "name_not_found",
  "name_not_answered",
  "no_address",
  "local_address",
  "timeout",
  "connection_refused",
  "network_unreachable",
  "host_unreachable",
  "system_error",
  "bad_packet",
  "server_unsynchronised",
  "too_uncertain",
  "kiss_denied",
  "kiss_rate",
  "second_opinion_differs",
  "majority_differs",
  "below_floor",
  "beyond_ceiling",
  "too_few_agree",
  "no_majority",
  "scatters",
  "not_preferred",
  "not_selected",
  "varies",
  "spike",
  "not_authenticated",
  "not_authentic",
  "nts_nak",
  "nts_unreachable",
  "nts_tls_version",
  "nts_closed",
  "nts_not_offered",
  "nts_unknown_authority",
  "nts_wrong_name",
  "nts_certificate_expired",
  "nts_certificate_not_yet_valid",
  "nts_bad_certificate",
  "nts_cannot_verify",
  "nts_refused",
  "nts_no_answer",
  "nts_not_confirmed",
] as const;
