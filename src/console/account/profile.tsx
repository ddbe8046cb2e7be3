import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { keptEntries } from "../session/reload.ts";
import { userChanged } from "../session/session.ts";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { Facts, Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";

interface Entries {
  readonly display_name: string;
}

/** One's own name, role and rights; the name that others read can be changed. */
export function Profile({ user }: { readonly user: User }) {
  const form = useForm(
    keptEntries<Entries>("profile") ?? { display_name: user.display_name },
    async (body) => {
      userChanged(await call("updateUser", { params: { id: user.id }, body }));
      toast(t.ui.saved);
    },
  );
  const isChanged = form.typed.display_name !== user.display_name;
  useUnsaved(isChanged, { name: "profile", entries: () => form.typed });
  return (
    <Section title={t.account.you}>
      <Facts
        items={[
          [t.signIn.username, user.username],
          [
            t.person.role,
            <>
              {t.person.roles[user.role]}
              <div class="hint">{t.person.mayDo[user.role]}</div>
            </>,
          ],
          [t.person.lastSignIn, <Time key="last" at={user.last_login_at} />],
        ]}
      />
      <Form form={form} verb={t.ui.save} kind="plain" isReady={isChanged}>
        <TextField
          {...form.field("display_name")}
          label={t.person.displayName}
          hint={t.account.displayNameHint}
          maxLength={64}
        />
      </Form>
    </Section>
  );
}
