import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { Button } from "../button.tsx";
import { TextField, type TextFieldProps } from "./field.tsx";

export function PasswordField({ hint, onInput, ...props }: Omit<TextFieldProps, "type" | "button">) {
  const [isShown, setIsShown] = useState(false);
  // A person who types it knows of the blank.
  const [isPasted, setIsPasted] = useState(false);
  const hasBlank = isPasted && /^\s|\s$/.test(props.value);
  return (
    <TextField
      name="password"
      {...props}
      hint={hasBlank ? t.ui.blankAround : hint}
      onInput={(value) => {
        if (value.length > props.value.length + 1) setIsPasted(true);
        onInput(value);
      }}
      type={isShown ? "text" : "password"}
      spellcheck={false}
      button={
        <Button kind="quiet" onClick={() => setIsShown(!isShown)}>
          {isShown ? t.ui.hide : t.ui.show}
        </Button>
      }
    />
  );
}

/** Tells a password manager whose password a form asks for, where the name is not typed. */
export function NameForManagers({ username }: { readonly username: string }) {
  return <input type="text" name="username" autocomplete="username" value={username} hidden readOnly />;
}
