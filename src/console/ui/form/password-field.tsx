import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { Button } from "../button.tsx";
import { TextField, type TextFieldProps } from "./field.tsx";

export function PasswordField(props: Omit<TextFieldProps, "type" | "button">) {
  const [isShown, setIsShown] = useState(false);
  return (
    <TextField
      name="password"
      {...props}
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
