import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { navigate } from "../navigation/navigation.ts";
import { userChanged } from "../session/session.ts";
import { NameForManagers } from "../sign-in/name-for-managers.tsx";
import { NewPasswordField, newPasswordError } from "../sign-in/new-password-field.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { PasswordField } from "../ui/form/password-field.tsx";
import { Submit } from "../ui/form/submit.tsx";
import { Section } from "../ui/page.tsx";

/** Another password. `isAlone`: a one-use password has to give way to it before anything else. */
export function PasswordChange({
  user,
  minimum,
  isAlone = false,
}: {
  readonly user: User;
  /** Characters; absent: not known. */
  readonly minimum?: number | undefined;
  readonly isAlone?: boolean;
}) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const action = useAction(async () => {
    await call("changePassword", { body: { current_password: current, new_password: next } });
    setCurrent("");
    setNext("");
    userChanged({ ...user, must_change_password: false });
    toast(t.account.passwordChanged);
    if (isAlone) await navigate("/");
  });
  const { error } = action;
  const currentError = errorAt(error, "/current_password", /^password_wrong$/);
  return (
    <Section title={t.signIn.password}>
      <p>{isAlone ? t.account.oneUsePassword : t.account.passwordText}</p>
      <Form
        error={error}
        isBrief={Boolean(currentError ?? newPasswordError(error, "/new_password"))}
        onSubmit={() => void action.run()}
        footer={
          <Submit action={action} kind={isAlone ? "primary" : "plain"}>
            {t.account.changePassword}
          </Submit>
        }
      >
        <NameForManagers username={user.username} />
        <PasswordField
          label={isAlone ? t.account.presentOneUse : t.account.presentPassword}
          error={currentError}
          value={current}
          onInput={setCurrent}
          autocomplete="current-password"
          isFirst={isAlone}
        />
        <NewPasswordField
          label={t.person.newPassword}
          value={next}
          onInput={setNext}
          error={error}
          pointer="/new_password"
          minimum={minimum}
        />
      </Form>
    </Section>
  );
}
