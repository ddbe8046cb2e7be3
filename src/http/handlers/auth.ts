import type { StoredSession } from "../../auth/session.ts";
import type { SetupToken } from "../../auth/setup-token.ts";
import type { SignIn } from "../../auth/sign-in.ts";
import { StewardError } from "../../errors.ts";
import type { Accounts } from "../../users/accounts.ts";
import type { Actor, Handlers } from "../call.ts";

type AuthHandlers = Pick<
  Handlers,
  "getSetup" | "setUp" | "login" | "refresh" | "logout" | "getMe" | "changePassword"
>;

export interface AuthHandlersOptions {
  accounts: Accounts;
  signIn: SignIn;
  setupToken: SetupToken;
}

/** First administrator, sign-in and the own account. */
export function createAuthHandlers({ accounts, signIn, setupToken }: AuthHandlersOptions): AuthHandlers {
  return {
    getSetup: () => ({ setup_required: !accounts.hasAdministrator() }),
    setUp: async ({ body, source }) => {
      if (accounts.hasAdministrator()) {
        throw new StewardError(
          "setup_already_done",
          "This device has an administrator already. Sign in instead.",
        );
      }
      await setupToken.check(body.setup_token);
      const user = await accounts.createFirst(body.username, { plain: body.password, source });
      await setupToken.remove();
      return user;
    },
    login: ({ body, origin }) => signIn.login(body.username, body.password, origin),
    refresh: ({ body, origin }) => signIn.refresh(body.refresh_token, origin),
    logout: async ({ body }) => {
      await signIn.logout(body.refresh_token);
      return undefined;
    },
    getMe: ({ actor }) => accounts.get(sessionOf(actor).user_id),
    changePassword: async ({ body, actor, source }) => {
      await signIn.changePassword(sessionOf(actor), body.current_password, body.new_password, source);
      return undefined;
    },
  };
}

function sessionOf(actor: Actor): StoredSession {
  if (actor.kind === "user") return actor.session;
  throw new StewardError("authentication_required", "Sign in first.");
}
