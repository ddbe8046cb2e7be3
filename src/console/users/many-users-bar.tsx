import { useState } from "preact/hooks";
import type { User, UserQuery } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { useAction, useStop } from "../client/use-action.ts";
import { me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { tellHeight } from "../ui/focus.ts";
import { TextField } from "../ui/form/field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { type ActionName, act, type ManyAction, manyActions } from "./many-users.ts";
import { oneByOne, reasonOf } from "./one-by-one.ts";
import { readAllUsers } from "./use-users.ts";

export type Chosen = ReadonlyMap<string, User>;

/** The outcome for one user; `waiting`: it was not their turn yet. */
type Outcome = "waiting" | "done" | { readonly error: unknown };

type Outcomes = ReadonlyMap<string, Outcome>;

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
  const items: MenuItem[] = manyActions.map((action) => ({
    text: `${wordsOf(action, []).verb} …`,
    isDangerous: dangerous.includes(action),
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

const dangerous: readonly ManyAction[] = ["delete", "disable"];

function wordsOf(action: ManyAction, users: readonly User[]): { verb: string; text: string } {
  const own: Partial<Record<ManyAction, { verb: string; text: string }>> = t.users.many;
  if (own[action] !== undefined) return own[action];
  const { verb, text } = t.users.actions[action as ActionName];
  const tokens = users.reduce((sum, one) => sum + one.tokens, 0);
  return { verb, text: text(t.users.each, tokens) };
}

/** Says what will happen, and to whom; does it to one after another; and tells the outcome for each. */
function ManyUsersDialog({
  action,
  users,
  onDone,
  onClose,
}: {
  readonly action: ManyAction;
  readonly users: readonly User[];
  /** It has been done to these. */
  readonly onDone: (done: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const others = users.filter(({ id }) => id !== me().id);
  const [typed, setTyped] = useState("");
  const { outcomes, isRunning, stop, ...form } = useRun(action, others, onDone);
  const { verb, text } = wordsOf(action, others);
  const word = action === "delete" ? String(others.length) : null;
  const question = {
    verb,
    kind: dangerous.includes(action) ? "danger" : "primary",
    isReady: others.length > 0 && (word === null || typed.trim() === word),
    onCancel: onClose,
  } as const;
  const isOver = {
    isReady: false,
    others: (
      <Button kind="primary" onClick={isRunning ? stop : onClose}>
        {isRunning ? t.users.stop : t.ui.close}
      </Button>
    ),
  };
  return (
    <Dialog title={t.users.aboutMany(verb, others.length)} onClose={isRunning ? undefined : onClose}>
      <Form form={{ ...form, isBusy: false }} {...(outcomes === null ? question : isOver)}>
        {outcomes ? <Summary outcomes={outcomes} isRunning={isRunning} /> : <p>{text}</p>}
        {action === "delete" && others.some(({ origin }) => origin === "provider") && (
          <p>{t.users.comesBack}</p>
        )}
        {others.length < users.length && <p>{t.users.notYou}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
        <ul class="users-many" tabIndex={0}>
          {others.map((user) => (
            <Entry key={user.id} user={user} outcome={outcomes?.get(user.id)} />
          ))}
        </ul>
        {word !== null && outcomes === null && (
          <TextField
            label={t.ui.typeToConfirm(word)}
            value={typed}
            onInput={setTyped}
            inputMode="numeric"
            isFirst
          />
        )}
      </Form>
    </Dialog>
  );
}

/** Does it to one after another, and keeps how far it is. */
function useRun(action: ManyAction, users: readonly User[], onDone: (done: readonly string[]) => void) {
  const [outcomes, setOutcomes] = useState<Outcomes | null>(null);
  const { begin, stop } = useStop();
  const { isBusy: isRunning, ...running } = useAction(async () => {
    const all = new Map<string, Outcome>(users.map(({ id }) => [id, "waiting"]));
    setOutcomes(new Map(all));
    await oneByOne(
      users,
      ({ id }) => act(action, id),
      begin(),
      ({ id }, end) => {
        all.set(id, "error" in end ? end : "done");
        setOutcomes(new Map(all));
      },
    );
    onDone([...all].flatMap(([id, outcome]) => (outcome === "done" ? [id] : [])));
  });
  return { ...running, outcomes, isRunning, stop };
}

/** Counts users that are done, failed and left; a screen reader says it at the end. */
function Summary({ outcomes, isRunning }: { readonly outcomes: Outcomes; readonly isRunning: boolean }) {
  const all = [...outcomes.values()];
  const done = all.filter((one) => one === "done").length;
  const left = all.filter((one) => one === "waiting").length;
  return (
    <>
      <p role="status">
        {isRunning
          ? t.users.manyProgress(all.length - left, all.length)
          : t.users.manyDone({ done, failed: all.length - left - done, left })}
      </p>
      {isRunning && <progress max={all.length} value={all.length - left} aria-label={t.ui.progress} />}
    </>
  );
}

function Entry({ user, outcome }: { readonly user: User; readonly outcome: Outcome | undefined }) {
  return (
    <li class="line between">
      <span>
        {user.username} {user.display_name !== "" && <bdi class="hint">{user.display_name}</bdi>}
      </span>
      {outcome === "done" && <Badge state="good">{t.users.outcomeDone}</Badge>}
      {typeof outcome === "object" && <Badge state="wrong">{reasonOf(outcome.error)}</Badge>}
    </li>
  );
}
