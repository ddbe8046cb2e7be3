import { finding, line, repairIn } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import type { Account, AccountsState } from "../../users/account.ts";
import type { Seal } from "./seal.ts";

export interface SealingKeyPlan {
  readonly users: () => AccountsState;
  readonly seal: Pick<Seal, "keyIdOf" | "hasKey">;
  /** Why a key that is there cannot be used; null: nothing is wrong with it. */
  readonly unusable: string | null;
  /** Where root puts the key. */
  readonly path: string;
}

/** Keys that are named in one sentence; a device has one, or a former one besides. */
const namedKeys = 3;

/**
 * What a person should know of the key that second factors are sealed with; null: all of them can be opened. Each secret
 * names its key, so this opens none of them.
 */
export function createSealingKeyTrouble({
  users,
  seal,
  unusable,
  path,
}: SealingKeyPlan): () => Finding | null {
  // The ids of keys; empty where a damaged secret hides it.
  let seen: { accounts: readonly Account[]; missing: readonly string[] } | null = null;
  // Asked at each look at the health; the list is another one whenever an account has changed.
  const missing = (): readonly string[] => {
    const { accounts } = users();
    if (seen?.accounts !== accounts) {
      const sealed = accounts.flatMap(({ two_factor }) => (two_factor ? [two_factor.sealed_secret] : []));
      const unopened = sealed.filter((one) => !seal.hasKey(one));
      seen = {
        accounts,
        missing: unopened.map(seal.keyIdOf),
      };
    }
    return seen.missing;
  };
  return () => {
    const keys = missing();
    if (unusable !== null) return unusableKey(unusable, keys.length, path);
    return keys.length === 0 ? null : missingKey(keys, path);
  };
}

/** `why` names the file and the line that mends it, where one does. `users`: how many it concerns. */
export function unusableKey(why: string, users: number, path: string): Finding {
  const detail = users === 0 ? why : `${why} ${concernedBy(users)}.`;
  const repair = repairIn(why);
  // The agent reads its keys at its start.
  const typed = repair === undefined ? null : line(`${repair}; systemctl restart steward.service`);
  return finding("sealing_key_unusable", { users, path }, detail, typed);
}

/** `keys`: the id of the key of each secret that cannot be opened; empty where a damaged secret hides it. */
export function missingKey(keys: readonly string[], path: string): Finding {
  const distinct = [...new Set(keys)];
  const named = distinct
    .slice(0, namedKeys)
    .map((id) => id || "one that a damaged secret hides")
    .join(", ");
  const more = distinct.length > namedKeys ? " and others" : "";
  return finding(
    "sealing_key_missing",
    { users: keys.length, path, keys: distinct.filter(Boolean) },
    `The key that two-factor secrets were sealed with (${named}${more}) is not on this device. ${concernedBy(keys.length)}. ` +
      `Put the key back as ${path} (chown root:steward, chmod 0640) or as systemd's credential steward.key, and restart ` +
      "the agent; without it, for each of them: `steward user rescue NAME`.",
  );
}

function concernedBy(count: number): string {
  const who = count === 1 ? "1 user is" : `${count} users are`;
  return `${who} concerned: codes cannot be checked, recovery codes work`;
}
