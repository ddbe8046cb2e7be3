import type { StoredSession } from "../../accounts/sessions/session.ts";
import type { Sessions } from "../../accounts/sessions/sessions.ts";
import type { Accounts } from "../../accounts/users/accounts.ts";
import { StewardError } from "../../contract/errors.ts";
import type { SessionList } from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";
import { pageOf } from "../../store/documents/pages.ts";
import { requireStepUp } from "../authorise.ts";
import { type Actor, type Handlers, roleOf } from "../call.ts";

interface SessionHandlersOptions {
  accounts: Accounts;
  sessions: Sessions;
  now: () => Date;
  uptime: Uptime;
}

/** Lists and ends sessions: users their own, administrators also those of others. */
export function createSessionHandlers(options: SessionHandlersOptions) {
  const { accounts, sessions } = options;
  return {
    listSessions: ({ query, actor }): SessionList => {
      const { id } = accounts.get(whose(actor, query?.user_id));
      const page = pageOf(sessions.list(id), {
        list: "sessions",
        keyOf: (session) => [session.rotated_uptime, session.id],
        isDescending: true,
        limit: query?.limit ?? 200,
        cursor: query?.cursor,
      });
      return { ...page, items: page.items.map((session) => describe(options, session, actor)) };
    },
    endSession: async ({ params, query, actor, note }) => {
      const { id, username } = accounts.get(whose(actor, query?.user_id));
      if (actor.kind !== "user" || actor.account.id !== id) requireStepUp(actor);
      note({ subject: { id, name: username }, details: { session: params.sid } });
      const hasEnded = await sessions.endOne(id, params.sid);
      if (!hasEnded) throw new StewardError("not_found", "The user has no session with this id.");
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

/** The user of the sessions. Throws `forbidden` for another user's without the right, `validation_failed` for none. */
function whose(actor: Actor, userId: string | undefined): string {
  const own = actor.kind === "user" ? actor.account.id : undefined;
  if (userId !== undefined && userId !== own && roleOf(actor) !== "admin") {
    throw new StewardError("forbidden", "Only administrators may see or end the sessions of other users.");
  }
  const id = userId ?? own;
  if (id !== undefined) return id;
  throw new StewardError(
    "validation_failed",
    "No user is signed in on the local socket: name one with user_id.",
  );
}

/** Deadlines are monotonic; as times of day they are as right as the clock is now. */
function describe({ now, uptime }: SessionHandlersOptions, session: StoredSession, actor: Actor): Listed {
  const present = now().getTime();
  const at = (moment: number) => new Date(present + (moment - uptime()) * 1_000).toISOString();
  return {
    id: session.id,
    user_id: session.user_id,
    is_current: actor.kind === "user" && actor.session.id === session.id,
    address: session.address,
    user_agent: session.user_agent,
    created_at: at(session.created_uptime),
    last_used_at: at(session.rotated_uptime),
    expires_at: at(session.absolute_deadline),
    idle_expires_at: at(Math.min(session.idle_deadline, session.absolute_deadline)),
  };
}

type Listed = SessionList["items"][number];
