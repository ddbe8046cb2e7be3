import { openedOrNull, type Seal } from "../../accounts/second-factor/seal.ts";
import { openOnDevice, secretProblem } from "../../accounts/second-factor/transport.ts";
import type { Account, AccountsState } from "../../accounts/users/account.ts";
import type { Fault } from "../../contract/errors.ts";
import type { Configuration } from "../../contract/types.ts";

/**
 * The faults of a file's second factors, and the secrets, sealed for the state, by the name of their user. `userIds`:
 * those of new users. A user who already has the same secret keeps the sealed text, and with it the recovery codes.
 */
export async function judgeFactors(
  { users = [] }: Configuration,
  { accounts }: AccountsState,
  userIds: Readonly<Record<string, string>>,
  seal: Seal,
) {
  const secrets: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const [index, { name, second_factor }] of users.entries()) {
    if (second_factor === undefined) continue;
    const account = accounts.find(({ username }) => username === name);
    const secret = await openOnDevice(seal, second_factor.sealed, name);
    const problem = secret === null ? closed : secretProblem(secret);
    if (problem !== null || secret === null) {
      const pointer = `/users/${index}/second_factor/sealed`;
      const detail = problem ?? closed;
      const code = secret === null ? "not_openable" : "not_usable";
      faults.push({ pointer, code, detail, as: "validation_failed", sentence: `${pointer} ${detail}` });
    } else
      secrets[name] =
        keptText(account, secret, seal) ?? seal.seal(secret, account?.id ?? userIds[name] ?? "");
  }
  return { secrets, faults };
}

const closed =
  "cannot be opened here: it was sealed for another device or another user, or altered; seal it with `steward seal` to what `steward seal-key` prints on this device";

/** Null: there is none of this secret, or its key is gone or the text damaged: the file's secret replaces it. */
function keptText(account: Account | undefined, secret: string, seal: Seal): string | null {
  const text = account?.two_factor?.sealed_secret;
  return text !== undefined && openedOrNull(seal, text, account?.id ?? "") === secret ? text : null;
}
