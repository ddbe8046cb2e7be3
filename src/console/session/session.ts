import type { Role, Session, User } from "../../contract/types.ts";
import { wantedLanguage } from "../catalogue/words.ts";
import { setAuthority } from "../client/authority.ts";
import { forgetAll, watchChanges } from "../client/cache.ts";
import { call } from "../client/call.ts";
import { connected, greet, greeting, lost } from "../client/connection.ts";
import { Cancelled, codeOf, type ProblemError, Unreachable } from "../client/problem.ts";
import { pageOf } from "../navigation/paths.ts";
import { createStore } from "../store.ts";
import { goOn, used, watchUse } from "./activity.ts";
import {
  bindingHeaders,
  dropBinding,
  earlyRefresh,
  inTurn,
  keepBinding,
  readBinding,
} from "./early-refresh.ts";
import { askForPassword, passwordQuestion } from "./step-up.ts";

/**
 * - `opening`: it is being found out.
 * - `setup`: the first administrator is still to be made.
 * - `interrupted`: the session ended in mid-work; what was typed is still there.
 */
export const phase = createStore<"opening" | "setup" | "signed-out" | "signed-in" | "interrupted">("opening");

/** The session of this page; it stays while it is interrupted. */
export const session = createStore<Session | null>(null);

/** The code of what the user has to do before anything else; null: nothing. */
export const restriction = createStore<string | null>(null);

/** The reason that the session ended, if its user should know it; null: nothing to say. */
export const endedBy = createStore<unknown>(null);

/** The user who was signed in last; null: none yet. */
let lastUserId: string | null = null;

/** Counts the times that the session was ended on purpose: a renewal that was under way then has no effect. */
let endings = 0;

let waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

/** The user who is signed in. Only for pages behind the sign-in. */
export function me(): User {
  const user = session.read()?.user;
  if (user === undefined) throw new Error("no user is signed in");
  return user;
}

export function isOneOf(...roles: readonly Role[]): boolean {
  return roles.includes(me().role);
}

/** Recovery codes below which new ones are due; the agent's own limit. */
export const fewCodes = 3;

/** The roles that a page is for; every other page is for all. The agent refuses the rest to others as well. */
const rolesOf: Readonly<Record<string, readonly Role[]>> = {
  "/users": ["admin"],
  "/users/*": ["admin"],
  "/setup": ["admin"],
  "/system/events": ["admin", "operator"],
};

export function isShown(path: string): boolean {
  const roles = rolesOf[pageOf(path)];
  return roles === undefined || isOneOf(...roles);
}

/** Finds out if there is an administrator, and if a session is left from before. */
export async function openSession(): Promise<void> {
  setAuthority({
    token: () => session.read()?.access_token ?? null,
    renew,
    stepUp: askForPassword,
    restricted: (code) => restriction.set(code),
    // The page offers only what the role allows: the role has changed since the page read it.
    forbidden: () => void call("getMe").then(userChanged, () => undefined),
  });
  watchUse();
  watchChanges();
  channel.addEventListener("message", ({ data: message }: MessageEvent<TabMessage>) => {
    if (message.kind === "ended") ended();
    else if (message.kind === "user") userIs(message.user);
    else void signedInElsewhere(message.userId);
  });
  if (wantedLanguage(null) === null) await greeted();
  if (readBinding() !== null && (await inTurn(refresh).catch(() => false))) return;
  // Users who are signed in have the status, which says the same.
  await greeted();
  phase.set(greeting.read()?.setup_required ? "setup" : "signed-out");
}

async function greeted(): Promise<void> {
  if (greeting.read() === null && !(await greet())) await lost();
}

/** Another tab has a new session; this one gets its own tokens of it. */
async function signedInElsewhere(userId: string): Promise<void> {
  // A document that has not been this user's has none of their secret; the next one gets it.
  if (lastUserId !== userId) location.reload();
  else if (phase.read() !== "signed-in") await inTurn(refresh).catch(() => false);
}

