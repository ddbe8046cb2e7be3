import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { tellHeight } from "../../ui/focus.ts";
import { Form } from "../../ui/form/form.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";
import { Skeleton } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { valueAt } from "./draft.ts";
import { goTo, inOrder, Refusals } from "./refusals.tsx";
import { labelOf, valueInWords } from "./setting-words.ts";
import type { Editing } from "./use-editing.ts";

/** Round the fields of settings: names the unsaved ones, saves them, and asks where another user changed the same. */
export function SettingsForm({
  editing,
  isKept = false,
  reveal = () => undefined,
  beside,
  children,
}: {
  readonly editing: Editing;
  /** Its foot stays in sight also while nothing has changed. */
  readonly isKept?: boolean;
  /** Opens the section of a setting that may be out of sight. */
  readonly reveal?: (pointer: string) => void;
  /** Between the fields and the foot, and no part of the form. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { draft, saving, readError } = editing;
  const count = Object.keys(draft.typed).length;
  const hasFoot = count > 0 || isKept;
  const id = useId();
  if (draft.base === null || editing.schema === null)
    return readError === null ? (
      <Skeleton lines={12} />
    ) : (
      <ProblemView error={readError} onRetry={editing.reload} />
    );
  return (
    <>
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void saving.run();
        }}
      >
        <Refusals error={count > 0 ? saving.error : null} reveal={reveal} />
        {children}
      </form>
      {beside}
      <div ref={tellHeight["--bar-below"]} class={hasFoot ? "save-bar" : "save-bar idle"}>
        <span role="status">{hasFoot && t.settings.unsaved(count)}</span>
        {hasFoot && (
          <Button kind="primary" type="submit" form={id} isBusy={saving.isBusy} isDisabled={count === 0}>
            {t.ui.save}
          </Button>
        )}
        {count > 0 && <Button onClick={editing.discard}>{t.settings.discard}</Button>}
      </div>
      {editing.isAsking && <ConflictDialog editing={editing} reveal={reveal} />}
    </>
  );
}

type Choice = "mine" | "theirs";

/** Setting by setting: what it was, what another user has made of it, what was typed. Closing it loses nothing. */
function ConflictDialog({
  editing,
  reveal,
}: {
  readonly editing: Editing;
  readonly reveal: (pointer: string) => void;
}) {
  const { draft, saving, settle, stopAsking } = editing;
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const pointers = inOrder(Object.keys(draft.collisions));
  const leave = (): void => {
    stopAsking();
    if (pointers[0] !== undefined) goTo(pointers[0], reveal);
  };
  return (
    <Dialog title={t.settings.conflict} onClose={leave}>
      <Form
        form={{ ...saving, error: null }}
        verb={t.ui.save}
        isReady={pointers.every((pointer) => choices[pointer])}
        onSubmit={() => {
          for (const pointer of pointers) settle(pointer, choices[pointer] === "mine");
          void saving.run();
        }}
        onCancel={leave}
      >
        <p>{t.settings.conflictText}</p>
        {pointers.map((pointer) => (
          <RadioField<Choice>
            key={pointer}
            label={labelOf(pointer)}
            hint={t.settings.was(valueInWords(pointer, draft.collisions[pointer]))}
            value={choices[pointer] ?? ""}
            onInput={(choice) => setChoices({ ...choices, [pointer]: choice })}
            options={[
              { value: "mine", text: t.ui.keepMine, hint: valueInWords(pointer, draft.typed[pointer]) },
              {
                value: "theirs",
                text: t.ui.takeTheirs,
                hint: valueInWords(pointer, valueAt(draft.base, pointer)),
              },
            ]}
          />
        ))}
      </Form>
    </Dialog>
  );
}
