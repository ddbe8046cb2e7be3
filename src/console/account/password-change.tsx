import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { navigate } from "../navigation/navigation.ts";
import { userChanged } from "../session/session.ts";
import { NewPasswordField } from "../sign-in/new-password-field.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { NameForManagers, PasswordField } from "../ui/form/password-field.tsx";
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
  const form = useForm({ current_password: "", new_password: "" }, async (body) => {
    await call("changePassword", { body });
    form.type({ current_password: "", new_password: "" });
    userChanged({ ...user, must_change_password: false });
    toast(t.account.passwordChanged);
    if (isAlone) await navigate("/");
  });
  return (
    <Section title={t.signIn.password}>
      <p>{isAlone ? t.account.oneUsePassword : t.account.passwordText}</p>
      <Form form={form} verb={t.account.changePassword} kind={isAlone ? "primary" : "plain"}>
        <NameForManagers username={user.username} />
        <PasswordField
          {...form.field("current_password", /^password_wrong$/)}
          label={isAlone ? t.account.presentOneUse : t.account.presentPassword}
          autocomplete="current-password"
          isFirst={isAlone}
        />
        <NewPasswordField
          {...form.field("new_password")}
          label={t.person.newPassword}
          error={form.error}
          pointer="/new_password"
          minimum={minimum}
        />
      </Form>
    </Section>
  );
}
