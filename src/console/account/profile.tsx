import { useEffect, useRef, useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { guardLeaving } from "../navigation/navigation.ts";
import { userChanged } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { Facts, Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";

/** Who one is and what one may do; the name that others read can be changed. */
export function Profile({ user }: { readonly user: User }) {
  const [name, setName] = useState(user.display_name);
  const isUnsaved = useRef(false);
  isUnsaved.current = name !== user.display_name;
  useEffect(() => guardLeaving(() => isUnsaved.current), []);
  const action = useAction(async () => {
    userChanged(await call("updateUser", { params: { id: user.id }, body: { display_name: name } }));
    toast(t.ui.saved);
  });
  const error = errorAt(action.error, "/display_name");
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
      <Form
        error={action.error}
        isBrief={error !== null}
        onSubmit={() => void action.run()}
        footer={
          <Button type="submit" isBusy={action.isBusy} isDisabled={!isUnsaved.current}>
            {t.ui.save}
          </Button>
        }
      >
        <TextField
          label={t.person.displayName}
          hint={t.account.displayNameHint}
          error={error}
          value={name}
          onInput={setName}
          maxLength={64}
          autocomplete="off"
        />
      </Form>
    </Section>
  );
}
