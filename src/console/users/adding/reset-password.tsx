import { useState } from "preact/hooks";
import type { User } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import type { Changing, Person } from "../../client/parts.ts";
import { mayLeave } from "../../navigation/navigation.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { HandOver, useShownOnce } from "./hand-over.tsx";
import { NewPassword } from "./new-password.tsx";

export function ResetPassword({ user, onDone, onClose }: Changing & { readonly user: User }) {
  const [made, setMade] = useState<readonly Person[]>([]);
  const isHandedOver = useShownOnce(made);
  const { username, display_name, role } = user;
  const { verb, text } = t.users.actions.resetPassword;
  // null: the agent makes one.
  const form = useForm<{ password: string | null }>({ password: null }, async ({ password }) => {
    const body = password === null ? {} : { password };
    const { initial_password = null } = await call("resetPassword", { params: { id: user.id }, body });
    toast(t.users.did(verb, username));
    if (initial_password !== null) setMade([{ username, display_name, password: initial_password }]);
    await onDone();
    if (initial_password === null) onClose();
  });
  return (
    <Dialog
      title={t.users.about(verb, username)}
      onClose={() => void mayLeave().then((isLeft) => isLeft && onClose())}
    >
      {made.length === 0 ? (
        <Form form={form} verb={verb} kind="danger" onCancel={onClose}>
          <p>{text(username)}</p>
          <NewPassword {...form.field("password")} error={form.error} role={role} />
        </Form>
      ) : (
        <HandOver
          people={made}
          onClose={() => {
            isHandedOver.current = true;
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}
