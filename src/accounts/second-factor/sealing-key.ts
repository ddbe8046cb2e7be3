import { finding, line, repairIn } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import type { Account, AccountsState } from "../users/account.ts";
import type { Seal } from "./seal.ts";

/** The trouble with the second factors' key that a person should know of; null: none. Each secret names its key. */
export function createSealingKeyTrouble({
  users,
  seal,
  unusable,
  path,
}: {
  users: () => AccountsState;
  seal: Pick<Seal, "keyIdOf" | "hasKey">;
  /** The reason why the present key cannot be used; null: it can. */
  unusable: string | null;
  /** The path at which root puts the key. */
  path: string;
}): () => Finding | null {
  // The ids of missing keys; empty if a damaged secret hides its key.
  let seen: { accounts: readonly Account[]; missing: readonly string[] } | null = null;
  // Computed at each look at the health; the list of accounts is a new object whenever an account has changed.
  const missing = (): readonly string[] => {
    const { accounts } = users();
    if (seen?.accounts !== accounts) {
      const sealed = accounts.flatMap(({ two_factor }) => (two_factor ? [two_factor.sealed_secret] : []));
      const unopened = sealed.filter((one) => !seal.hasKey(one));
      seen = { accounts, missing: unopened.map(seal.keyIdOf) };
    }
    return seen.missing;
  };
  return () => {
    const keys = missing();
    if (unusable !== null) return unusableKey(unusable, keys.length, path);
    return keys.length === 0 ? null : missingKey(keys, path);
  };
}

/** `why` names the file, and the line that mends it if there is one. `users`: the number of users concerned. */
export function unusableKey(why: string, users: number, path: string): Finding {
  const repair = repairIn(why);
  // The agent reads its keys at its start.
  const typed = repair === undefined ? null : line(`${repair}; systemctl restart steward.service`);
  return finding("sealing_key_unusable", { users, path }, why, typed);
}

/** `keys`: the id of the key of each secret that cannot be opened; empty if a damaged secret hides it. */
export function missingKey(keys: readonly string[], path: string): Finding {
  const distinct = [...new Set(keys)];
  const hidden = distinct.includes("") ? "The id of one is hidden by a damaged secret. " : "";
  return finding(
    "sealing_key_missing",
    { users: keys.length, path, keys: distinct.filter(Boolean) },
    `${hidden}The key belongs to root (chown root:steward, chmod 0640), or is systemd's credential steward.key. ` +
      "Without it, for each of them: `steward user rescue NAME`.",
  );
}
