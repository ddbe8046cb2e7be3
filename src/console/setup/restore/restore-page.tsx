import { useEffect, useState } from "preact/hooks";
import { StepsInOrder } from "../../account/steps-in-order.tsx";
import { t } from "../../catalogue/words.ts";
import { greet, greeting } from "../../client/connection.ts";
import { Outside } from "../../sign-in/outside.tsx";
import { setupToken } from "../../sign-in/setup-token.ts";
import { useHead } from "../../ui/focus.ts";
import { FileStep, type Received } from "./file-step.tsx";
import { OpenStep, type RestorePlan, type Typed, untyped } from "./open-step.tsx";
import { PlanStep } from "./plan-step.tsx";

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

export { RestorePage as Body };

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
