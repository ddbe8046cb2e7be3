import type { User, UserQuery } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { navigate, place } from "../navigation/navigation.ts";
import { me } from "../session/session.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { factorOf, UserStates } from "./user-states.tsx";
import { changeQuery } from "./users-query.ts";

export type ActionName = keyof typeof t.users.actions;

/** The users as rows, each with what can be done to it. */
export function UserTable({
  users,
  sort = "username",
  lastAdmin,
  onChoose,
}: {
  readonly users: readonly User[];
  readonly sort: UserQuery["sort"];
  /** The id of the only administrator who can sign in; null: there are more. */
  readonly lastAdmin: string | null;
  readonly onChoose: (action: ActionName, user: User) => void;
}) {
  const columns: readonly Column<User>[] = [
    { key: "username", title: t.users.name, isSortable: true, cell: (user) => <Name user={user} /> },
    { key: "role", title: t.person.role, cell: ({ role }) => t.person.roles[role] },
    { key: "factor", title: t.users.twoFactor, cell: factorOf },
    { key: "state", title: t.person.state, cell: (user) => <UserStates user={user} /> },
    {
      key: "last_login_at",
      title: t.person.lastSignIn,
      isSortable: true,
      cell: ({ last_login_at }) => <Time at={last_login_at} />,
    },
    {
      key: "actions",
      title: t.users.actionsHead,
      isActions: true,
      cell: (user) => (
        <Menu
          label={t.ui.actionsOf(user.username)}
          items={itemsOf(user, user.id === lastAdmin, (action) => onChoose(action, user))}
        />
      ),
    },
  ];
  return (
    <Table
      caption={t.frame.users}
      columns={columns}
      rows={users}
      rowKey={({ id }) => id}
      sorting={{ key: sort.replace("-", ""), isDescending: sort.startsWith("-") }}
      onSort={({ key, isDescending }) => changeQuery({ sort: isDescending ? `-${key}` : key })}
    />
  );
}

/** The display name is the user's own text, in either direction of writing. */
function Name({ user: { id, username, display_name } }: { readonly user: User }) {
  return (
    <span class="users-name">
      <Link to="/users" query={{ ...place.read().query, user: id }}>
        {username}
      </Link>
      {id === me().id && <span class="users-you">{t.users.you}</span>}
      {display_name !== "" && <bdi class="hint">{display_name}</bdi>}
    </span>
  );
}

function itemsOf(user: User, isLastAdmin: boolean, choose: (action: ActionName) => void): MenuItem[] {
  const item = (action: ActionName, why: string | null = null, isDangerous = false): MenuItem => ({
    text: `${t.users.actions[action].verb} …`,
    why,
    isDangerous,
    onChoose: () => choose(action),
  });
  const last = isLastAdmin ? t.users.lastAdmin : null;
  const own = [{ text: t.users.own, onChoose: () => void navigate("/account") }];
  const others = [
    item("resetTwoFactor", user.two_factor.enabled ? null : t.users.noFactor),
    item("resetPassword"),
    item("endSessions"),
  ];
  return [
    ...(user.locked === null ? [] : [item("unlock")]),
    ...(user.id === me().id ? own : others),
    user.enabled ? item("disable", last, true) : item("enable"),
    item("delete", last, true),
  ];
}
