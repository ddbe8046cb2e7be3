import { temporaryDocument } from "../../../lab/simulated/virtual-host.ts";
import { type Account, accountsKind } from "../../../src/accounts/users/account.ts";
import { createAccounts } from "../../../src/accounts/users/accounts.ts";
import { createPasswords } from "../../../src/accounts/users/passwords.ts";

const at = "2026-11-27T12:00:00.000Z";

/** An account with a password of its own, as it is stored. */
export function accountOf(username: string, change: Partial<Account> = {}): Account {
  return {
    id: `usr_${Buffer.from(username).toString("hex").padEnd(32, "0")}`,
    ...{ username, display_name: "", role: "operator", enabled: true },
    ...{ password_hash: `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}` },
    ...{ password_state: "chosen", two_factor: null, provider: null, last_login_at: null },
    ...{ created_at: at, updated_at: at, ...change },
  };
}

/** These accounts on a disk, with what other rooms know of them. */
export async function accountsOver(
  accounts: readonly Account[],
  others: Partial<Pick<Parameters<typeof createAccounts>[0], "hasKey" | "isSignedIn">> = {},
) {
  const document = await temporaryDocument(accountsKind);
  const ownCost = { memory: 8, passes: 1, parallelism: 1 };
  const made = createAccounts({
    ...{ document, passwords: createPasswords({ isKnownClient: () => true, ownCost }), issuer: null },
    checkPassword: async () => undefined,
    ...{ lockOf: () => null, hasLocks: () => false, countTokens: () => () => 0, now: () => new Date(0) },
    ...{ hasKey: () => true, isSignedIn: () => false, ...others },
  });
  await document.update(() => ({ accounts: [...accounts] }));
  return { accounts: made, document };
}
