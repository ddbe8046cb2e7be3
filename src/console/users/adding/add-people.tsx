import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { useUnsaved } from "../../navigation/use-unsaved.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { AddUser, blankUser, isBlank } from "./add-user.tsx";
import { HandOver, type Person, useShownOnce } from "./hand-over.tsx";

/** The sheet that people are added with, one after another; it goes on to a card for each of them. */
export function AddPeople({
  onDone,
  onClose,
}: {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState(blankUser);
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [isAdding, setIsAdding] = useState(true);
  const unsaved = useUnsaved(!isBlank(typed));
  const isHandedOver = useShownOnce(people);
  const added = (person: Person): void => {
    setPeople([person, ...people]);
    setTyped(blankUser);
    setIsAdding(false);
    void onDone();
  };
  const title = isAdding ? t.users.add : t.adding.accessOf(people.map(({ username }) => username));
  return (
    <Dialog title={title} shape="sheet" onClose={onClose}>
      {isAdding ? (
        <AddUser
          typed={[typed, (change) => setTyped((before) => ({ ...before, ...change }))]}
          onAdded={added}
          onCancel={people.length === 0 ? onClose : () => setIsAdding(false)}
        />
      ) : (
        <HandOver
          people={people}
          others={<Button onClick={() => setIsAdding(true)}>{t.adding.another}</Button>}
          onClose={() => {
            isHandedOver.current = true;
            unsaved.current = false;
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}
