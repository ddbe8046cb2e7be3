import { useState } from "preact/hooks";
import type { Role } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { UsernameField } from "../sign-in/username-field.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { NewPassword, OneUsePassword } from "./new-password.tsx";
import { DisplayNameField, RoleField } from "./user-fields.tsx";

interface NewUser {
  readonly username: string;
  readonly display_name: string;
  readonly role: Role;
  /** null: the agent makes one. */
  readonly password: string | null;
}

const blank: NewUser = { username: "", display_name: "", role: "readonly", password: null };

/** The sheet that a user is added with; it goes on to the one-use password where one was made. */
export function AddUser({
  onDone,
  onClose,
}: {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [added, setAdded] = useState<{ readonly username: string; readonly password: string | null } | null>(
    null,
  );
  const form = useForm<NewUser>(blank, async ({ password, ...typed }) => {
    const username = typed.username.trim();
    const { initial_password = null } = await call("createUser", {
      body: {
        ...{ ...typed, username, display_name: typed.display_name.trim() },
        ...(password !== null && { password }),
      },
    });
    setAdded({ username, password: initial_password });
    unsaved.current = false;
    toast(t.users.did(t.users.add, username));
    void onDone();
    if (initial_password === null) onClose();
  });
  const { error, typed } = form;
  const isTouched = [typed.username, typed.display_name, typed.password].some(Boolean);
  const unsaved = useUnsaved((isTouched || typed.role !== blank.role) && added === null);
  if (added !== null && added.password !== null)
    return (
      <Dialog title={t.users.oneUse(added.username)} shape="sheet" onClose={onClose}>
        <OneUsePassword username={added.username} password={added.password} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title={t.users.add} shape="sheet" onClose={onClose}>
      <Form form={form} verb={t.users.add} onCancel={onClose}>
        <UsernameField {...form.field("username")} error={error} isFirst />
        <DisplayNameField {...form.field("display_name")} error={error} />
        <RoleField {...form.field("role")} />
        <NewPassword {...form.field("password")} error={error} role={typed.role} />
      </Form>
    </Dialog>
  );
}
