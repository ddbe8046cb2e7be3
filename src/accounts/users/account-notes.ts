import type { Document } from "../../store/documents/document.ts";
import { type AccountsState, replaced } from "./account.ts";

/* Changes that a full disk must not prevent: they are made in memory, and written when the disk takes them. */

/** Seconds that a time of last sign-in may be only in memory; it is not worth a write of its own. */
const lastLoginDelaySeconds = 15 * 60;

/** Notes a sign-in: its time, that an initial password is used up, and a hash at today's cost. */
export function noteSignIn(
  document: Document<AccountsState>,
  id: string,
  at: Date,
  rehashed: string | undefined,
): void {
  const change = (state: AccountsState): AccountsState => {
    const account = state.accounts.find((candidate) => candidate.id === id);
    if (!account) return state;
    const password_state = account.password_state === "initial" ? "spent" : account.password_state;
    const password_hash = rehashed ?? account.password_hash;
    return replaced(state, { ...account, last_login_at: at.toISOString(), password_state, password_hash });
  };
  const isInitial = document.read().accounts.find((one) => one.id === id)?.password_state === "initial";
  document.note(change, isInitial ? 0 : lastLoginDelaySeconds);
}

export interface PasskeyUse {
  readonly passkey: string;
  readonly at: Date;
  readonly signCount: number;
}

/**
 * Notes the use of a passkey, in memory before it returns; false if the passkey is gone or its counter has not grown,
 * which a copy of it would do (WebAuthn §6.1.1). An authenticator without a counter always gives 0.
 */
export function notePasskeyUse(
  document: Document<AccountsState>,
  id: string,
  { passkey, at, signCount }: PasskeyUse,
): boolean {
  let isNoted = false;
  const change = (state: AccountsState): AccountsState => {
    const account = state.accounts.find((candidate) => candidate.id === id);
    const present = account?.two_factor?.passkeys?.find((one) => one.id === passkey);
    if (!account?.two_factor || !present) return state;
    isNoted = signCount > present.sign_count || (signCount === 0 && present.sign_count === 0);
    if (!isNoted) return state;
    const used = { ...present, sign_count: signCount, last_used_at: at.toISOString() };
    const passkeys = account.two_factor.passkeys?.map((one) => (one.id === passkey ? used : one)) ?? [];
    return replaced(state, { ...account, two_factor: { ...account.two_factor, passkeys } });
  };
  document.note(change, signCount === 0 ? lastLoginDelaySeconds : 0);
  return isNoted;
}

/** Takes a recovery code off the account, in memory before it returns; false if it is no longer there. */
export async function spendRecoveryCode(
  document: Document<AccountsState>,
  id: string,
  hash: string,
): Promise<boolean> {
  let isSpent = false;
  const change = (state: AccountsState): AccountsState => {
    const account = state.accounts.find((candidate) => candidate.id === id);
    if (!account?.two_factor?.recovery_hashes.includes(hash)) return state;
    isSpent = true;
    const recovery_hashes = account.two_factor.recovery_hashes.filter((other) => other !== hash);
    return replaced(state, { ...account, two_factor: { ...account.two_factor, recovery_hashes } });
  };
  document.note(change, 0);
  if (isSpent) await document.save();
  return isSpent;
}
