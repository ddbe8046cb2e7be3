import { useEffect, useRef, useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";
import { mayLeave, place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { Empty, Page, Skeleton } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { AddUser } from "./add-user.tsx";
import { EditUser } from "./edit-user.tsx";
import { ResetPassword } from "./reset-password.tsx";
import { useUsers } from "./use-users.ts";
import { UserAction } from "./user-action.tsx";
import { type ActionName, UserTable } from "./user-table.tsx";
import { changeQuery, longestSearch, usersQuery } from "./users-query.ts";

/** What the address names where a user is to be added. */
const adding = "new";

/** The people who may use this device. */
export function UsersPage() {
  const asked = usersQuery(useStore(place).query);
  const users = useUsers(asked);
  const admins = useResource("listUsers", { query: { role: "admin", enabled: true, limit: 2 } });
  const [chosen, setChosen] = useState<{ action: ActionName; user: User } | null>(null);
  const sheet = useSheet();
  const lastAdmin = admins.value?.total === 1 ? (admins.value.items[0]?.id ?? null) : null;
  const known = useRef<unknown>(null);
  useEffect(() => {
    // Others may have made an administrator, or taken one away.
    if (known.current !== null) void admins.reload();
    known.current = users.list;
  }, [users.list]);
  const closing = { onDone: users.reload, onClose: () => setChosen(null) };
  const closeSheet = () => changeQuery({ user: undefined });
  return (
    <Page
      title={t.frame.users}
      action={
        <Button kind="primary" onClick={() => changeQuery({ user: adding }, false)}>
          {t.users.add}
        </Button>
      }
    >
      <UserFilters />
      <ReadProblem of={[users]} />
      {users.list === null ? (
        users.error === null && <Skeleton lines={6} />
      ) : (
        <Users
          users={users}
          sort={asked.sort}
          lastAdmin={lastAdmin}
          onChoose={(action, user) => setChosen({ action, user })}
        />
      )}
      {sheet === adding && <AddUser onDone={users.reload} onClose={closeSheet} />}
      {sheet && sheet !== adding && (
        <EditUser
          key={sheet}
          id={sheet}
          isLastAdmin={sheet === lastAdmin}
          onDone={users.reload}
          onClose={closeSheet}
        />
      )}
      {chosen?.action === "resetPassword" && <ResetPassword user={chosen.user} {...closing} />}
      {chosen && chosen.action !== "resetPassword" && (
        <UserAction action={chosen.action} user={chosen.user} {...closing} />
      )}
    </Page>
  );
}

function Users({
  users: { list, isLoading, more },
  ...rest
}: { readonly users: ReturnType<typeof useUsers> } & Omit<Parameters<typeof UserTable>[0], "users">) {
  if (list === null) return null;
  const { items, total, next_cursor } = list;
  if (items.length === 0)
    return (
      <Empty>
        <p role="status">{t.users.none}</p>
        <Button onClick={() => changeQuery({ q: undefined, role: undefined, state: undefined })}>
          {t.users.clear}
        </Button>
      </Empty>
    );
  return (
    <div aria-busy={isLoading}>
      <UserTable users={items} {...rest} />
      <footer class="users-foot">
        <p role="status">{t.users.total(items.length, total)}</p>
        {next_cursor !== null && (
          <Button isBusy={isLoading} onClick={() => void more()}>
            {t.ui.more}
          </Button>
        )}
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

/** Which of the users are shown; all of it stands in the address. */
function UserFilters() {
  const { q = "", role = "", state = "" } = useStore(place).query;
  const any = { value: "", text: t.users.any };
  return (
    <search class="users-filters">
      <TextField
        type="search"
        label={t.users.search}
        value={q}
        maxLength={longestSearch}
        autocomplete="off"
        spellcheck={false}
        onInput={(value) => changeQuery({ q: value })}
      />
      <SelectField
        label={t.person.role}
        value={role}
        onChange={(value) => changeQuery({ role: value })}
        options={[any, ...optionsOf(t.person.roles)]}
      />
      <SelectField
        label={t.person.state}
        value={state}
        onChange={(value) => changeQuery({ state: value })}
        options={[any, ...optionsOf(t.users.states)]}
      />
    </search>
  );
}

function optionsOf(words: Readonly<Record<string, string>>): { value: string; text: string }[] {
  return Object.entries(words).map(([value, text]) => ({ value, text }));
}
