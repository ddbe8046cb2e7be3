import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { mayLeave } from "../navigation/navigation.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { NewPassword, OneUsePassword } from "./new-password.tsx";

/** Gives the user another password. */
export function ResetPassword({
  user,
  onDone,
  onClose,
}: {
  readonly user: User;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [made, setMade] = useState<string | null>(null);
  const { username, role } = user;
  const { verb, text } = t.users.actions.resetPassword;
  // null: the agent makes one.
  const form = useForm<{ password: string | null }>({ password: null }, async ({ password }) => {
    const body = password === null ? {} : { password };
    const { initial_password = null } = await call("resetPassword", { params: { id: user.id }, body });
    toast(t.users.did(verb, username));
    setMade(initial_password);
    await onDone();
    if (initial_password === null) onClose();
  });
  return (
    <Dialog
      title={t.users.about(verb, username)}
      onClose={() => void mayLeave().then((isLeft) => isLeft && onClose())}
    >
      {made === null ? (
        <Form form={form} verb={verb} kind="danger" onCancel={onClose}>
          <p>{text(username)}</p>
          <NewPassword {...form.field("password")} error={form.error} role={role} />
        </Form>
      ) : (
        <OneUsePassword username={username} password={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
