import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { userChanged } from "../session/session.ts";
import { Credentials } from "../sign-in/credentials.tsx";
import { signInWithoutFactor } from "../sign-in/sign-in.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { NameForManagers, PasswordField } from "../ui/form/password-field.tsx";

interface FactorDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** The factor goes with password and code. */
export function RemoveFactorDialog({ user, onClose }: FactorDialogProps) {
  return (
    <Dialog title={t.account.removeTitle} onClose={onClose}>
      <p>{t.account.removeText}</p>
      <Credentials
        username={user.username}
        verb={t.account.remove}
        onGiven={async ({ password, factor }) => {
          userChanged(
            await call("disableTwoFactor", { params: { id: user.id }, body: { password, ...factor } }),
          );
          toast(t.account.removed);
          onClose();
        }}
      />
    </Dialog>
  );
}

/** The factor goes with password and recovery code, whatever the policy: another authenticator can be set up then. */
export function LostFactorDialog({ user, onClose }: FactorDialogProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <ConfirmDialog
      title={t.account.lost}
      verb={t.account.removeLost}
      isDangerous
      onConfirm={async () => {
        await signInWithoutFactor(user.username, password, code);
        toast(t.account.removed);
      }}
      onClose={onClose}
    >
      <NameForManagers username={user.username} />
      <p>{t.account.lostText}</p>
      <PasswordField
        label={t.signIn.password}
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        isFirst
      />
      <TextField
        label={t.signIn.recoveryCode}
        hint={t.signIn.recoveryCodeHint}
        value={code}
        onInput={setCode}
        spellcheck={false}
      />
    </ConfirmDialog>
  );
}
