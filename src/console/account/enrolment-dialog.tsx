import type { ComponentProps } from "preact";
import { t } from "../catalogue/words.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Steps } from "../ui/steps.tsx";
import { EnrolmentForm, type EnrolmentProps } from "./enrolment-form.tsx";
import { RecoveryCodesForm } from "./recovery-codes-form.tsx";

/** The first of two steps over the page of the account. */
export function EnrolmentDialog({ onClose, ...given }: EnrolmentProps & { readonly onClose: () => void }) {
  return (
    <Dialog title={t.account.enrol} onClose={onClose}>
      <EnrolmentSteps now="authenticator" />
      <EnrolmentForm {...given} others={<Button onClick={onClose}>{t.ui.cancel}</Button>} />
    </Dialog>
  );
}

/** The second: it closes when the person says that the codes are kept. */
export function RecoveryCodesDialog(given: ComponentProps<typeof RecoveryCodesForm>) {
  return (
    <Dialog title={t.account.recoveryCodes}>
      <EnrolmentSteps now="codes" />
      <RecoveryCodesForm {...given} />
    </Dialog>
  );
}

const keys = ["password", "authenticator", "codes"] as const;

/** The step of the enrolment that one is at. */
function EnrolmentSteps({ now }: { readonly now: (typeof keys)[number] }) {
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
