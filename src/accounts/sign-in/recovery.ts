import { StewardError } from "../../contract/errors.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { RequestContext } from "../request-context.ts";
import type { Enrolment } from "../second-factor/enrolment.ts";
import { findRecoveryCode } from "../second-factor/recovery-codes.ts";
import type { Throttle } from "../throttle/throttle.ts";
import { withThrottle } from "../throttle/with-throttle.ts";
import type { ApiTokens, EndedTokens } from "../tokens/api-tokens.ts";
import type { Account, StoredFactor } from "../users/account.ts";
import type { Passwords } from "../users/passwords.ts";
import { respondWithSession, type SessionResponseOptions } from "./session-answer.ts";
import type { SignedIn } from "./sign-in.ts";

/** Lets a user in again who has lost the authenticator. */
export type Recovery = ReturnType<typeof createRecovery>;

interface RecoveryOptions extends SessionResponseOptions {
  passwords: Passwords;
  apiTokens: ApiTokens;
  throttle: Throttle;
  enrolment: Enrolment;
}

export function createRecovery(options: RecoveryOptions) {
  const { accounts, throttle, enrolment, sessions, apiTokens } = options;
  const accountOf = (reference: string): Account | undefined =>
    accounts.find(reference) ?? accounts.findByName(asUsername(reference));
  return {
    accountOf,
    /**
     * Removes the factor, ends sessions and API tokens, and signs in. `reference`: an id or a user name. Throws the same
     * `invalid_credentials` for every reason; also `too_many_attempts` and `hashing_busy`.
     */
    recover: (
      reference: string,
      secrets: { password: string; recovery_code: string; keep_tokens?: boolean | undefined },
      context: RequestContext,
    ): Promise<SignedIn & { ended: EndedTokens }> => {
      const named = accountOf(reference);
      const username = named?.username ?? asUsername(reference);
      const tried = { name: username, exists: named !== undefined };
      return withThrottle(throttle, tried, context, async (resolved) => {
        const { account, hash } = await proven(options, named, secrets, resolved);
        // The removal itself spends the code: of two at once one finds it gone, and a full disk takes neither from
        // its owner.
        const check = (factor: StoredFactor | null): void => {
          if (!factor?.recovery_hashes.includes(hash)) throw refusal();
        };
        await enrolment.remove(account.id, { check });
        const ended = await apiTokens.endAll(account.id, secrets.keep_tokens);
        const opened = sessions.open(account.id, context);
        accounts.signedIn(account.id, undefined);
        const session = respondWithSession(options, opened, accounts.find(account.id) ?? account);
        return { session, method: "recovery_code", ended };
      });
    },
  };
}

async function proven(
  { accounts, passwords }: RecoveryOptions,
  named: Account | undefined,
  { password, recovery_code }: { password: string; recovery_code: string },
  { clientKey }: RequestContext,
): Promise<{ account: Account; hash: string }> {
  const tried = named?.password_hash ?? null;
  const isRight = await passwords.verify(tried, password, clientKey);
  const account = named && accounts.find(named.id);
  const mayEnter = account?.enabled && account.password_hash === tried && account.password_state !== "spent";
  const hashes = account?.two_factor?.recovery_hashes ?? [];
  const hash = hashes[findRecoveryCode(hashes, recovery_code)];
  if (!isRight || !mayEnter || hash === undefined) throw refusal();
  return { account, hash };
}

function refusal(): StewardError {
  return new StewardError(
    "invalid_credentials",
    "The user name, the password or the recovery code is wrong. Each recovery code works once; without one, ask an administrator, or use `steward user rescue` as root on the device.",
  );
}
