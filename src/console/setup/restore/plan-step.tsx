import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { useAction } from "../../client/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/form/field.tsx";
import { Form } from "../../ui/form/form.tsx";
import { Banner, Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { type RestorePlan, restore, type Typed } from "./open-step.tsx";

/** Shows what the restored device will be, and restores it. */
export function PlanStep({
  token,
  typed,
  plan,
  onDecided,
  onBack,
}: {
  readonly token: string;
  readonly typed: Typed;
  readonly plan: RestorePlan;
  readonly onDecided: (plan: RestorePlan) => void;
  readonly onBack: () => void;
}) {
  const [isOff, setOff] = useState(false);
  const form = useAction(async () => onDecided(await restore(token, typed, false)));
  const { as_replacement, warnings } = plan;
  return (
    <Form
      form={form}
      verb={t.restore.verb}
      isReady={!as_replacement || isOff}
      others={
        <Button kind="quiet" onClick={onBack}>
          {t.firstRun.back}
        </Button>
      }
    >
      {warnings.length > 0 && (
        <Banner state="attention">
          {/* The agent's own words are English. */}
          {warnings.map((warning) => (
            <p key={warning} lang="en">
              {warning}
            </p>
          ))}
        </Banner>
      )}
      <Facts items={itemsOf(plan)} />
      <HostFiles plan={plan} />
      <p>{as_replacement ? t.restore.becomes : t.restore.staysItself}</p>
      {as_replacement && <CheckField label={t.restore.otherIsOff} value={isOff} onInput={setOff} />}
    </Form>
  );
}

function itemsOf(plan: RestorePlan): (readonly [string, ComponentChildren])[] {
  const { device, made_at, steward, as_replacement, users, two_factor, tokens, lost_users } = plan;
  const { facts } = t.restore;
  const name = [device.name, device.host_name].filter(
    (one, at, all) => one !== "" && all.indexOf(one) === at,
  );
  const releases = [...plan.releases, ...plan.left_out];
  return [
    [facts.from, <bdi key="from">{visible(name.join(" · "))}</bdi>],
    [
      facts.made,
      <>
        <Time at={made_at} />, Steward {visible(steward)}
      </>,
    ],
    [facts.users, t.restore.users(users, two_factor)],
    [facts.tokens, t.restore.tokens(tokens, as_replacement)],
    ...(lost_users === 0 ? [] : [[facts.goes, t.restore.lostUsers(lost_users)] as const]),
    ...(releases.length === 0 ? [] : [[facts.lacks, visible(releases.join(", "))] as const]),
  ];
}

/** Files that only root writes: the browser does not bring them. */
function HostFiles({ plan: { host_files } }: { readonly plan: RestorePlan }) {
  const differing = host_files.filter(({ differs }) => differs);
  if (differing.length === 0) return null;
  return (
    <>
      <p>{t.restore.hostFiles}</p>
      <ul class="bullets">
        {differing.map(({ path }) => (
          <li key={path}>
            <code>/etc/steward/{visible(path)}</code>
          </li>
        ))}
      </ul>
      <p>{t.restore.byRoot}</p>
      <pre>steward restore FILE --with-host-files</pre>
    </>
  );
}
