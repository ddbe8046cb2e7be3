import { useState } from "preact/hooks";
import { roleNames } from "../../contract/shapes.ts";
import type { User, UserQuery } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { useAction } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";
import { tellHeight } from "../ui/focus.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import type { ManyAction } from "./many-users.ts";
import { ManyUsersDialog } from "./many-users-dialog.tsx";
import { readAllUsers } from "./use-users.ts";

/** The users that are chosen, by id. */
export type Chosen = ReadonlyMap<string, User>;

const actions: readonly ManyAction[] = [
  ...(["endSessions", "requirePassword", "unlock"] as const),
  ...roleNames.map((role) => `role-${role}` as const),
  ...(["enable", "disable", "delete"] as const),
];

export function ManyUsersBar({
  chosen,
  query,
  total,
  onChoose,
  onDone,
}: {
  readonly chosen: Chosen;
  /** The query of the list, and the number of users that match it. */
  readonly query: UserQuery;
  readonly total: number;
  readonly onChoose: (chosen: Chosen) => void;
  readonly onDone: () => void;
}) {
  const [asked, setAsked] = useState<{ action: ManyAction; users: readonly User[] } | null>(null);
  const choosingAll = useAction(async () => onChoose(byId(await readAllUsers(query))));
  const items: MenuItem[] = actions.map((action) => ({
    text: `${t.users.many[action].verb} …`,
    isDangerous: action === "delete" || action === "disable",
    onChoose: () => setAsked({ action, users: [...chosen.values()] }),
  }));
  return (
    <>
      {chosen.size > 0 && (
        <section ref={tellHeight["--bar-above"]} class="users-bar line" aria-label={t.users.chosenUsers}>
          <p role="status">{t.users.chosen(chosen.size)}</p>
          <Menu label={t.users.actionsForChosen} text={t.users.actionsHead} items={items} />
          {chosen.size < total && (
            <Button kind="quiet" isBusy={choosingAll.isBusy} onClick={() => void choosingAll.run()}>
              {t.users.chooseAll(total)}
            </Button>
          )}
          <Button kind="quiet" onClick={() => onChoose(new Map())}>
            {t.users.chooseNone}
          </Button>
          <ProblemView error={choosingAll.error} />
        </section>
      )}
      {asked && (
        <ManyUsersDialog
          {...asked}
          onClose={() => setAsked(null)}
          onDone={(done) => {
            // Those that failed stay chosen: they are what is left to do.
            onChoose(new Map([...chosen].filter(([id]) => !done.includes(id))));
            onDone();
          }}
        />
      )}
    </>
  );
}

export function byId(users: readonly User[]): Chosen {
  return new Map(users.map((user) => [user.id, user]));
}
