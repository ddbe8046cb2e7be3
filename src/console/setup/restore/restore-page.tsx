import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { Outside } from "../../sign-in/outside.tsx";
import { setupToken } from "../../sign-in/setup-token.ts";
import { useHead } from "../../ui/focus.ts";
import { Steps } from "../../ui/steps.tsx";
import { FileStep, type Received } from "./file-step.tsx";
import { OpenStep, type RestorePlan, type Typed, untyped } from "./open-step.tsx";
import { PlanStep } from "./plan-step.tsx";
import { RestartStep } from "./restart-step.tsx";

const steps = ["file", "open", "plan", "restart"] as const;

type StepName = (typeof steps)[number];

/** Makes this device of a backup, in place of a first administrator. Nothing is changed before the last step. */
export function RestorePage({ onBack }: { readonly onBack: () => void }) {
  const [token, setToken] = useState(setupToken.read());
  const [received, setReceived] = useState<Received | null>(null);
  const [typed, setTyped] = useState<Typed>(untyped);
  const [plan, setPlan] = useState<RestorePlan | null>(null);
  const now = plan?.done ? "restart" : plan ? "plan" : received ? "open" : "file";
  useHead(now);
  return (
    <Outside title={t.restore.title} isWide>
      <StepLine now={now} />
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

function StepLine({ now }: { readonly now: StepName }) {
  const at = steps.indexOf(now);
  return (
    <Steps
      label={t.restore.steps}
      steps={steps.map((key, index) => ({
        ...{ key, text: t.restore.stepNames[key] },
        state: index < at ? "done" : index === at ? "now" : "ahead",
      }))}
    />
  );
}

export { RestorePage as Body };
