import type { ComponentChildren } from "preact";
import type { User, UserQuery } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { useRowsInView } from "../lists/use-rows-in-view.ts";
import { Link } from "../navigation/link.tsx";
import { navigate } from "../navigation/navigation.ts";
import { personPath } from "../navigation/paths.ts";
import { me } from "../session/session.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Shape } from "../ui/shape.tsx";
import { type Column, openByClick } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { ActionName } from "./many-users.ts";
import { byId, type Chosen } from "./many-users-bar.tsx";
import { factorOf, UserStates } from "./user-states.tsx";
import { changeQuery } from "./users-query.ts";

interface UserTableProps {
  readonly users: readonly User[];
  /** The number of users, read or not. */
  readonly total: number;
  readonly sort: UserQuery["sort"];
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
  readonly onAct: (action: ActionName, user: User) => void;
  /** Called when the last user who has been read comes into sight. */
  readonly onEndNear: () => void;
}

interface UserColumn extends Column<User> {
  /** True: the rows can be sorted by it. */
  readonly isSortable?: boolean;
  /** Shown in the head instead of the title. */
  readonly head?: ComponentChildren;
}

/** The users as rows, of which only those in the window are drawn; on a phone each row is two lines. */
export function UserTable(props: UserTableProps) {
  const { users, total, sort = "username", chosen, onEndNear } = props;
  const ids = users.map(({ id }) => id);
  const { root, pieces, onFocusIn, onFocusOut } = useRowsInView(ids, onEndNear);
  const columns = columnsOf(props);
  return (
    <div class="table-place long-place users-place">
      <table class="table long users" aria-rowcount={total + 1}>
        <caption class="unseen">{t.frame.users}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.key} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody ref={root} onFocusIn={onFocusIn} onFocusOut={onFocusOut}>
          {pieces.map((piece) => {
            if ("height" in piece) {
              const style = { height: `${piece.height}px` };
              // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without a cell takes no focus
              return <tr key={`gap ${piece.gapBefore}`} class="gap" aria-hidden="true" style={style} />;
            }
            const user = users[piece.index] as User;
            const { id } = user;
            const look = chosen.has(id) ? "chosen" : undefined;
            return (
              <tr key={id} data-key={id} aria-rowindex={piece.index + 2} class={look} onClick={openByClick}>
                {columns.map((column) => (
                  <td key={column.key} class={classOf(column)}>
                    {column.cell(user)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="on-paper">{t.lists.onPaper}</p>
    </div>
  );
}

function Head({ column, sort }: { readonly column: UserColumn; readonly sort: string }) {
  const { key, title, isSortable, head } = column;
  const isDescending = sort === `-${key}`;
  const direction = isDescending ? "descending" : sort === key ? "ascending" : undefined;
  return (
    <th scope="col" class={classOf(column)} aria-sort={direction}>
      {isSortable ? (
        <button type="button" onClick={() => changeQuery({ sort: sort === key ? `-${key}` : key })}>
          {title}
          <Shape name={isDescending ? "down" : "up"} />
        </button>
      ) : (
        (head ?? title)
      )}
    </th>
  );
}

function classOf({ key, opens }: UserColumn): string {
  return `of-${key}${opens ? " opens" : ""}`;
}

function columnsOf({ users, chosen, onChoose, onAct }: UserTableProps): readonly UserColumn[] {
  const isAll = users.length > 0 && users.every(({ id }) => chosen.has(id));
  const choose = (user: User): void => {
    const next = new Map(chosen);
    if (!next.delete(user.id)) next.set(user.id, user);
    onChoose(next);
  };
  return [
    {
      key: "chosen",
      title: t.users.choose,
      head: (
        <Check
          label={t.users.chooseShown}
          isOn={isAll}
          onChange={() => onChoose(isAll ? new Map() : byId(users))}
        />
      ),
      cell: (user) => (
        <Check
          label={t.users.chooseOne(user.username)}
          isOn={chosen.has(user.id)}
          onChange={() => choose(user)}
        />
      ),
    },
    {
      key: "username",
      title: t.ui.name,
      isSortable: true,
      opens: true,
      cell: (user) => <Name user={user} />,
    },
    { key: "role", title: t.person.role, cell: ({ role }) => t.person.roles[role] },
    { key: "factor", title: t.ui.twoFactor, cell: (user) => <Factor user={user} /> },
    { key: "state", title: t.person.state, cell: (user) => <UserStates user={user} /> },
    {
      key: "last_login_at",
      title: t.person.lastSignIn,
      isSortable: true,
      cell: ({ last_login_at }) => <LastSignIn at={last_login_at} />,
    },
    {
      key: "actions",
      title: t.users.actionsHead,
      head: <span class="unseen">{t.users.actionsHead}</span>,
      cell: (user) => (
        <Menu
          label={t.users.actionsOf(user.username)}
          items={itemsOf(user, (action) => onAct(action, user))}
        />
      ),
    },
  ];
}

/** Its label is as large as a finger. */
function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: () => void;
}) {
  return (
    <label class="row-check">
      <input type="checkbox" checked={isOn} aria-label={label} onChange={onChange} />
    </label>
  );
}

/** Without the head of its column, which a phone does not show, it takes more words. */
function Factor({ user }: { readonly user: User }) {
  const { enabled } = user.two_factor;
  return (
    <>
      <span class="with-heads">{factorOf(user)}</span>
      {!enabled && (
        <span class="without-heads">
          {t.ui.twoFactor}: {factorOf(user)}
        </span>
      )}
    </>
  );
}

function LastSignIn({ at }: { readonly at: string | null }) {
  if (at !== null) return <Time at={at} />;
  return (
    <>
      <span class="with-heads">{t.time.never}</span>
      <span class="without-heads">{t.users.neverSignedIn}</span>
    </>
  );
}

/** The display name is the user's own text, in either direction of writing. */
function Name({ user: { id, username, display_name } }: { readonly user: User }) {
  return (
    <span class="users-name">
      <Link to={personPath(username)}>{username}</Link>
      {id === me().id && <span class="users-you">{t.users.you}</span>}
      {display_name !== "" && <bdi class="hint">{display_name}</bdi>}
    </span>
  );
}

/** The actions on a user, in the row and on their page, which has some as buttons. */
export function itemsOf(
  user: User,
  choose: (action: ActionName) => void,
  buttons: readonly ActionName[] = [],
): MenuItem[] {
  const item = (action: ActionName, why: string | null = null, isDangerous = false): MenuItem[] =>
    buttons.includes(action)
      ? []
      : [{ text: `${t.users.actions[action].verb} …`, why, isDangerous, onChoose: () => choose(action) }];
  const own = [{ text: t.users.own, onChoose: () => void navigate("/account") }];
  // The provider has both.
  const factors =
    user.origin !== "local"
      ? []
      : [
          ...item("resetTwoFactor", user.two_factor.enabled ? null : t.users.noFactor),
          ...item("resetPassword"),
        ];
  return [
    ...(user.locked === null ? [] : item("unlock")),
    ...(user.id === me().id ? own : [...factors, ...item("endSessions")]),
    ...(user.enabled ? item("disable", null, true) : item("enable")),
    ...item("delete", null, true),
  ];
}
