import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { me, signOut } from "../session/session.ts";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { act } from "./many-users.ts";
import type { ActionName } from "./user-table.tsx";

/** Longest reason that is written down, in characters. */
const longestReason = 256;

/** Says what will happen to the user, and does it. The password has a dialog of its own. */
export function UserAction({
  action,
  user,
  onDone,
  onClose,
}: {
  readonly action: Exclude<ActionName, "resetPassword">;
  readonly user: User;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const { username } = user;
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
      <p>{text(username, user.tokens)}</p>
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
