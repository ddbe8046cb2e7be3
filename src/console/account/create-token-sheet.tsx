import { useState } from "preact/hooks";
import { type Scope, scopes, userScopes } from "../../contract/scopes.ts";
import type { Role } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { me } from "../session/session.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";
import { ShownOnce } from "../ui/secret.tsx";

/** Days that a token may be good for; the agent takes an hour to 366 days. */
const lifetimes = ["1", "30", "90", "366"] as const;

const scopesErrorId = "token-scopes-error";

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
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [days, setDays] = useState<(typeof lifetimes)[number]>("90");
  const action = useAction(async () => {
    // Also without a scope: the agent says all that is missing at once.
    const body = { name, scopes: chosen as [Scope, ...Scope[]], expires_in: `${days}d` };
    onToken((await call("createToken", { body })).token);
  });
  const { role } = me();
  const nameError = errorAt(action.error, "/name");
  const scopesError = errorAt(action.error, "/scopes") && t.account.chooseScope;
  return (
    <Form
      error={action.error}
      isBrief={Boolean(nameError ?? scopesError)}
      onSubmit={() => void action.run()}
      footer={<Submit action={action}>{t.account.createToken}</Submit>}
    >
      <TextField
        label={t.account.tokenName}
        hint={t.account.tokenNameHint}
        error={nameError}
        value={name}
        onInput={setName}
        maxLength={64}
        autocomplete="off"
        isFirst
      />
      <fieldset class="field" aria-describedby={scopesError ? scopesErrorId : undefined}>
        <legend>{t.account.scopesTitle}</legend>
        {userScopes
          .filter((scope) => (scopes[scope] as readonly Role[]).includes(role))
          .map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              hint={t.account.scopes[scope]}
              value={chosen.includes(scope)}
              onChange={(isOn) =>
                setChosen((before) => (isOn ? [...before, scope] : before.filter((one) => one !== scope)))
              }
            />
          ))}
        {scopesError && (
          <div id={scopesErrorId} class="error">
            {scopesError}
          </div>
        )}
      </fieldset>
      <SelectField
        label={t.ui.expires}
        value={days}
        onChange={setDays}
        options={lifetimes.map((value) => ({ value, text: t.account.days(Number(value)) }))}
      />
    </Form>
  );
}
