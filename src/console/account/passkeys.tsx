import { useState } from "preact/hooks";
import type { Passkey, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useResource } from "../client/use-resource.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { Section } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { agentInWords } from "../users/access.ts";
import { makePasskey, useHasPasskeys } from "./webauthn.ts";

/** The passkeys beside the codes of a second factor. Nothing is shown where there are none and none can be made. */
export function Passkeys({ user }: { readonly user: User }) {
  const params = { id: user.id };
  const factor = useResource("getTwoFactor", { params });
  const isPossible = useHasPasskeys();
  const [isAdding, setIsAdding] = useState(false);
  const [doomed, setDoomed] = useState<Passkey | null>(null);
  const passkeys = factor.value?.passkeys ?? [];
  if (!isPossible && passkeys.length === 0) return null;
  return (
    <Section
      title={t.account.passkeys}
      action={isPossible && <Button onClick={() => setIsAdding(true)}>{t.account.addPasskey}</Button>}
    >
      <p>{t.account.passkeysText}</p>
      <ReadProblem of={[factor]} />
      <ul class="entries">
        {passkeys.map((passkey) => (
          <li key={passkey.id} class="between">
            <span>
              <bdi>{passkey.name}</bdi>
              <span class="hint">
                {passkey.host} · {t.account.added}: <Time at={passkey.created_at} /> · {t.person.lastUsed}:{" "}
                <Time at={passkey.last_used_at} />
              </span>
            </span>
            <Button label={t.account.removePasskeyTitle(passkey.name)} onClick={() => setDoomed(passkey)}>
              {t.ui.remove}
            </Button>
          </li>
        ))}
      </ul>
      {isAdding && (
        <AddPasskey user={user} onAdded={() => factor.reload()} onClose={() => setIsAdding(false)} />
      )}
      {doomed !== null && (
        <ConfirmDialog
          title={t.account.removePasskeyTitle(doomed.name)}
          verb={t.ui.remove}
          isDangerous
          onConfirm={async () => {
            await call("removePasskey", { params: { ...params, passkey: doomed.id } });
            toast(t.account.passkeyRemoved);
            await factor.reload();
          }}
          onClose={() => setDoomed(null)}
        >
          <p>{t.account.removePasskeyText}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function AddPasskey({
  user,
  onAdded,
  onClose,
}: {
  readonly user: User;
  readonly onAdded: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const params = { id: user.id };
  const form = useForm({ name: agentInWords(navigator.userAgent) }, async ({ name }) => {
    const begun = await call("beginPasskey", { params });
    await call("addPasskey", { params, body: { name, ...(await makePasskey(user, begun)) } });
    toast(t.account.passkeyAdded);
    await onAdded();
    onClose();
  });
  return (
    <Dialog title={t.account.addPasskey} onClose={onClose}>
      <Form form={form} verb={t.ui.goOn} onCancel={onClose}>
        <p>{t.account.addPasskeyText}</p>
        <TextField {...form.field("name")} label={t.ui.name} hint={t.account.passkeyNameHint} isFirst />
      </Form>
    </Dialog>
  );
}
