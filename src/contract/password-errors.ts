import type { ErrorCode } from "./error-codes.ts";

/** What can be wrong with a new password, in every operation that takes one. */
export const newPasswordErrors = [
  "password_too_short",
  "password_too_long",
  "password_blocklisted",
  "password_contains_identity",
  "hashing_busy",
] as const satisfies readonly ErrorCode[];
