import { useState } from "preact/hooks";
import { type Scope, scopes, userScopes } from "../../contract/scopes.ts";
import type { Output, Role } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useResource } from "../client/use-resource.ts";
import { me } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { ChoicesField } from "../ui/form/choices-field.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { Skeleton } from "../ui/page.tsx";
import { ShownOnce } from "../ui/secret.tsx";
import { certificateLines, curlLines, prometheusJob, savingLine, wayIn } from "./token-use.ts";

/** Days that a token may be good for; the agent takes an hour to 366 days. */
const lifetimes = [1, 30, 90, 366] as const;

/** The scopes that a usual purpose takes, the one first that it is nothing without. Its name is also that of the token. */
const purposes = {
  monitoring: ["metrics:read"],
  fleet: ["system:read", "configuration:read"],
  records: ["logs:read", "events:read"],
  updates: ["updates:check", "updates:apply", "system:read"],
} as const satisfies Record<string, readonly Scope[]>;

type Purpose = keyof typeof purposes;

interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_in: `${(typeof lifetimes)[number]}d`;
}

export function CreateTokenSheet({
  onCreated,
  onClose,
}: {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) {
  const [made, setMade] = useState<Made | null>(null);
  return (
    <Dialog title={t.account.createToken} shape="sheet" onClose={made === null ? onClose : undefined}>
      {made === null ? (
        <TokenForm
          onMade={(token) => {
            setMade(token);
            onCreated();
          }}
        />
      ) : (
        <ShownOnce said={t.account.tokenMade} label={t.account.token} text={made.token} onClose={onClose}>
          <Recipes scopes={made.scopes} />
        </ShownOnce>
      )}
    </Dialog>
  );
}

type Made = Output<"createToken">;

function TokenForm({ onMade }: { readonly onMade: (made: Made) => void }) {
  const form = useForm<NewToken>({ name: "", scopes: [], expires_in: "90d" }, async (body) => {
    // Also without a scope: the agent says all that is missing at once.
    onMade(await call("createToken", { body: body as NewToken & { scopes: [Scope] } }));
  });
  const { role } = me();
  const offered = userScopes.filter((scope) => (scopes[scope] as readonly Role[]).includes(role));
  const name = form.field("name");
  return (
    <Form form={form} verb={t.account.createToken}>
      <PurposeButtons
        offered={offered}
        onChoose={(purpose, scopes) =>
          form.type({ scopes, ...((name.value === "" || name.value in purposes) && { name: purpose }) })
        }
      />
      <TextField {...name} label={t.ui.name} hint={t.account.tokenNameHint} maxLength={64} isFirst />
      <ChoicesField
        {...form.field("scopes")}
        label={t.account.scopesTitle}
        error={errorAt(form.error, "/scopes") && t.account.chooseScope}
        options={offered.map((value) => ({ value, text: t.person.scopes[value], hint: value }))}
      />
      <SelectField
        {...form.field("expires_in")}
        label={t.ui.expires}
        options={lifetimes.map((days) => ({ value: `${days}d` as const, text: t.account.days(days) }))}
      />
    </Form>
  );
}

/** A button for each purpose that the role allows; it ticks the scopes below. */
function PurposeButtons({
  offered,
  onChoose,
}: {
  readonly offered: readonly Scope[];
  readonly onChoose: (purpose: Purpose, scopes: readonly Scope[]) => void;
}) {
  const possible = (Object.keys(purposes) as Purpose[]).filter((one) => offered.includes(purposes[one][0]));
  return (
    <fieldset class="field">
      <legend>{t.account.purpose}</legend>
      <div class="buttons">
        {possible.map((purpose) => (
          <Button
            key={purpose}
            onClick={() =>
              onChoose(
                purpose,
                // In the order of the choices below.
                offered.filter((scope) => (purposes[purpose] as readonly Scope[]).includes(scope)),
              )
            }
          >
            {t.account.purposes[purpose]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

/** Lines to paste, none with the token in it: a first request, and for a token for metrics a section for Prometheus. */
function Recipes({ scopes }: { readonly scopes: readonly string[] }) {
  const tls = useResource("getTls");
  if (tls.value === null && tls.error === null) return <Skeleton />;
  const way = wayIn(location.origin, tls.value);
  const recipes = [
    [t.account.saveToken, savingLine],
    [t.account.firstRequest, curlLines(scopes, way)],
    ...(scopes.includes("metrics:read")
      ? [
          [t.account.prometheus, prometheusJob(way)],
          [t.account.prometheusCertificate, certificateLines(way)],
        ]
      : []),
  ];
  return (
    <details class="more token-recipes">
      <summary>{t.account.recipes}</summary>
      {recipes.map(
        ([about, lines]) =>
          lines && (
            <>
              <p class="hint">{about}</p>
              <pre>{lines}</pre>
            </>
          ),
      )}
    </details>
  );
}
