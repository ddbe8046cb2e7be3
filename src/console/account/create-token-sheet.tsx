import { useState } from "preact/hooks";
import { type Scope, scopes, userScopes } from "../../contract/scopes.ts";
import type { Role } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { me } from "../session/session.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { ChoicesField } from "../ui/form/choices-field.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { ShownOnce } from "../ui/secret.tsx";

/** Days that a token may be good for; the agent takes an hour to 366 days. */
const lifetimes = [1, 30, 90, 366] as const;

interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_in: `${(typeof lifetimes)[number]}d`;
}

/** Makes a token, and shows it this once. */
export function CreateTokenSheet({
  onCreated,
  onClose,
}: {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) {
  const [token, setToken] = useState<string | null>(null);
  return (
    <Dialog title={t.account.createToken} shape="sheet" onClose={token === null ? onClose : undefined}>
      {token === null ? (
        <TokenForm
          onToken={(made) => {
            setToken(made);
            onCreated();
          }}
        />
      ) : (
        <ShownOnce said={t.account.tokenMade} label={t.account.token} text={token} onClose={onClose} />
      )}
    </Dialog>
  );
}

function TokenForm({ onToken }: { readonly onToken: (token: string) => void }) {
  const form = useForm<NewToken>({ name: "", scopes: [], expires_in: "90d" }, async (body) => {
    // Also without a scope: the agent says all that is missing at once.
    const { token } = await call("createToken", { body: body as NewToken & { scopes: [Scope] } });
    onToken(token);
  });
  const { role } = me();
  const offered = userScopes.filter((scope) => (scopes[scope] as readonly Role[]).includes(role));
  return (
    <Form form={form} verb={t.account.createToken}>
      <TextField
        {...form.field("name")}
        label={t.account.tokenName}
        hint={t.account.tokenNameHint}
        maxLength={64}
        isFirst
      />
      <ChoicesField
        {...form.field("scopes")}
        label={t.account.scopesTitle}
        error={errorAt(form.error, "/scopes") && t.account.chooseScope}
        options={offered.map((value) => ({ value, text: value, hint: t.account.scopes[value] }))}
      />
      <SelectField
        {...form.field("expires_in")}
        label={t.ui.expires}
        options={lifetimes.map((days) => ({ value: `${days}d` as const, text: t.account.days(days) }))}
      />
    </Form>
  );
}
