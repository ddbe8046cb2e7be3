import { t } from "../catalogue/words.ts";
import { Steps } from "../ui/steps.tsx";

const keys = ["password", "authenticator", "codes"] as const;

/** The step of the enrolment that one is at. */
export function EnrolmentSteps({ now }: { readonly now: (typeof keys)[number] }) {
  const at = keys.indexOf(now);
  return (
    <Steps
      label={t.account.steps}
      steps={keys.map((key, index) => ({
        key,
        text: t.account.enrolmentSteps[key],
        state: index < at ? "done" : index === at ? "now" : "ahead",
      }))}
    />
  );
}
