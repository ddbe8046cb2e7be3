import { useEffect, useState } from "preact/hooks";
import { StepsInOrder } from "../../account/steps-in-order.tsx";
import { t } from "../../catalogue/words.ts";
import { greet, greeting } from "../../client/connection.ts";
import { useAction } from "../../client/use-action.ts";
import { Outside } from "../../sign-in/outside.tsx";
import { setupToken } from "../../sign-in/setup-token.ts";
import { Button } from "../../ui/button.tsx";
import { useHead } from "../../ui/focus.ts";
import { CheckField } from "../../ui/form/field.tsx";
import { Form } from "../../ui/form/form.tsx";
import { Banner, type Fact, Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { FileStep, type Received } from "./file-step.tsx";
import { OpenStep, type RestorePlan, restore, type Typed, untyped } from "./open-step.tsx";

/** Makes this device of a backup, in place of a first administrator. Nothing is changed before the last step. */
export function Body({ onBack }: { readonly onBack: () => void }) {
  const [token, setToken] = useState(setupToken.read());
  const [received, setReceived] = useState<Received | null>(null);
  const [typed, setTyped] = useState<Typed>(untyped);
  const [plan, setPlan] = useState<RestorePlan | null>(null);
  const now = plan?.done ? "restart" : plan ? "plan" : received ? "open" : "file";
  useHead(now);
  return (
    <Outside title={t.restore.title} isWide>
      <StepsInOrder label={t.restore.steps} names={t.restore.stepNames} now={now} />
      <section class="setup-step" aria-label={t.restore.heads[now]}>
        <h2 tabIndex={-1}>{t.restore.heads[now]}</h2>
        {now === "file" && <FileStep {...{ token, setToken, onBack }} onReceived={setReceived} />}
        {now === "open" && received && (
          <OpenStep
            {...{ token, received, typed }}
            type={(change) => setTyped((before) => ({ ...before, ...change }))}
            onOpened={setPlan}
            onBack={() => setReceived(null)}
          />
        )}
        {now === "plan" && plan && (
          <PlanStep {...{ token, typed, plan }} onDecided={setPlan} onBack={() => setPlan(null)} />
        )}
        {now === "restart" && <RestartStep />}
      </section>
    </Outside>
  );
}

/** Milliseconds between two looks whether the restored device answers. */
const lookMilliseconds = 1_000;

/** Waits for the restored device, and goes on with its sign-in. */
function RestartStep() {
  useEffect(() => {
    let isWanted = true;
    const look = async (): Promise<void> => {
      while (isWanted && !((await greet()) && greeting.read()?.setup_required === false))
        await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
      // Nothing that this page knows of the device is true any more.
      if (isWanted) location.assign("/");
    };
    void look();
    return () => {
      isWanted = false;
    };
  }, []);
  return (
    <>
      <p role="status">{t.restore.restarting}</p>
      <p>{t.restore.notBack}</p>
    </>
  );
}

/** Shows what the restored device will be, and restores it. */
function PlanStep({
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

function itemsOf(plan: RestorePlan): Fact[] {
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
    [t.frame.users, t.restore.users(users, two_factor)],
    [facts.tokens, t.restore.tokens(tokens, as_replacement)],
    lost_users > 0 && [facts.goes, t.restore.lostUsers(lost_users)],
    releases.length > 0 && [facts.lacks, visible(releases.join(", "))],
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
