import type { AccountsState } from "../users/account.ts";
import { createSeal, openedOrNull } from "./seal.ts";

/** Seals these accounts' secrets of the key `former` again with `next`; also returns their number. */
export function resealed(
  state: AccountsState,
  { former, next }: { readonly former: Uint8Array; readonly next: Uint8Array },
): { readonly state: AccountsState; readonly count: number } {
  const from = createSeal([former]);
  const to = createSeal([next]);
  let count = 0;
  const accounts = state.accounts.map((account) => {
    const { id, two_factor } = account;
    if (two_factor === null || !from.hasKey(two_factor.sealed_secret)) return account;
    // A secret that was altered opens with no key: it stays as it is.
    const secret = openedOrNull(from, two_factor.sealed_secret, id);
    if (secret === null) return account;
    count += 1;
    const sealed_secret = to.seal(secret, id);
    return { ...account, two_factor: { ...two_factor, sealed_secret } };
  });
  return { state: count === 0 ? state : { ...state, accounts }, count };
}
