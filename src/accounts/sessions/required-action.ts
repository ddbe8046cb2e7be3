import type { Role, Settings } from "../../contract/types.ts";
import type { Account } from "../users/account.ts";

/** The action that a signed-in user must take before anything else; null: none. */
export type RequiredAction = "password_change" | "two_factor_enrolment" | null;

type Policy = Settings["security"]["require_2fa"];

/** True if users of this role must have a second factor. */
export function isFactorRequired(role: Role, policy: Policy): boolean {
  return policy === "all" || (policy === "admins" && role === "admin");
}

/** Decided at every request, so that a new policy applies at once. */
export function requiredActionOf(account: Account, policy: Policy): RequiredAction {
  // The provider keeps the factors of its accounts.
  if (account.provider !== null) return null;
  if (account.password_state !== "chosen") return "password_change";
  if (account.two_factor === null && isFactorRequired(account.role, policy)) return "two_factor_enrolment";
  return null;
}
