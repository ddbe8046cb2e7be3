import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { type Changing, usePart } from "../client/parts.ts";
import { me, signOut } from "../session/session.ts";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { type ActionName, act } from "./many-users.ts";

/** Longest reason that is written down, in characters. */
const longestReason = 256;

interface ActionProps extends Changing {
  readonly user: User;
}

export function UserAction({ action, ...rest }: ActionProps & { readonly action: ActionName }) {
  return action === "resetPassword" ? <Resetting {...rest} /> : <Confirmed action={action} {...rest} />;
}

/** It ends with a card to hand over, as adding does. */
function Resetting(props: ActionProps) {
  const part = usePart("adding");
  return part && <part.Reset {...props} />;
}

function Confirmed({
  action,
  user,
  onDone,
  onClose,
}: ActionProps & { readonly action: Exclude<ActionName, "resetPassword"> }) {
  const [reason, setReason] = useState("");
  const { username, origin } = user;
  const { verb, text } = t.users.actions[action];
  const isEnding = action === "delete" || action === "disable";
  const isReasoned = action === "resetTwoFactor";
  const isMe = user.id === me().id;
  return (
    <ConfirmDialog
      title={t.users.about(verb, username)}
      verb={verb}
      word={action === "delete" ? username : null}
      isReady={!isReasoned || reason.trim() !== ""}
      isDangerous={isEnding || isReasoned}
      onClose={onClose}
      onConfirm={async () => {
        await act(action, user.id, reason.trim());
        if (isMe && isEnding) return signOut();
        toast(t.users.did(verb, username));
        await onDone();
      }}
    >
      <p>{action === "delete" && origin === "provider" ? t.users.comesBack : text(username, user.tokens)}</p>
      {isMe && isEnding && (
        <p>
          <strong>{t.users.selfOff}</strong>
        </p>
      )}
      {isReasoned && (
        <TextField
          label={t.users.reason}
          hint={t.users.reasonHint}
          value={reason}
          maxLength={longestReason}
          onInput={setReason}
          isFirst
        />
      )}
    </ConfirmDialog>
  );
}
