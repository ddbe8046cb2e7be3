import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import type { AddedSeveral, Changing, Person } from "../../client/parts.ts";
import { useUnsaved } from "../../navigation/use-unsaved.ts";
import { keptEntries } from "../../session/reload.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { bodyOf } from "../../ui/page.tsx";
import { reasonOf } from "../one-by-one.ts";
import { AddUser, blankUser, isBlank, type NewUser } from "./add-user.tsx";
import { HandOver, useShownOnce } from "./hand-over.tsx";
import { ResetPassword } from "./reset-password.tsx";
import "../../styles/parts/people/adding.css";

/** The name of the form where its entries are kept over a reload. */
const formName = "people";

interface Entries {
  readonly typed: NewUser;
  readonly list: string;
}

/** The sheet that people are added with, one after another or by a list; it goes on to a card for each of them. */
export function AddPeople({ onDone, onClose }: Changing) {
  const [kept] = useState(() => keptEntries<Entries>(formName) ?? { typed: blankUser, list: "" });
  const [typed, setTyped] = useState(kept.typed);
  const [list, setList] = useState(kept.list);
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [shown, show] = useState<"one" | "several" | "cards">(list === "" ? "one" : "several");
  const [outcome, setOutcome] = useState<AddedSeveral | null>(null);
  const unsaved = useUnsaved(!isBlank(typed) || list !== "", {
    name: formName,
    entries: (): Entries => ({ typed: { ...typed, password: null }, list }),
  });
  const isHandedOver = useShownOnce(people);
  const made = (person: Person): void => setPeople((before) => [person, ...before]);
  const goOn = (next: AddedSeveral | null): void => {
    setOutcome(next);
    show("cards");
    void onDone();
  };
  const onCancel = people.length === 0 ? onClose : () => show("cards");
  const isWhole = outcome === null || outcome.failed.size + outcome.left === 0;
  const title = {
    one: t.users.add,
    several: t.adding.several,
    cards: t.adding.accessOf(people.map(({ username }) => username)),
  }[shown];
  return (
    <Dialog title={title} shape="sheet" onClose={onClose}>
      {shown === "one" && (
        // Not beside the buttons of the form, which would cover its fields above the keyboard of a phone.
        <p>
          <Button onClick={() => show("several")}>{t.adding.several} …</Button>
        </p>
      )}
      {shown === "one" && (
        <AddUser
          typed={[typed, (change) => setTyped((before) => ({ ...before, ...change }))]}
          onAdded={(person) => {
            made(person);
            setTyped(blankUser);
            goOn(null);
          }}
          onCancel={onCancel}
        />
      )}
      {shown === "several" && (
        <Several
          text={list}
          onText={setList}
          onMade={made}
          onDone={(next) => {
            // The list stays while people are left to add: those who exist by now are left out of it.
            if (next.failed.size + next.left === 0) setList("");
            goOn(next);
          }}
          onCancel={onCancel}
        />
      )}
      {shown === "cards" && (
        <>
          {outcome !== null && <Outcome outcome={outcome} />}
          <HandOver
            people={people}
            others={
              <Button onClick={() => show(isWhole ? "one" : "several")}>
                {isWhole ? t.adding.another : t.adding.back}
              </Button>
            }
            onClose={() => {
              isHandedOver.current = true;
              unsaved.current = false;
              onClose();
            }}
          />
        </>
      )}
    </Dialog>
  );
}

const Several = bodyOf("several", 0);

/** The number of those who were added from a list, and why others were not. */
function Outcome({ outcome: { made, failed, left } }: { readonly outcome: AddedSeveral }) {
  return (
    <>
      <p role="status">{t.users.manyDone({ done: made, failed: failed.size, left })}</p>
      {failed.size > 0 && (
        <ul class="users-many">
          {[...failed].map(([username, error]) => (
            <li key={username} class="line between">
              <span>{username}</span>
              <Badge state="wrong">{reasonOf(error)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The other way to a one-use password, which is handed over by the same card. */
export { AddPeople as Body, ResetPassword as Reset };
