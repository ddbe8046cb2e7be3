import type { Attempts } from "../../auth/attempts.ts";
import { counted } from "../../auth/counted.ts";
import type { OwnAccount } from "../../auth/own-account.ts";
import type { StoredSession } from "../../auth/session.ts";
import type { SetupToken } from "../../auth/setup-token.ts";
import { asUsername, type SignedIn, type SignIn } from "../../auth/sign-in.ts";
import type { Session } from "../../contract/types.ts";
import { StewardError } from "../../errors.ts";
import type { EventSubject } from "../../journal/event.ts";
import type { Accounts } from "../../users/accounts.ts";
import { type Call, type Handlers, personOf } from "../call.ts";
import type { RefreshCookie } from "../refresh-cookie.ts";

type AuthHandlers = Pick<
  Handlers,
  | "getSetup"
  | "setUp"
  | "login"
  | "answerChallenge"
  | "refresh"
  | "logout"
  | "reauthenticate"
  | "getMe"
  | "changePassword"
>;

export interface AuthHandlersOptions {
  accounts: Accounts;
  attempts: Attempts;
  signIn: SignIn;
  ownAccount: OwnAccount;
  setupToken: SetupToken;
}

/** First administrator, sign-in and the own account. */
export function createAuthHandlers(options: AuthHandlersOptions): AuthHandlers {
  const { accounts, signIn, ownAccount } = options;
  return {
    getSetup: () => ({ setup_required: !accounts.hasAdministrator() }),
    setUp: (call) => setUp(options, call),
    login: async ({ body, origin, cookie, note }) => {
      const named = accounts.findByName(asUsername(body.username));
      if (named) note({ subject: { id: named.id, name: named.username } });
      return delivered(await signIn.login(body, origin), body.refresh, { cookie, note });
    },
    answerChallenge: async ({ body, origin, cookie, note }) =>
      delivered(await signIn.answerChallenge(body.challenge_token, body, origin), body.refresh, {
        cookie,
        note,
      }),
    refresh: async ({ body, origin, cookie }) => {
      if (body.refresh_token !== undefined) return signIn.refresh(body.refresh_token, origin);
      return refreshByCookie(signIn, wanted(cookie), origin);
    },
    logout: async ({ body, cookie, note }) => {
      const session = await signIn.logout(body.refresh_token ?? wanted(cookie).read());
      if (body.refresh_token === undefined) cookie?.clear();
      note(session ? endedNote(accounts, session) : { isUnchanged: true });
      return undefined;
    },
    reauthenticate: async ({ body, actor, origin }) => ({
      expires_in: await ownAccount.reauthenticate(personOf(actor), body, origin),
    }),
    getMe: ({ actor }) => accounts.get(personOf(actor).account.id),
    changePassword: async ({ body, actor, origin }) => {
      await ownAccount.changePassword(personOf(actor), body.current_password, body.new_password, origin);
      return undefined;
    },
  };
}

async function setUp(
  { accounts, attempts, setupToken }: AuthHandlersOptions,
  { body, origin, note }: Call<"setUp">,
) {
  if (accounts.hasAdministrator()) {
    throw new StewardError(
      "setup_already_done",
      "This device has an administrator already. Sign in instead.",
    );
  }
  await counted(attempts, null, origin, () => setupToken.check(body.setup_token));
  const user = await accounts.createFirst(body.username, { plain: body.password, source: origin.source });
  const subject = { id: user.id, name: user.username };
  note({ actor: { kind: "user", ...subject }, subject });
  await setupToken.remove();
  return user;
}

/** Puts the refresh token where it was wished for, and names who signed in. */
export function delivered(
  { session, method }: SignedIn,
  transport: "body" | "cookie" | undefined,
  { cookie, note }: Pick<Call<"login">, "cookie" | "note">,
): Session {
  const { id, username } = session.user;
  const subject: EventSubject = { id, name: username };
  note({ actor: { kind: "user", ...subject }, subject, details: { method, session: session.session.id } });
  return transport === "cookie" && cookie ? intoCookie(session, cookie) : session;
}

function intoCookie({ refresh_token, ...session }: Session, cookie: RefreshCookie): Session {
  if (refresh_token !== undefined) cookie.write(refresh_token);
  return session;
}

/** A cookie that is no good any more is taken back. */
async function refreshByCookie(
  signIn: SignIn,
  cookie: RefreshCookie,
  origin: Call<"refresh">["origin"],
): Promise<Session> {
  const token = cookie.read();
  try {
    return intoCookie(await signIn.refresh(token, origin), cookie);
  } catch (error) {
    if (error instanceof StewardError && error.code === "invalid_token") cookie.clear();
    throw error;
  }
}

function wanted(cookie: RefreshCookie | undefined): RefreshCookie {
  if (cookie) return cookie;
  throw new StewardError(
    "authentication_required",
    "Send the refresh token in the body: here there are no cookies.",
  );
}

function endedNote(accounts: Accounts, { id, user_id }: StoredSession) {
  const name = accounts.find(user_id)?.username ?? user_id;
  const subject = { id: user_id, name };
  return { actor: { kind: "user" as const, ...subject }, subject, details: { session: id } };
}
