import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { tellHeight } from "../../ui/focus.ts";
import { Form } from "../../ui/form/form.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";
import { Skeleton } from "../../ui/page.tsx";
import { ProblemBox, ProblemView, titleOf } from "../../ui/problem-view.tsx";
import { valueAt } from "./draft.ts";
import { refusedSettings } from "./errors.ts";
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

/** The reasons why settings were not saved: each refused one is a link to its field. A single one takes the keyboard too. */
function Refusals({
  error,
  reveal,
}: {
  readonly error: unknown;
  readonly reveal: (pointer: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const byPointer = new Map(refusedSettings(error).map((one) => [one.pointer, one]));
  const refused = inOrder([...byPointer.keys()]).flatMap((pointer) => byPointer.get(pointer) ?? []);
  useEffect(() => {
    if (error === null) return;
    const [first, ...others] = refused;
    if (first === undefined) root.current?.focus();
    else goTo(first.pointer, reveal, others.length > 0 ? root.current : null);
  }, [error]);
  return (
    <div ref={root} tabIndex={-1} class="refusals">
      {refused.length === 0 ? (
        <ProblemView error={error} />
      ) : (
        <ProblemBox title={titleOf(error)}>
          <ul class="bullets">
            {refused.map(({ pointer, name, sentence }) => (
              <li key={pointer}>
                <a
                  href={`#${pointer}`}
                  onClick={(event) => {
                    event.preventDefault();
                    goTo(pointer, reveal);
                  }}
                >
                  {name}
                </a>
                : {sentence}
              </li>
            ))}
          </ul>
        </ProblemBox>
      )}
    </div>
  );
}

/** Brings a setting into sight, and once that is drawn puts the keyboard into its field, or into something else. */
function goTo(pointer: string, reveal: (pointer: string) => void, instead: HTMLElement | null = null): void {
  reveal(pointer);
  requestAnimationFrame(() => {
    const setting = settingsInPage()[placeOf(pointer)];
    if (instead === null) type(setting?.querySelector<HTMLElement>("[aria-invalid]") ?? setting);
    else instead.focus();
  });
}

/** Settings as they follow each other in the page. */
function inOrder(pointers: readonly string[]): readonly string[] {
  return pointers.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Puts the keyboard into a field, or into the first one within it. */
function type(field: HTMLElement | undefined): void {
  const inputs = "input, select";
  (field?.matches(inputs) ? field : field?.querySelector<HTMLElement>(inputs))?.focus();
}

/** Which one in the page a setting is, from 0 on; the pointer may lead into it. */
function placeOf(pointer: string): number {
  return settingsInPage().findIndex(({ dataset }) => `${pointer}/`.startsWith(`${dataset.setting}/`));
}

function settingsInPage(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-setting]")];
}
