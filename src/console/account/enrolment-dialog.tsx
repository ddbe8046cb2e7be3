import type { ComponentProps } from "preact";
import { t } from "../catalogue/words.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { EnrolmentForm, type EnrolmentProps } from "./enrolment-form.tsx";
import { RecoveryCodesForm } from "./recovery-codes-form.tsx";
import { StepsInOrder } from "./steps-in-order.tsx";

/** The first of two steps over the page of the account. */
export function EnrolmentDialog({ onClose, ...given }: EnrolmentProps & { readonly onClose: () => void }) {
  return (
    <Dialog title={t.account.enrol} onClose={onClose}>
      <StepsInOrder label={t.account.steps} names={t.account.enrolmentSteps} now="authenticator" />
      <EnrolmentForm {...given} others={<Button onClick={onClose}>{t.ui.cancel}</Button>} />
    </Dialog>
  );
}

/** The second: it closes when the person says that the codes are kept. */
export function RecoveryCodesDialog(given: ComponentProps<typeof RecoveryCodesForm>) {
  return (
    <Dialog title={t.account.recoveryCodes}>
      <StepsInOrder label={t.account.steps} names={t.account.enrolmentSteps} now="codes" />
      <RecoveryCodesForm {...given} />
    </Dialog>
  );
}
