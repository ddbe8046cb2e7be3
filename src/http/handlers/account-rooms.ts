import type { Enrolment } from "../../accounts/second-factor/enrolment.ts";
import type { RequiredAction } from "../../accounts/sessions/required-action.ts";
import type { Sessions } from "../../accounts/sessions/sessions.ts";
import type { OwnAccount } from "../../accounts/sign-in/own-account.ts";
import type { Recovery } from "../../accounts/sign-in/recovery.ts";
import type { RescueToken } from "../../accounts/sign-in/rescue-token.ts";
import type { SetupToken } from "../../accounts/sign-in/setup-token.ts";
import type { SignIn } from "../../accounts/sign-in/sign-in.ts";
import type { Throttle } from "../../accounts/throttle/throttle.ts";
import type { TimedTable } from "../../accounts/timed-table.ts";
import type { ApiTokens } from "../../accounts/tokens/api-tokens.ts";
import type { Account } from "../../accounts/users/account.ts";
import type { Accounts } from "../../accounts/users/accounts.ts";
import type { User } from "../../contract/types.ts";

/** The parts of the accounts' room that the handlers of accounts, sign-in, sessions and tokens share. */
export interface AccountRooms {
  readonly accounts: Accounts;
  readonly apiTokens: ApiTokens;
  readonly enrolment: Enrolment;
  /** Removes the rest of a deleted user: tokens, used codes. */
  readonly forget: (user: User) => Promise<void>;
  readonly ownAccount: OwnAccount;
  readonly recovery: Recovery;
  /** The action that this user must take first. */
  readonly requiredAction: (account: Account) => RequiredAction;
  readonly rescueToken: RescueToken;
  readonly sessions: Sessions;
  /** The users who were made, or let in, with a setup token within the half-hour. */
  readonly setUpNow: TimedTable<true>;
  readonly setupToken: SetupToken;
  readonly signIn: SignIn;
  readonly throttle: Throttle;
}
