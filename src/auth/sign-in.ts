import type { Session } from "../contract/types.ts";
import { StewardError } from "../errors.ts";
import { type Account, toUser } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";
import type { Passwords, Source } from "../users/passwords.ts";
import { type AccessTokens, accessSeconds } from "./access-tokens.ts";
import type { StoredSession } from "./session.ts";
import type { Opened, Origin, Sessions } from "./sessions.ts";

/** Signing in with a password, and what a signed-in person does with the own password. */
export interface SignIn {
  /** Throws `invalid_credentials`, `hashing_busy`. */
  login(username: string, password: string, origin: Origin): Promise<Session>;
  /** Throws `invalid_token`. */
  refresh(refreshToken: string, origin: Origin): Promise<Session>;
  logout(refreshToken: string): Promise<void>;
  /** Other sessions of the user end. Throws `password_wrong` and what the rules say of the new one. */
  changePassword(session: StoredSession, current: string, next: string, source: Source): Promise<void>;
}

export interface SignInOptions {
  accounts: Accounts;
  passwords: Passwords;
  sessions: Sessions;
  tokens: AccessTokens;
  now: () => Date;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { accounts, passwords, sessions } = options;
  return {
    login: (username, password, origin) => login(options, username, password, origin),
    refresh: async (refreshToken, origin) => {
      const opened = await sessions.refresh(refreshToken, origin);
      const account = accounts.find(opened.session.user_id);
      if (account?.enabled) return toSession(options, opened, account);
      await sessions.endAll(opened.session.user_id);
      throw new StewardError("invalid_token", "The user may no longer sign in.", {
        details: { reason: "revoked" },
      });
    },
    logout: (refreshToken) => sessions.close(refreshToken),
    changePassword: async (session, current, next, source) => {
      const account = accounts.find(session.user_id);
      const isRight = await passwords.verify(account?.password_hash ?? null, current, source);
      if (!isRight)
        throw new StewardError("password_wrong", "The current password is not right. Nothing was changed.");
      await accounts.setPassword(session.user_id, next, source);
      await sessions.endAll(session.user_id, session.id);
    },
  };
}

async function login(
  options: SignInOptions,
  name: string,
  password: string,
  origin: Origin,
): Promise<Session> {
  const { accounts, passwords, sessions } = options;
  // A phone's keyboard writes the first letter large. ASCII alone: no other letter folds into one of ours.
  const username = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const tried = accounts.findByName(username)?.password_hash ?? null;
  const isRight = await passwords.verify(tried, password, origin.address);
  const rehashed =
    isRight && tried && passwords.isWeaker(tried)
      ? await passwords.hash(password, origin.address)
      : undefined;
  // Looked up again: while the password was being checked it may have been changed, spent or taken away.
  const account = accounts.findByName(username);
  const mayEnter = account?.enabled && account.password_hash === tried && account.password_state !== "spent";
  if (!isRight || !account || !mayEnter) throw refusal();
  const opened = sessions.open(account.id, origin);
  await accounts.signedIn(account.id, rehashed);
  return toSession(options, opened, accounts.find(account.id) ?? account);
}

/** One answer for every reason, so that nobody learns which names exist. */
function refusal(): StewardError {
  return new StewardError(
    "invalid_credentials",
    "The user name or the password is not right, or the user may not sign in. A one-use password is good for one sign-in.",
  );
}

function toSession(options: SignInOptions, { session, refreshToken }: Opened, account: Account): Session {
  const { idleSeconds, absoluteSeconds } = options.sessions.remaining(session);
  const at = (seconds: number) => new Date(options.now().getTime() + seconds * 1_000).toISOString();
  const warnings =
    account.password_state === "chosen"
      ? []
      : [
          "This one-use password is spent now. Choose your own with PUT /api/auth/password before this session ends.",
        ];
  return {
    access_token: options.tokens.issue(account.id, session.id),
    token_type: "Bearer",
    expires_in: accessSeconds,
    refresh_token: refreshToken,
    session: {
      id: session.id,
      expires_at: at(absoluteSeconds),
      idle_expires_at: at(Math.min(idleSeconds, absoluteSeconds)),
    },
    user: toUser(account),
    warnings,
  };
}
