import { useState } from "preact/hooks";
import type { Role } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { newPasswordError } from "../sign-in/new-password-field.tsx";
import { UsernameField, usernameError } from "../sign-in/username-field.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Form } from "../ui/form/form.tsx";
import { NewPassword, OneUsePassword } from "./new-password.tsx";
import { DisplayNameField, displayNameError, RoleField, useUnsaved } from "./user-fields.tsx";

/** The sheet that a user is added with; it goes on to the one-use password where one was made. */
export function AddUser({
  onDone,
  onClose,
}: {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [username, setUsername] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [role, setRole] = useState<Role>("readonly");
  const [password, setPassword] = useState<string | null>(null);
  const [added, setAdded] = useState<{ readonly password: string | null } | null>(null);
  const isTouched = [username, displayName, password ?? ""].some(Boolean) || role !== "readonly";
  const unsaved = useUnsaved(isTouched && added === null);
  const action = useAction(async () => {
    const name = username.trim();
    const { initial_password = null } = await call("createUser", {
      body: {
        username: name,
        display_name: displayName.trim(),
        role,
        ...(password !== null && { password }),
      },
    });
    setUsername(name);
    setAdded({ password: initial_password });
    unsaved.current = false;
    toast(t.users.did(t.users.add, name));
    void onDone();
    if (initial_password === null) onClose();
  });
  const { error } = action;
  const atFields = [usernameError(error), displayNameError(error), newPasswordError(error, "/password")];
  if (added !== null && added.password !== null)
    return (
      <Dialog title={t.users.oneUse(username)} shape="sheet" onClose={onClose}>
        <OneUsePassword username={username} password={added.password} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title={t.users.add} shape="sheet" onClose={onClose}>
      <Form
        error={error}
        isBrief={atFields.some((one) => one !== null)}
        onSubmit={() => void action.run()}
        footer={
          <>
            <Button kind="primary" type="submit" isBusy={action.isBusy}>
              {t.users.add}
            </Button>
            <Button onClick={onClose}>{t.ui.cancel}</Button>
          </>
        }
      >
        <UsernameField value={username} onInput={setUsername} error={error} isFirst />
        <DisplayNameField value={displayName} onInput={setDisplayName} error={error} />
        <RoleField value={role} onChange={setRole} />
        <NewPassword role={role} value={password} onChange={setPassword} error={error} />
      </Form>
    </Dialog>
  );
}
