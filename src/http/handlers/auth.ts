import { codeFaults } from "../../accounts/second-factor/code-texts.ts";
import type { RefreshProof } from "../../accounts/sessions/refresh-exchange.ts";
import type { StoredSession } from "../../accounts/sessions/session.ts";
import type { SignedIn, SignIn } from "../../accounts/sign-in/sign-in.ts";
import type { Account } from "../../accounts/users/account.ts";
import type { Accounts } from "../../accounts/users/accounts.ts";
import { refuseFaults, StewardError } from "../../contract/errors.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { Session } from "../../contract/types.ts";
import type { EventDetails, EventSubject } from "../../journal/events/event.ts";
import { type Actor, type Call, type EventNote, type Handlers, personOf } from "../call.ts";
import type { RefreshCookie } from "../refresh-cookie.ts";
import type { AccountRooms } from "./account-rooms.ts";

export function createAuthHandlers(options: AccountRooms) {
  const { accounts, signIn, ownAccount } = options;
  return {
    login: async ({ body, context, cookie, note }) => {
      refuseFaults(codeFaults(body));
      noteTried(accounts.findByName(asUsername(body.username)), note);
      const session = noteSignIn(await signIn.login(body, context), note);
      return body.refresh === "cookie" && cookie ? intoCookie(signIn, session, cookie) : session;
    },
    answerChallenge: async ({ body, context, cookie, note }) => {
      refuseFaults(codeFaults(body));
      noteTried(signIn.challenged(body.challenge_token), note);
      const session = noteSignIn(await signIn.answerChallenge(body.challenge_token, body, context), note);
      return body.refresh === "cookie" && cookie ? intoCookie(signIn, session, cookie) : session;
    },
    refresh: async ({ body, context, cookie, note }) => {
      const session = await withToken(body, cookie, (proof) => signIn.refresh(proof, context));
      const { id, username: name } = session.user;
      note({ actor: { kind: "user", id, name }, details: { session: session.session.id } });
      return body.refresh_token === undefined ? withoutToken(session, wanted(cookie)) : session;
    },
    logout: async ({ body, context, cookie, note }) => {
      const session = await withToken(body, cookie, (proof) => signIn.logout(proof, context));
      if (body.refresh_token === undefined) cookie?.clear();
      note(session ? endedNote(accounts, session) : { isUnchanged: true });
      return undefined;
    },
    reauthenticate: async ({ body, actor, context }) => {
      refuseFaults(codeFaults(body));
      return { expires_in: await ownAccount.reauthenticate(personOf(actor), body, context) };
    },
    getMe: ({ actor }) => accounts.get(personOf(actor).account.id),
    changePassword: async ({ body, actor, context, note }) => {
      note(roleOf(actor));
      await ownAccount.changePassword(personOf(actor), body.current_password, body.new_password, context);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

/** The role of the person with the changed password or second factor: people are notified of an administrator. */
export function roleOf(actor: Actor): EventNote {
  return { details: { role: personOf(actor).account.role } };
}

/** Names the account that a secret is tried at, for the event of its refusal; a name that no account has is not kept. */
export function noteTried(account: Account | undefined, note: Call<"login">["note"]): void {
  if (account) note({ subject: { id: account.id, name: account.username } });
}

export function noteSignIn(
  { session, method, isNewAddress }: SignedIn,
  note: Call<"login">["note"],
  details: EventDetails = isNewAddress ? { is_new_address: true, role: session.user.role } : {},
): Session {
  const { id, username } = session.user;
  const subject: EventSubject = { id, name: username };
  const facts = { method, session: session.session.id, ...details };
  note({ actor: { kind: "user", ...subject }, subject, details: facts });
  return session;
}

/** A first cookie: its binding is only in this answer, and the page keeps it. */
export function intoCookie(signIn: Pick<SignIn, "bind">, session: Session, cookie: RefreshCookie): Session {
  const refresh_binding = signIn.bind(session.session.id);
  return { ...withoutToken(session, cookie, refresh_binding), refresh_binding };
}

function withoutToken(
  { refresh_token, ...session }: Session,
  cookie: RefreshCookie,
  binding?: string,
): Session {
  if (refresh_token !== undefined) cookie.write(refresh_token, binding);
  return session;
}

/** Uses the token of the body, or of the cookie; a cookie whose token is refused is deleted. */
async function withToken<T>(
  { refresh_token }: Call<"refresh">["body"],
  cookie: RefreshCookie | undefined,
  use: (proof: RefreshProof) => Promise<T>,
): Promise<T> {
  if (refresh_token !== undefined)
    return use({ tokens: [refresh_token], isInCookie: false, binding: cookie?.binding });
  const { binding, clear, read } = wanted(cookie);
  const proof = { tokens: read(), isInCookie: true, binding };
  try {
    return await use(proof);
  } catch (error) {
    if (error instanceof StewardError && error.code === "invalid_token") clear();
    throw error;
  }
}

function wanted(cookie: RefreshCookie | undefined): RefreshCookie {
  if (cookie) return cookie;
  throw new StewardError(
    "authentication_required",
    "Send the refresh token in the body: the local socket has no cookies.",
  );
}

function endedNote(accounts: Accounts, { id, user_id }: StoredSession) {
  const name = accounts.find(user_id)?.username ?? user_id;
  const subject = { id: user_id, name };
  return { actor: { kind: "user" as const, ...subject }, subject, details: { session: id } };
}
