import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { mayLeave } from "../navigation/navigation.ts";
import { newPasswordError } from "../sign-in/new-password-field.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Form } from "../ui/form/form.tsx";
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
  const [password, setPassword] = useState<string | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const { username, role } = user;
  const { verb, text } = t.users.actions.resetPassword;
  const action = useAction(async () => {
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
        <Form
          error={action.error}
          isBrief={newPasswordError(action.error, "/password") !== null}
          onSubmit={() => void action.run()}
          footer={
            <>
              <Button kind="danger" type="submit" isBusy={action.isBusy}>
                {verb}
              </Button>
              <Button onClick={onClose}>{t.ui.cancel}</Button>
            </>
          }
        >
          <p>{text(username)}</p>
          <NewPassword role={role} value={password} onChange={setPassword} error={action.error} />
        </Form>
      ) : (
        <OneUsePassword username={username} password={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
