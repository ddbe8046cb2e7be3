import type { ComponentChildren } from "preact";
import { t } from "../catalogue/words.ts";
import { Outside } from "../sign-in/outside.tsx";
import { type Step, Steps } from "../ui/steps.tsx";

/** The four steps of a first run; the first makes the account that does the others. */
export const setupSteps = ["password", "factor", "device", "updates"] as const;
export type SetupStep = (typeof setupSteps)[number];

/** The page of one step, or of their end, with the line of all. `isDone`: of the steps before and behind it. */
export function SetupFrame({
  now,
  isDone = () => false,
  children,
}: {
  readonly now: SetupStep | "done";
  readonly isDone?: (step: SetupStep) => boolean;
  readonly children: ComponentChildren;
}) {
  const stateOf = (step: SetupStep): Step["state"] =>
    step === now ? "now" : isDone(step) ? "done" : "ahead";
  return (
    <Outside title={t.firstRun.title} isWide>
      <Steps
        label={t.firstRun.steps}
        steps={setupSteps.map((key) => ({ key, text: t.firstRun.stepNames[key], state: stateOf(key) }))}
      />
      {/* Each step has a name of its own, so that a screen reader says which one it is. */}
      <section class="setup-step" aria-label={t.firstRun.heads[now]}>
        <h2 tabIndex={-1}>{t.firstRun.heads[now]}</h2>
        {children}
      </section>
    </Outside>
  );
}
