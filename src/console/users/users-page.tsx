import { useEffect, useState } from "preact/hooks";
import type { User, UserQuery } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { ExportButton } from "../lists/export-button.tsx";
import { mayLeave, place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { bodyOf, Empty, Page, Skeleton } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { type Chosen, ManyUsersBar } from "./many-users-bar.tsx";
import { PersonPage } from "./person-page.tsx";
import { useUsers } from "./use-users.ts";
import { UserAction } from "./user-action.tsx";
import { UserFilters } from "./user-filters.tsx";
import { type ActionName, UserTable } from "./user-table.tsx";
import { usersAsCsv } from "./users-csv.ts";
import { changeQuery, clearFilters, usersQuery } from "./users-query.ts";
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

/** Pages about people, by path. */
export const pages = { "/users": UsersPage, "/users/*": PersonPage };
