import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { eventLines } from "../home/event-words.ts";
import { Link } from "../navigation/link.tsx";
import { navigate, place } from "../navigation/navigation.ts";
import { decoded } from "../navigation/paths.ts";
import { me } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Menu } from "../ui/menu.tsx";
import { Empty, Facts, Page, Pending, Section, Skeleton, type Titled } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { agentInWords } from "./access.ts";
import type { ActionName } from "./many-users.ts";
import { act } from "./many-users.ts";
import { PersonForm } from "./person-form.tsx";
import { Sessions, Tokens } from "./user-access.tsx";
import { UserAction } from "./user-action.tsx";
import { factorOf, UserStates } from "./user-states.tsx";
import { itemsOf } from "./user-table.tsx";
import { longestSearch } from "./users-query.ts";

export function PersonPage() {
  const { path } = useStore(place);
  const username = decoded(path.replace("/users/", ""));
  return <Named key={username} username={username} />;
}

function Named({ username }: { readonly username: string }) {
  const found = useResource("listUsers", { query: { q: username.slice(0, longestSearch), limit: 200 } });
  const id = found.value?.items.find((user) => user.username === username.toLowerCase())?.id;
  if (id !== undefined) return <Person id={id} username={username} />;
  return (
    <PersonFrame title={visible(username)}>
      <ReadProblem of={[found]} />
      {found.error === null && (found.value === null ? <Skeleton lines={12} /> : <p>{t.users.unknown}</p>)}
    </PersonFrame>
  );
}

/** With the way back to all users above the name. */
function PersonFrame(props: Titled) {
  const head = (
    <div>
      <Link to="/users">{t.frame.users}</Link>
      <h1 tabIndex={-1}>{props.title}</h1>
    </div>
  );
  return <Page {...props} head={head} />;
}

function Person({ id, username }: { readonly id: string; readonly username: string }) {
  const user = useResource("getUser", { params: { id } });
  const [acting, setActing] = useState<ActionName | null>(null);
  const { value, error } = user;
  const isGone = codeOf(error) === "not_found";
  const isKnown = value !== null && !isGone;
  return (
    <PersonFrame
      title={value?.username ?? username}
      action={isKnown && <Actions user={value} onAct={setActing} onDone={user.reload} />}
    >
      {isGone ? <p>{t.users.unknown}</p> : <ReadProblem of={[user]} />}
      {!isKnown && error === null && <Skeleton lines={12} />}
      {isKnown && (
        <div class="person">
          <div>
            <About user={value} />
            <PersonForm id={id} onDone={user.reload} />
          </div>
          <div>
            <Week user={value} />
            {/* One's own are on the page of one's account. */}
            {id === me().id ? (
              <p>
                <Link to="/account">{t.users.own}</Link>
              </p>
            ) : (
              <>
                <Sessions userId={id} />
                <Tokens userId={id} />
              </>
            )}
          </div>
        </div>
      )}
      {isKnown && acting !== null && (
        <UserAction
          action={acting}
          user={value}
          onDone={acting === "delete" ? () => navigate("/users") : user.reload}
          onClose={() => setActing(null)}
        />
      )}
    </PersonFrame>
  );
}

/** The frequent actions as buttons. To disable needs no question, since the same button enables again. */
function Actions({
  user,
  onAct,
  onDone,
}: {
  readonly user: User;
  readonly onAct: (action: ActionName) => void;
  readonly onDone: () => Promise<void>;
}) {
  const isMe = user.id === me().id;
  const action = user.enabled ? "disable" : "enable";
  const turning = useAction(async () => {
    await act(action, user.id);
    toast(t.users.did(t.users.actions[action].verb, user.username));
    await onDone();
  });
  return (
    <>
      {!isMe && user.origin === "local" && (
        <Button onClick={() => onAct("resetPassword")}>{t.users.actions.resetPassword.verb}</Button>
      )}
      <Button
        kind={user.enabled ? "danger" : "primary"}
        isBusy={turning.isBusy}
        onClick={() => (isMe ? onAct(action) : void turning.run())}
      >
        {t.users.actions[action].verb}
      </Button>
      <Menu
        label={t.users.actionsOf(user.username)}
        items={itemsOf(user, onAct, ["resetPassword", action])}
      />
      <ProblemView error={turning.error} />
    </>
  );
}

function About({ user }: { readonly user: User }) {
  const sessions = useResource("listSessions", { query: { user_id: user.id } });
  const [newest] = [...(sessions.value?.items ?? [])].sort((one, other) =>
    other.last_used_at.localeCompare(one.last_used_at),
  );
  return (
    <Facts
      items={[
        [t.person.state, <UserStates key="state" user={user} />],
        [t.person.role, t.person.roles[user.role]],
        [t.ui.twoFactor, factorOf(user)],
        [t.person.lastSignIn, <Time key="last" at={user.last_login_at} />],
        [
          t.users.lastSeen,
          newest === undefined ? (
            t.lists.kinds.anonymous
          ) : (
            <span key="seen">
              <Time at={newest.last_used_at} /> · {agentInWords(newest.user_agent)} ·{" "}
              <bdi>{newest.address}</bdi>
            </span>
          ),
        ],
        [t.users.created, <Time key="created" at={user.created_at} />],
      ]}
    />
  );
}

/** Events that are asked for; a few may be what other users did to this one. */
const asked = 50;

/** Sentences that are shown; the page of events has the rest. */
const shown = 12;

/** The deeds of a user in the last seven days, the newest first. */
function Week({ user: { id } }: { readonly user: User }) {
  const query = { actor_kind: "user", name: id, since: "7d" } as const;
  const events = useResource("listEvents", { query: { ...query, limit: asked } });
  const own = events.value?.items.filter(({ actor }) => actor.id === id);
  const told = eventLines(own ?? []);
  const { actor_kind: who, name, since } = query;
  return (
    <Section
      title={t.users.week}
      action={
        <Link to="/system/events" query={{ who, name, since }}>
          {t.users.whatTheyDid}
        </Link>
      }
    >
      <ReadProblem of={[events]} />
      {own === undefined && <Pending of={events} lines={3} />}
      {own?.length === 0 && <Empty>{t.users.idle}</Empty>}
      <ol class="latest">
        {told.slice(0, shown).map(({ seq, time, text }) => (
          <li key={seq}>
            <Time at={time} />
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ol>
      {told.length > shown && <p class="hint">{t.users.more(told.length - shown)}</p>}
    </Section>
  );
}
