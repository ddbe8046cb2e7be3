import { useEffect, useState } from "preact/hooks";
import { roleNames } from "../../contract/shapes.ts";
import type { User, UserList, UserQuery } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { csvOf } from "../lists/csv.ts";
import { ExportButton } from "../lists/export-button.tsx";
import { Chips, Filters } from "../lists/filters.tsx";
import { mayLeave, place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { bodyOf, Empty, Page, Skeleton } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import type { ActionName } from "./many-users.ts";
import { type Chosen, ManyUsersBar } from "./many-users-bar.tsx";
import { PersonPage } from "./person-page.tsx";
import { readAllUsers, useUsers } from "./use-users.ts";
import { UserAction } from "./user-action.tsx";
import { UserTable } from "./user-table.tsx";
import { changeQuery, clearFilters, longestSearch, usersQuery } from "./users-query.ts";
import "../styles/parts/lists.css";
import "../styles/parts/people/users.css";

/** The address has this while a user is added. */
const adding = "new";

export function UsersPage() {
  const asked = usersQuery(useStore(place).query);
  const users = useUsers(asked);
  const [acting, setActing] = useState<{ action: ActionName; user: User } | null>(null);
  const sheet = useSheet();
  useAskedUnlock(users, (user) => setActing({ action: "unlock", user }));
  const closing = { onDone: users.reload, onClose: () => setActing(null) };
  const closeSheet = () => changeQuery({ user: undefined });
  return (
    <Page
      title={t.frame.users}
      action={
        <>
          <ExportButton about="users" read={() => usersAsCsv(asked)} />
          <Button kind="primary" onClick={() => changeQuery({ user: adding }, false)}>
            {t.users.add}
          </Button>
        </>
      }
    >
      <UserFilters counts={users.list?.counts ?? null} />
      <ReadProblem of={[users]} />
      {users.list === null ? (
        users.error === null && <Skeleton lines={6} />
      ) : (
        <Users users={users} query={asked} onAct={(action, user) => setActing({ action, user })} />
      )}
      {sheet === adding && <Adding onDone={users.reload} onClose={closeSheet} />}
      {acting && <UserAction action={acting.action} user={acting.user} {...closing} />}
    </Page>
  );
}

const Adding = bodyOf("adding", 0);

/** Asks at once about the user whom the address names to be unlocked, as Home does. */
function useAskedUnlock({ list, isLoading }: ReturnType<typeof useUsers>, ask: (user: User) => void): void {
  const { unlock } = useStore(place).query;
  useEffect(() => {
    if (unlock === undefined || list === null || isLoading) return;
    const user = list.items.find(({ username }) => username === unlock);
    // Otherwise the list shows that there is nothing left to do.
    if (user?.locked) ask(user);
    changeQuery({ unlock: undefined });
  }, [unlock, list, isLoading]);
}

function Users({
  users: { list, isLoading, more, reload },
  query,
  onAct,
}: {
  readonly users: ReturnType<typeof useUsers>;
  readonly query: UserQuery;
  readonly onAct: (action: ActionName, user: User) => void;
}) {
  const [chosen, setChosen] = useState<Chosen>(new Map());
  if (list === null) return null;
  const { items, total, next_cursor } = list;
  return (
    <div aria-busy={isLoading}>
      <ManyUsersBar
        chosen={chosen}
        query={query}
        total={total}
        onChoose={setChosen}
        onDone={() => void reload()}
      />
      {items.length === 0 ? (
        <Empty>
          <p role="status">{t.users.none}</p>
          <Button onClick={clearFilters}>{t.users.clear}</Button>
        </Empty>
      ) : (
        <UserTable
          users={items}
          total={total}
          sort={query.sort}
          chosen={chosen}
          onChoose={setChosen}
          onAct={onAct}
          onEndNear={more}
        />
      )}
      <footer class="list-foot users-foot">
        {items.length > 0 && <p role="status">{t.users.total(total)}</p>}
        {next_cursor !== null && <p>{t.lists.loading}</p>}
      </footer>
    </div>
  );
}

/** The sheet that the address names; one with something unsaved stays until the person lets it go. */
function useSheet(): string | undefined {
  const { user } = useStore(place).query;
  const [shown, setShown] = useState(user);
  useEffect(() => {
    if (user === shown) return;
    void mayLeave().then((isLeft) => {
      if (isLeft) setShown(user);
      else changeQuery({ user: shown }, false);
    });
  }, [user, shown]);
  return shown;
}

export const pages = { "/users": UsersPage, "/users/*": PersonPage };

/** The same in every language, for programs that read it: the names of the API. */
const heads = [
  ...["username", "display_name", "role", "origin", "enabled", "locked_until", "must_change_password"],
  ...["two_factor", "recovery_codes", "tokens", "last_login_at", "created_at", "id"],
];

async function usersAsCsv(query: UserQuery): Promise<{ text: string; count: number }> {
  const users = await readAllUsers(query);
  return { text: csvOf(heads, users.map(cellsOf)), count: users.length };
}

function cellsOf(user: User) {
  const { username, display_name, role, origin, enabled, locked, must_change_password, two_factor } = user;
  return [
    ...[username, display_name, role, origin, enabled, locked?.until ?? null, must_change_password],
    ...[two_factor.enabled, two_factor.recovery_codes_remaining, user.tokens],
    ...[user.last_login_at, user.created_at, user.id],
  ];
}

/** Narrows the list of users; the address keeps the filters. Each chip has the number of users that it matches. */
function UserFilters({ counts }: { readonly counts: UserList["counts"] | null }) {
  const { query } = useStore(place);
  const { q = "", role = "", state = "", factor = "", seen = "" } = query;
  const chip = (value: string, text: string, count: number) => ({ value, text, count });
  return (
    <div class="users-filters apart">
      <TextField
        type="search"
        label={t.users.search}
        value={q}
        maxLength={longestSearch}
        spellcheck={false}
        onInput={(value) => changeQuery({ q: value })}
      />
      {counts && (
        <Filters inForce={[role, state, factor, seen].filter(Boolean).length}>
          <div class="chip-row line">
            <Chips
              label={t.person.role}
              value={role}
              onChange={(value) => changeQuery({ role: value })}
              options={roleNames.map((name) => chip(name, t.person.roles[name], counts[name]))}
            />
            <Chips
              label={t.person.state}
              value={state}
              onChange={(value) => changeQuery({ state: value })}
              options={[
                // As long as everybody is, it would narrow nothing.
                chip("active", t.users.states.active, counts.locked + counts.disabled && counts.active),
                chip("locked", t.users.states.locked, counts.locked),
                chip("disabled", t.users.states.disabled, counts.disabled),
                chip("former", t.users.states.formerProvider, counts.former_provider),
              ]}
            />
            <Chips
              label={t.ui.twoFactor}
              value={factor}
              onChange={(value) => changeQuery({ factor: value })}
              options={[chip("none", t.users.withoutFactor, counts.without_two_factor)]}
            />
            <Chips
              label={t.person.lastSignIn}
              value={seen}
              onChange={(value) => changeQuery({ seen: value })}
              options={[chip("never", t.users.neverSignedIn, counts.never_signed_in)]}
            />
          </div>
        </Filters>
      )}
    </div>
  );
}
