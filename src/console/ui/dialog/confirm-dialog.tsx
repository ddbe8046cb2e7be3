import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { useAction } from "../../client/use-action.ts";
import { TextField } from "../form/field.tsx";
import { Form } from "../form/form.tsx";
import { Dialog } from "./dialog.tsx";

/** Explains an action, to whom it happens and how it is undone, and performs it. `word`: it cannot be undone. */
export function ConfirmDialog({
  title,
  verb,
  word = null,
  isReady = true,
  isDangerous = false,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly verb: string;
  /** The name of the thing, which the person has to type. */
  readonly word?: string | null;
  /** True: everything else that the dialog asks for has been given. */
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        form={useAction(onConfirm)}
        verb={verb}
        kind={isDangerous ? "danger" : "primary"}
        isReady={isReady && (word === null || typed === word)}
        isToldTwice
        onDone={onClose}
        onCancel={onClose}
      >
        {children}
        {word !== null && (
          <TextField
            label={t.ui.typeToConfirm(word)}
            value={typed}
            onInput={setTyped}
            spellcheck={false}
            isFirst
          />
        )}
      </Form>
    </Dialog>
  );
}