/** A user has signed in here, or is found to be. */
export function signedIn(next: Session): void {
  if (next.refresh_binding) {
    keepBinding(next);
    tellOtherTabs({ kind: "signed-in", userId: next.user.id });
  }
  // The actions of another user, also those still under way, must not go on under this name.
  if (lastUserId !== null && lastUserId !== next.user.id) {
    location.reload();
    return;
  }
  lastUserId = next.user.id;
  endedBy.set(null);
  session.set(next);
  restriction.set(restrictionOf(next.user));
  phase.set("signed-in");
  goOn();
  const resumed = waiting;
  waiting = [];
  for (const { resolve } of resumed) resolve();
}

export function userChanged(user: User): void {
  userIs(user);
  tellOtherTabs({ kind: "user", user });
}

function userIs(user: User): void {
  const present = session.read();
  if (present === null || present.user.id !== user.id) return;
  session.set({ ...present, user });
  restriction.set(restrictionOf(user));
}

/** Only a refusal shows the policy of two-factor sign-in, so it is kept until there is a factor. */
function restrictionOf(user: User): string | null {
  if (user.must_change_password) return "password_change_required";
  const before = restriction.read();
  return before === "two_factor_enrolment_required" && !user.two_factor.enabled ? before : null;
}

/** Ends the session in every tab of this browser. */
export async function signOut(): Promise<void> {
  const way = { headers: bindingHeaders() };
  const error: unknown = await call("logout", { body: {} }, way).catch((problem: unknown) => problem);
  tellOtherTabs({ kind: "ended" });
  ended();
  if (!(error instanceof Unreachable)) return;
  // The agent hears of it when it is back, unless a user has signed in by then.
  await connected();
  if (session.read() === null) await call("logout", { body: {} }, way).catch(() => undefined);
}

/** Forgets the session, which was ended on purpose here or in another tab. */
export function ended(): void {
  endings += 1;
  forgetAll();
  passwordQuestion.read()?.cancel();
  dropBinding();
  const abandoned = waiting;
  waiting = [];
  for (const { reject } of abandoned) reject(new Cancelled());
  session.set(null);
  restriction.set(null);
  // A page that is still opening finds out when it refreshes.
  if (phase.read() !== "opening") phase.set("signed-out");
}

async function renew(spent: string | null): Promise<void> {
  const isSpent = () => (session.read()?.access_token ?? null) === spent;
  if (!isSpent()) return;
  if (phase.read() === "signed-in") {
    await used();
    // It may have been done while this waited for its turn.
    const isRenewed = await inTurn(async () => !isSpent() || (await refresh()));
    if (isRenewed) return;
  }
  await untilSignedInAgain();
}

/** A session is asked for again so often, where the device answers in between. */
const mostAttempts = 3;

/** False: the session is over. One tab at a time, since the refresh token is good once. An absent agent is asked again. */
async function refresh(): Promise<boolean> {
  const before = endings;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const options = { headers: bindingHeaders(), early: earlyRefresh() };
      const next = await call("refresh", { body: {} }, options);
      if (before !== endings) return false;
      signedIn(next);
      return true;
    } catch (error) {
      if (["invalid_token", "authentication_required"].includes(codeOf(error) ?? "")) {
        // Another program has set, copied or used the cookie: the person should know.
        if (["binding", "revoked"].includes((error as ProblemError).problem.reason ?? "")) endedBy.set(error);
        return false;
      }
      if (!(error instanceof Unreachable) || attempt === mostAttempts) throw error;
      await connected();
    }
  }
}

function untilSignedInAgain(): Promise<void> {
  if (session.read() === null) {
    phase.set("signed-out");
    return Promise.reject(new Cancelled());
  }
  phase.set("interrupted");
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
  });
}

/** A message between the tabs of one browser and origin. */
type TabMessage =
  /** A user has signed in. No token is in it: pages of other programs on this port would hear it. */
  | { readonly kind: "signed-in"; readonly userId: string }
  | { readonly kind: "user"; readonly user: User }
  | { readonly kind: "ended" };

const channel = new BroadcastChannel("steward");

function tellOtherTabs(message: TabMessage): void {
  channel.postMessage(message);
}
