import { StewardError } from "../../contract/errors.ts";
import type { RequestContext } from "../request-context.ts";
import type { FullProof, SecondFactor } from "../second-factor/second-factor.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { type StepUps, stepUpSeconds } from "../sessions/step-up.ts";
import type { Throttle } from "../throttle/throttle.ts";
import { type TriedSecret, withThrottle } from "../throttle/with-throttle.ts";
import type { Person } from "../tokens/bearer.ts";
import type { Account } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";
import type { Passwords } from "../users/passwords.ts";
import { refuseOfProvider } from "../users/provider-account.ts";

interface OwnAccountOptions {
  accounts: Accounts;
  passwords: Passwords;
  sessions: Sessions;
  throttle: Throttle;
  secondFactor: SecondFactor;
  stepUps: StepUps;
}

export type OwnAccount = ReturnType<typeof createOwnAccount>;

export function createOwnAccount(options: OwnAccountOptions) {
  const { accounts, sessions, throttle, stepUps } = options;
  /** Checks password and second factor. Throws `password_wrong`, a code's errors, `too_many_attempts`, `hashing_busy`. */
  const prove = (person: Person, proof: FullProof, context: RequestContext) =>
    withThrottle(throttle, triedBy(person), context, async (resolved) => {
      const present = await withPassword(options, person.account, proof.password, resolved);
      if (!present.two_factor) return;
      await options.secondFactor.prove(present, present.two_factor, proof, resolved);
    });
  return {
    prove,
    /** Ends the user's other sessions. Throws `password_wrong` and the errors of the rules for new passwords. */
    changePassword: async (
      person: Person,
      current: string,
      next: string,
      context: RequestContext,
    ): Promise<void> => {
      const { account, session } = person;
      const { clientKey } = await withThrottle(throttle, triedBy(person), context, async (resolved) => {
        await withPassword(options, account, current, resolved);
        return resolved;
      });
      await accounts.setPassword(account.id, next, clientKey, { maker: "owner" });
      await sessions.endAll(account.id, session.id);
    },
    /** Steps the session up, and returns the seconds that this lasts. Throws the errors of `prove`. */
    reauthenticate: async (person: Person, proof: FullProof, context: RequestContext): Promise<number> => {
      await prove(person, proof, context);
      stepUps.grant(person.session.id);
      return stepUpSeconds;
    },
  };
}

/** Counts in a row of the session's own: failures of others must not take the step-up from a signed-in user. */
function triedBy({ account, session }: Person): TriedSecret {
  return { name: account.username, exists: true, session: session.id };
}

/** Reads the account again after its password was found right. */
async function withPassword(
  { accounts, passwords }: OwnAccountOptions,
  { id }: Account,
  password: string,
  { clientKey }: RequestContext,
): Promise<Account> {
  const present = accounts.find(id);
  if (present) refuseOfProvider(present);
  const tried = present?.password_hash ?? null;
  const isRight = await passwords.verify(tried, password, clientKey);
  const account = accounts.find(id);
  if (isRight && account?.password_hash === tried) return account;
  throw new StewardError("password_wrong", "The current password is wrong. Nothing was changed.");
}
